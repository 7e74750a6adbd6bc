import type { FundRecord, HoldingRecord, PositionRecord, TradeRecord } from '../../client/answers/records.js'
import type { Column } from '../table/column.js'

const INSTRUMENT = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'product', leaves: 4 },
] as const satisfies readonly Column[]

const MODE = { key: 'mode', kind: 'status', wide: true } as const satisfies Column

export const POSITION_COLUMNS = [
  ...INSTRUMENT,
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'average_price', title: 'AVG', kind: 'price', leaves: 2 },
  { key: 'ltp', title: 'LAST', kind: 'price', leaves: 1 },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'pnlpercent', title: 'GAIN %', kind: 'signed', leaves: 3 },
  MODE,
] as const satisfies readonly Column<keyof PositionRecord>[]

export const TRADE_COLUMNS = [
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'orderid', title: 'ORDER', leaves: 1 },
  ...INSTRUMENT,
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'average_price', title: 'PRICE', kind: 'price' },
  { key: 'trade_value', title: 'VALUE ₹', kind: 'money', leaves: 2 },
  MODE,
] as const satisfies readonly Column<keyof TradeRecord>[]

export const HOLDING_COLUMNS = [
  ...INSTRUMENT,
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'average_price', title: 'AVG', kind: 'price', leaves: 2 },
  { key: 'ltp', title: 'LAST', kind: 'price', leaves: 1 },
  { key: 'current_value', title: 'VALUE ₹', kind: 'money', leaves: 3 },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'pnlpercent', title: 'P&L %', kind: 'signed', leaves: 5 },
  MODE,
] as const satisfies readonly Column<keyof HoldingRecord>[]

/** Brokers list the oldest trade first, the sandbox the newest. Trades of one second keep their order. */
export function newestFirst(rows: readonly TradeRecord[]): readonly TradeRecord[] {
  const [first, last] = [rows.at(0), rows.at(-1)]
  const isOldestFirst = first?.mode === 'live' && (last?.timestamp ?? '') >= first.timestamp
  return isOldestFirst ? [...rows].reverse() : rows
}

export const FUND_FIELDS = [
  { key: 'availablecash', title: 'AVAILABLE ₹', kind: 'money' },
  { key: 'utiliseddebits', title: 'USED MARGIN ₹', kind: 'money' },
  { key: 'collateral', title: 'COLLATERAL ₹', kind: 'money' },
  { key: 'm2mrealized', title: 'REALISED ₹', kind: 'signed' },
  { key: 'm2munrealized', title: 'UNREALISED ₹', kind: 'signed' },
  { key: 'totalpnl', title: 'TOTAL P&L ₹', kind: 'signed' },
  { key: 'mode', kind: 'status' },
] as const satisfies readonly Column<keyof FundRecord>[]
