export type { FeedSettings, RunPorts, RunPublisher } from './ports.js'
export { type NewRunEvent, type OrderRowChange, RunStore } from './run-store.js'
export { ROUND_MS, RunService } from './runs.js'
