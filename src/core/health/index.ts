export { HealthMonitor, type ProbeResult } from './monitor.js'
export type { ProcessFacts } from './process-facts.js'
export type {
  HealthAlert,
  HealthRow,
  HealthStatus,
  Probed,
  ServiceFacts,
  Threshold,
  Thresholds,
} from './schema.js'
