import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { clientErrorPayload, errorGroupsQuery, errorsQuery, reportQuery } from './payloads.js'

const diagnosis = signedIn('Diagnostics', 'api')
const admin = { scopes: ['admin'] } as const

export const DIAGNOSTIC_OPERATIONS = {
  'GET /admin/api/errors': diagnosis('Lists the newest entries of the error log, the oldest first.', {
    ...admin,
    query: errorsQuery,
    example: { level: 'ERROR', limit: 20 },
    answer: answers.errors,
    errors: ['validation'],
  }),
  'POST /admin/api/errors/client': diagnosis('Records an error that a page reports.', {
    ...admin,
    limit: 'thirtyAMinute',
    body: clientErrorPayload,
    example: { message: 'TypeError: x is undefined', url: 'https://desk.example/logs' },
    answer: answers.recorded,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
  'GET /admin/api/errors/stats': diagnosis('Counts the entries of the error log.', {
    ...admin,
    answer: answers.errorCounts,
  }),
  'GET /admin/api/errors/groups': diagnosis('Groups the entries of the error log by fingerprint.', {
    ...admin,
    query: errorGroupsQuery,
    example: { limit: 20 },
    answer: answers.errorGroups,
    errors: ['validation'],
  }),
  'GET /admin/api/system': diagnosis('Returns the state of the installation. It contains no secret.', {
    ...admin,
    answer: answers.snapshot,
  }),
  'POST /admin/api/system/diagnostics': diagnosis('Runs the probes: database, HTTP, market stream, broker.', {
    ...admin,
    limit: 'tenAMinute',
    answer: answers.diagnostics,
  }),
  'GET /admin/api/system/report': diagnosis(
    'Returns a report for support as a file. It contains no secret.',
    {
      ...admin,
      limit: 'tenAMinute',
      query: reportQuery,
      example: { format: 'md' },
      answerText: ['text/markdown', 'text/plain'],
    },
  ),
}
