import type { Column } from '../table/column.js'

export const TRAFFIC_COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'client_ip', title: 'CLIENT' },
  { key: 'method' },
  { key: 'path' },
  { key: 'status_code', title: 'STATUS', kind: 'quantity' },
  { key: 'duration_ms', title: 'MS', kind: 'decimals' },
  { key: 'user_id', title: 'USER', leaves: 1 },
  { key: 'error', leaves: 2 },
  { key: 'host', wide: true },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]
