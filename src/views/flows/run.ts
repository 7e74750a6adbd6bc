import type { Column } from '../table/column.js'

export const RUN_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'status', kind: 'status' },
  { key: 'trigger', leaves: 2 },
  { key: 'version', kind: 'quantity', leaves: 3 },
  { key: 'started_at', title: 'STARTED', kind: 'time' },
  { key: 'completed_at', title: 'ENDED', kind: 'time', leaves: 4 },
  { key: 'error', leaves: 1 },
] as const satisfies readonly Column[]
