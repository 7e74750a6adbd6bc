import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { HealthAlert } from '../../../core/health/index.js'
import { amount, count, instant, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { signedIn } from '../running.js'

const health = signedIn('Service', 'sixtyAMinute', 'read', 'admin')
const changes = signedIn('Service', 'thirtyAMinute', 'admin')

const healthAlerts = z.array(
  z.strictObject({
    id: count,
    timestamp: instant,
    alert_type: text,
    severity: z.enum(['warn', 'fail']),
    metric_name: text,
    metric_value: amount,
    threshold_value: amount,
    message: text,
    acknowledged: z.boolean(),
    resolved: z.boolean(),
  }),
)

const alertChanged = ok({ message: z.enum(['Alert acknowledged', 'Alert resolved']) })

const changing = {
  params: { id: 'The id of an alert.' },
  answer: alertChanged,
  errors: ['not_found'],
} as const

/** The alerts of the health samples. */
export const HEALTH_ALERT_OPERATIONS = {
  'GET /health/api/alerts': health('Lists the health alerts that are not resolved, newest first.', {
    answer: healthAlerts,
    run: async ({ daemon }) => (await daemon.health.openAlerts()).map(alertView),
  }),
  'POST /health/api/alerts/:id/acknowledge': changes('Marks a health alert as seen.', {
    ...changing,
    audit: { act: 'alert.acknowledge' },
    run: async ({ daemon }, { params: { id } }) => {
      if (!(await daemon.health.acknowledge(rowId(id)))) throw notFound()
      return { status: 'success', message: 'Alert acknowledged' }
    },
  }),
  'POST /health/api/alerts/:id/resolve': changes('Resolves a health alert.', {
    ...changing,
    audit: { act: 'alert.resolve' },
    run: async ({ daemon }, { params: { id } }) => {
      if (!(await daemon.health.resolve(rowId(id)))) throw notFound()
      return { status: 'success', message: 'Alert resolved' }
    },
  }),
}

function notFound(): ServiceError {
  const error = 'Alert not found'
  return new ServiceError('not_found', error, { extra: { error } })
}

function alertView(alert: HealthAlert) {
  return {
    id: alert.id,
    timestamp: new Date(alert.timestamp).toISOString(),
    alert_type: alert.alertType,
    severity: alert.severity,
    metric_name: alert.metricName,
    metric_value: alert.metricValue,
    threshold_value: alert.thresholdValue,
    message: alert.message,
    acknowledged: alert.acknowledgedAt !== null,
    resolved: alert.resolvedAt !== null,
  }
}
