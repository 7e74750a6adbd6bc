import type { AnswerOf, RouteAnswer } from '../endpoints.js'

/**
 * The account as records. Live and Analyzer mode have the same fields, in the same order and of the same
 * types. The answers of the API differ by mode: they have numbers as text, fields of one mode only, and times
 * without a zone.
 *
 * A number is never text, a missing text is empty, and a time is ISO 8601 with the zone of India.
 */

type Mode = 'live' | 'analyze'

export interface OrderRecord {
  orderid: string
  timestamp: string
  symbol: string
  exchange: string
  action: string
  product: string
  pricetype: string
  quantity: number
  filled_quantity: number
  pending_quantity: number
  /** The limit price, in rupees; 0 for an order at the market. */
  price: number
  trigger_price: number
  /** The average price of the fills, in rupees; 0 without a fill. */
  average_price: number
  order_status: string
  rejection_reason: string
  /** The request of what was refused before it became an order; absent of an order. */
  request_id?: string
  /** The units that the market sees; absent where it sees all. */
  disclosed_quantity?: number
  /** The multiplier of the contract; absent where it is 1. */
  contract_value?: number
  mode: Mode
}

export interface TradeRecord {
  orderid: string
  timestamp: string
  symbol: string
  exchange: string
  action: string
  product: string
  quantity: number
  average_price: number
  trade_value: number
  mode: Mode
}

export interface PositionRecord {
  symbol: string
  exchange: string
  product: string
  /** Negative for a short position. */
  quantity: number
  average_price: number
  ltp: number
  pnl: number
  /**
   * What the open quantity has gained, in percent of its average price; null for a closed position, and without a price. The
   * `pnl` also has what the day has realised, of which no cost is left to compare it with.
   */
  pnlpercent: number | null
  /** The multiplier of the contract; absent where it is 1. */
  contract_value?: number
  /** Why the contract cannot be traded: its size is not settled, so the quantity is the count of the broker. */
  warning?: string
  mode: Mode
}

export interface HoldingRecord {
  symbol: string
  exchange: string
  product: string
  quantity: number
  average_price: number
  ltp: number
  current_value: number
  pnl: number
  pnlpercent: number
  mode: Mode
}

export interface FundRecord {
  availablecash: number
  utiliseddebits: number
  collateral: number
  m2mrealized: number
  m2munrealized: number
  /** Realised and unrealised P&L together. */
  totalpnl: number
  mode: Mode
}

type Row<T> = T extends readonly (infer R)[] ? R : never

const modeOf = (answer: { mode?: string | undefined }): Mode =>
  answer.mode === 'analyze' ? 'analyze' : 'live'

export function orderRecords(answer: AnswerOf<'orderbook'>): OrderRecord[] {
  return answer.data.orders.map((row) => orderRecord(row, modeOf(answer)))
}

export function orderRecord(row: Row<AnswerOf<'orderbook'>['data']['orders']>, mode: Mode): OrderRecord {
  return orderRecordOf(row, {
    timestamp: isoTime(row.timestamp),
    pending_quantity: row.pending_quantity,
    price: isAtMarket(row.pricetype) ? 0 : row.price,
    mode,
  })
}

/** Returns what was refused before it became an order, as rejected orders without an id. */
export function refusedRecords({ data, mode }: AnswerOf<'refusedorders'>): OrderRecord[] {
  return data.map((row) => ({
    orderid: '',
    timestamp: indianTime(row.timestamp),
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    product: row.product,
    pricetype: row.pricetype,
    quantity: row.quantity,
    filled_quantity: 0,
    pending_quantity: 0,
    price: isAtMarket(row.pricetype) ? 0 : row.price,
    trigger_price: row.trigger_price,
    average_price: 0,
    order_status: 'rejected',
    rejection_reason: row.reason,
    request_id: row.request_id,
    mode,
  }))
}

/** Returns the orders of a page of the history. */
export function pastOrderRecords({ data, mode }: RouteAnswer<'GET /orders/history'>): OrderRecord[] {
  return data.map((row) =>
    orderRecordOf(row, {
      timestamp: indianTime(row.timestamp),
      pending_quantity: isWaiting(row.order_status) ? row.quantity - row.filled_quantity : 0,
      price: row.price,
      mode,
    }),
  )
}

/**
 * Returns whether orders of a type have no limit price. Their price is 0 in a record: the sandbox sends the price of
 * the fill in the place of it.
 */
export function isAtMarket(priceType: string | undefined): boolean {
  return priceType === 'MARKET' || priceType === 'SL-M'
}

type OrderRow = Omit<OrderRecord, keyof OwnOrderFields | 'contract_value' | 'disclosed_quantity'> &
  Pick<Sized, 'contract_value'> & { disclosed_quantity?: number | undefined }
type OwnOrderFields = Pick<OrderRecord, 'timestamp' | 'pending_quantity' | 'price' | 'mode'>

function orderRecordOf(row: OrderRow, own: OwnOrderFields): OrderRecord {
  return {
    orderid: row.orderid,
    timestamp: own.timestamp,
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    product: row.product,
    pricetype: row.pricetype,
    quantity: row.quantity,
    filled_quantity: row.filled_quantity,
    pending_quantity: own.pending_quantity,
    price: own.price,
    trigger_price: row.trigger_price,
    average_price: row.average_price,
    order_status: row.order_status,
    rejection_reason: row.rejection_reason,
    ...(row.disclosed_quantity !== undefined && { disclosed_quantity: row.disclosed_quantity }),
    ...sizeOf(row),
    mode: own.mode,
  }
}

const sizeOf = ({ contract_value }: { contract_value?: number | undefined }) =>
  contract_value === undefined ? {} : { contract_value }

const isWaiting = (status: string): boolean => status === 'open' || status === 'trigger pending'

