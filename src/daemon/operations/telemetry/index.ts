import { LATENCY_OPERATIONS } from './latency.js'
import { TRAFFIC_OPERATIONS } from './traffic.js'

/** The operations about requests and how long they took. */
export const TELEMETRY_OPERATIONS = { ...TRAFFIC_OPERATIONS, ...LATENCY_OPERATIONS }
