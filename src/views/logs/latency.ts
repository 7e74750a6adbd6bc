import type { Column } from '../table/column.js'

export const LATENCY_COLUMNS = [
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'order_type', title: 'TYPE' },
  { key: 'symbol' },
  { key: 'broker' },
  { key: 'status', kind: 'status' },
  { key: 'rtt_ms', title: 'BROKER MS', kind: 'decimals' },
  { key: 'overhead_ms', title: 'OWN MS', kind: 'decimals' },
  { key: 'total_latency_ms', title: 'TOTAL MS', kind: 'decimals' },
  { key: 'source', leaves: 1 },
  // A data call has no order: the log has one of these words in its place.
  { key: 'order_id', leaves: 2, none: ['unknown', 'error'] },
  { key: 'error', leaves: 3 },
  { key: 'validation_latency_ms', wide: true, kind: 'decimals' },
  { key: 'response_latency_ms', wide: true, kind: 'decimals' },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]
