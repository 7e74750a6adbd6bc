import type { Column } from '../table/column.js'

export const ATTEMPT_COLUMNS = [
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'status', kind: 'status' },
  { key: 'login_type', title: 'TYPE' },
  { key: 'username', leaves: 2 },
  { key: 'ip_address', title: 'ADDRESS' },
  { key: 'failure_reason', title: 'REASON', leaves: 1 },
  { key: 'broker', leaves: 3 },
  { key: 'device_info', title: 'DEVICE', leaves: 4 },
] as const satisfies readonly Column[]
