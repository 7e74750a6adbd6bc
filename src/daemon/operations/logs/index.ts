import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { daysQuery, entriesQuery, logsExportQuery, logsQuery } from './payloads.js'

const log = signedIn('Logs', 'api')
const reading = { scopes: ['read'], errors: ['validation'] } as const
const DAY = { start_date: '2026-11-20', end_date: '2026-11-20', search: 'placeorder' }

export const LOG_OPERATIONS = {
  'GET /logs': log('Lists the order log by pages of 20, newest first: of Indian days, or of today.', {
    ...reading,
    query: logsQuery,
    example: { page: 1, ...DAY },
    answer: answers.logs,
    answerText: 'text/html',
  }),
  'GET /logs/entries': log('Lists the order log or the analyzer log; with after, the rows added since.', {
    ...reading,
    query: entriesQuery,
    example: { log: 'orders', since: '2026-11-20T00:00:00+05:30' },
    answer: answers.entries,
  }),
  'GET /logs/export': log('Exports the order log as a CSV file, of any length.', {
    ...reading,
    query: logsExportQuery,
    example: DAY,
    answerText: 'text/csv',
  }),
  'GET /analyzer/api/data': log(
    'Returns statistics of the last 24 hours, and the newest 1000 requests of the analyzer log in a period.',
    { ...reading, query: daysQuery, example: DAY, answer: answers.analyzerData },
  ),
  'GET /analyzer/stats': log('Returns statistics of the analyzer log of the last 24 hours.', {
    scopes: ['read'],
    answer: answers.analyzerStats,
  }),
  'GET /analyzer/requests': log('Returns the newest 100 requests of the analyzer log.', {
    scopes: ['read'],
    answer: answers.analyzerRequests,
  }),
  'GET /analyzer/export': log('Exports the analyzer log as a CSV file, of any length.', {
    ...reading,
    query: logsExportQuery,
    example: DAY,
    answerText: 'text/csv',
  }),
  'POST /analyzer/clear': log('Deletes the rows of the analyzer log that are older than 24 hours.', {
    scopes: ['admin'],
    answer: answers.cleared,
  }),
}
