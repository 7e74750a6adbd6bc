import { open, signedIn } from '../running.js'
import * as answers from './answers.js'
import { healthExportQuery, hoursQuery } from './payloads.js'

const anyone = open('Service')
const health = signedIn('Service', 'sixtyAMinute')
const reading = { scopes: ['read', 'admin'] } as const
const changing = {
  scopes: ['admin'],
  limit: 'thirtyAMinute',
  params: { id: 'The id of an alert.' },
  answer: answers.alertChanged,
  errors: ['not_found'],
} as const
const period = { ...reading, query: hoursQuery, example: { hours: '6' }, errors: ['validation'] } as const

export const HEALTH_OPERATIONS = {
  'GET /health/check': anyone('Probes the databases and the process now.', {
    limit: 'sixtyAMinute',
    answer: answers.healthCheck,
    others: { 503: answers.healthCheck },
  }),
  'GET /health/api/current': health('Returns the newest health sample.', {
    ...reading,
    answer: answers.currentHealth,
    errors: ['not_found'],
  }),
  'GET /health/api/history': health('Lists health samples, oldest first; at most 10,000, evenly chosen.', {
    ...period,
    answer: answers.healthHistory,
  }),
  'GET /health/api/stats': health('Returns averages and extremes of the health samples.', {
    ...period,
    answer: answers.healthStatistics,
  }),
  'GET /health/api/alerts': health('Lists the health alerts that are not resolved, newest first.', {
    ...reading,
    answer: answers.healthAlerts,
  }),
  'POST /health/api/alerts/:id/acknowledge': health('Marks a health alert as seen.', changing),
  'POST /health/api/alerts/:id/resolve': health('Resolves a health alert.', changing),
  'GET /metrics': health('Returns the metrics of the service, for Prometheus.', {
    ...reading,
    answerText: 'text/plain',
  }),
  'GET /health/export': health('Exports health samples as a CSV file.', {
    ...period,
    query: healthExportQuery,
    limit: 'tenAMinute',
    answerText: 'text/csv',
  }),
}
