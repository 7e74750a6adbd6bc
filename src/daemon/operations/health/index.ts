import { HEALTH_ALERT_OPERATIONS } from './alerts.js'
import { METRICS_OPERATIONS } from './metrics.js'
import { HEALTH_EXPORT_OPERATIONS, HEALTH_SAMPLE_OPERATIONS } from './samples.js'

/** The health of the process: samples, alerts and metrics. */
export const HEALTH_OPERATIONS = {
  ...HEALTH_SAMPLE_OPERATIONS,
  ...HEALTH_ALERT_OPERATIONS,
  ...METRICS_OPERATIONS,
  ...HEALTH_EXPORT_OPERATIONS,
}
