export { HealthMonitor, type ProbeResult } from './monitor.js'
export type { ProcessFacts } from './process-facts.js'
export type {
  HealthStatus,
  Probed,
  ServiceFacts,
  Threshold,
  Thresholds,
} from './schema.js'
export type { HealthAlert, HealthRow } from './store.js'
