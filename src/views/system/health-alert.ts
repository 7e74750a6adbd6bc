import type { Column } from '../table/column.js'

export const ALERT_COLUMNS = [
  { key: 'id' },
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'severity' },
  { key: 'message' },
  { key: 'acknowledged', leaves: 1 },
  { key: 'alert_type', title: 'TYPE', wide: true },
  { key: 'metric_value', title: 'VALUE', wide: true },
  { key: 'threshold_value', title: 'THRESHOLD', wide: true },
] as const satisfies readonly Column[]
