import type { Column } from '../table/column.js'

export const FREEZE_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'exchange' },
  { key: 'symbol' },
  { key: 'freeze_qty', title: 'FREEZE', kind: 'quantity' },
] as const satisfies readonly Column[]
