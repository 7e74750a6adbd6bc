import type { Column } from '../table/column.js'

/** The facts of an instrument. */
export const INSTRUMENT_COLUMNS = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'name', leaves: 2 },
  { key: 'instrumenttype', title: 'TYPE', leaves: 1 },
  { key: 'expiry', leaves: 3 },
  { key: 'strike', kind: 'price' },
  { key: 'lotsize', title: 'LOT', kind: 'quantity' },
  { key: 'tick_size', title: 'TICK', leaves: 4 },
  { key: 'freeze_qty', title: 'FREEZE', kind: 'quantity', leaves: 5 },
] as const satisfies readonly Column[]
