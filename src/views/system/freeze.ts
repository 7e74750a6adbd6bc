import type { Column } from '../table/column.js'

/** Values to suggest. The daemon decides which it takes. */
export const FREEZE_EXCHANGES = ['NFO', 'BFO', 'CDS', 'MCX'] as const

export const FREEZE_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'exchange' },
  { key: 'symbol' },
  { key: 'freeze_qty', title: 'FREEZE', kind: 'quantity' },
] as const satisfies readonly Column[]