/** Returns the trades of a page of the history: in Live mode one for each order, with its total. */
export function pastTradeRecords({ data, mode }: RouteAnswer<'GET /trades/history'>): TradeRecord[] {
  return data.map((row) =>
    tradeRecordOf(row, {
      timestamp: indianTime(row.timestamp),
      trade_value: paise(valueAt(row, row.average_price)),
      mode,
    }),
  )
}

/** @param now the current time in milliseconds since the epoch: a live trade has only a time of day */
export function tradeRecords(answer: AnswerOf<'tradebook'>, now: number): TradeRecord[] {
  const mode = modeOf(answer)
  return answer.data.map((row) =>
    tradeRecordOf(row, { timestamp: isoTime(row.timestamp, now), trade_value: row.trade_value, mode }),
  )
}

type OwnTradeFields = Pick<TradeRecord, 'timestamp' | 'trade_value' | 'mode'>

function tradeRecordOf(row: Omit<TradeRecord, keyof OwnTradeFields>, own: OwnTradeFields): TradeRecord {
  return {
    orderid: row.orderid,
    timestamp: own.timestamp,
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    product: row.product,
    quantity: row.quantity,
    average_price: row.average_price,
    trade_value: own.trade_value,
    mode: own.mode,
  }
}

/** The facts, beside the price, that the value of an order or a position depends on. */
interface Sized {
  quantity: number
  /** The multiplier of the contract; absent where it is 1. */
  contract_value?: number | undefined
}

/** Returns the value in rupees of an order or a position at a price. */
export function valueAt({ contract_value = 1, quantity }: Sized, price: number): number {
  return Math.abs(quantity) * price * contract_value
}

/** Returns the positions that a close of positions closes. The daemon decides by the same rule: sold shares stay sold. */
export function closablePositions(rows: readonly PositionRecord[]): PositionRecord[] {
  return rows.filter(({ product, quantity }) =>
    product === 'CNC' || product === 'MTF' ? quantity > 0 : quantity !== 0,
  )
}

export function positionRecords(answer: AnswerOf<'positionbook'>): PositionRecord[] {
  const mode: Mode = 'mode' in answer ? 'analyze' : 'live'
  return answer.data.map((row) => ({
    symbol: row.symbol,
    exchange: row.exchange,
    product: row.product,
    quantity: row.quantity,
    average_price: row.average_price,
    ltp: row.ltp,
    pnl: row.pnl,
    pnlpercent: gainPercent(row),
    ...sizeOf(row),
    ...('warning' in row && row.warning !== undefined && { warning: row.warning }),
    mode,
  }))
}

/** Returns what an open quantity has gained in percent of its average price; null for none, and without a price. */
export function gainPercent({ average_price, ltp, quantity }: Priced): number | null {
  if (quantity === 0 || average_price === 0 || ltp === 0) return null
  return paise(Math.sign(quantity) * (ltp / average_price - 1) * 100)
}

type Priced = Pick<PositionRecord, 'average_price' | 'ltp' | 'quantity'>

export function holdingRecords(answer: AnswerOf<'holdings'>): HoldingRecord[] {
  const mode = modeOf(answer)
  return answer.data.holdings.map((row) => ({
    symbol: row.symbol,
    exchange: row.exchange,
    product: row.product,
    quantity: row.quantity,
    average_price: row.average_price,
    ltp: row.ltp,
    current_value: row.current_value ?? paise(row.ltp * row.quantity),
    pnl: row.pnl,
    pnlpercent: row.pnlpercent,
    mode,
  }))
}

export function fundRecord(answer: AnswerOf<'funds'>): FundRecord {
  const { data } = answer
  const [realized, unrealized] = [Number(data.m2mrealized), Number(data.m2munrealized)]
  return {
    availablecash: Number(data.availablecash),
    utiliseddebits: Number(data.utiliseddebits),
    collateral: Number(data.collateral),
    m2mrealized: realized,
    m2munrealized: unrealized,
    totalpnl: 'totalpnl' in data ? data.totalpnl : paise(realized + unrealized),
    mode: 'mode' in answer ? 'analyze' : 'live',
  }
}

/** Returns an instant as ISO 8601 with the zone of India. */
function indianTime(instant: string): string {
  return `${new Date(Date.parse(instant) + ZONE_MS).toISOString().slice(0, 19)}${ZONE}`
}

/** Rounds rupees to paise. */
const paise = (rupees: number): number => Math.round(rupees * 100) / 100

const ZONE = '+05:30'
const ZONE_MS = 5.5 * 3_600_000
/** The largest expected difference between the clocks of daemon and client. */
const CLOCKS_DIFFER_MS = 60_000

/**
 * Returns a time of the API as ISO 8601 with its zone. A time of day without a date is its last occurrence
 * before `now`.
 */
function isoTime(text: string, now = 0): string {
  if (!/^\d{2}:\d{2}:\d{2}$/.test(text)) return text === '' ? '' : `${text.replace(' ', 'T')}${ZONE}`
  const day = (ms: number) => new Date(ms + ZONE_MS).toISOString().slice(0, 10)
  const today = `${day(now)}T${text}${ZONE}`
  return Date.parse(today) > now + CLOCKS_DIFFER_MS ? `${day(now - 86_400_000)}T${text}${ZONE}` : today
}

/** Returns the ids of the orders in the results of a close: one, or one for each piece. */
export function closingOrders(results: readonly object[] = []): string[] {
  return results.flatMap((row) => {
    const pieces: unknown = Reflect.get(row, 'split_results')
    return (Array.isArray(pieces) ? pieces : [row]).flatMap((order: { orderid?: unknown }) =>
      typeof order.orderid === 'string' ? order.orderid : [],
    )
  })
}
