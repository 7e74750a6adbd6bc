import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { latencyExportQuery, latencyQuery, trafficExportQuery, trafficQuery } from './payloads.js'

const log = signedIn('Logs', 'sixtyAMinute')
const reading = { scopes: ['read', 'admin'], errors: ['validation'] } as const
const YESTERDAY = { since: '2026-11-20T00:00:00+05:30' }

export const TELEMETRY_OPERATIONS = {
  'GET /logs/traffic': log('Returns the statistics of the traffic log and its newest requests.', {
    ...reading,
    query: trafficQuery,
    example: { ...YESTERDAY, errors: 'true' },
    answer: answers.trafficPage,
    answerText: 'text/html',
  }),
  'GET /traffic/api/logs': log('Lists the requests to the service, newest first.', {
    ...reading,
    query: trafficQuery,
    example: { ...YESTERDAY, errors: 'true' },
    answer: answers.trafficRows,
  }),
  'GET /traffic/api/stats': log('Counts the requests: all, those of the API, and by endpoint.', {
    ...reading,
    answer: answers.trafficStatistics,
  }),
  'GET /traffic/export': log('Exports requests as a CSV file.', {
    ...reading,
    limit: 'tenAMinute',
    query: trafficExportQuery,
    example: YESTERDAY,
    answerText: 'text/csv',
  }),
  'GET /logs/latency': log('Returns the latency statistics of orders and the newest measurements.', {
    ...reading,
    query: latencyQuery,
    example: { ...YESTERDAY, order_type: 'PLACE' },
    answer: answers.latencyPage,
    answerText: 'text/html',
  }),
  'GET /latency/api/logs': log('Lists how long orders and data calls took, newest first.', {
    ...reading,
    query: latencyQuery,
    example: { ...YESTERDAY, order_type: 'PLACE' },
    answer: answers.latencyRows,
  }),
  'GET /latency/api/stats': log('Returns the latency statistics of orders, at most 60 seconds old.', {
    ...reading,
    answer: answers.latencyStatistics,
  }),
  'GET /latency/api/broker/:broker/stats': log('Returns the latency statistics of one broker.', {
    ...reading,
    params: { broker: 'A broker, or sandbox.' },
    answer: answers.brokerLatency,
    errors: ['not_found'],
  }),
  'GET /latency/export': log('Exports how long orders and data calls took as a CSV file.', {
    ...reading,
    limit: 'tenAMinute',
    query: latencyExportQuery,
    example: YESTERDAY,
    answerText: 'text/csv',
  }),
}
