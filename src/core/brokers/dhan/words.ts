import type { Exchange } from '../../instruments/schema.js'
import type { StreamMode } from '../../market/schema.js'
import type { OrderProduct, OrderStatus, PriceType } from '../../orders/schema.js'
import { reversed } from '../kit/books/mapping.js'

/* Dhan's word for each of ours, and the other way round where rows need it. */

/** The segments, by the numbers that they have in the feed. */
export const SEGMENT_OF_NUMBER: Readonly<Record<number, string>> = {
  0: 'IDX_I',
  1: 'NSE_EQ',
  2: 'NSE_FNO',
  3: 'NSE_CURRENCY',
  4: 'BSE_EQ',
  5: 'MCX_COMM',
  7: 'BSE_CURRENCY',
  8: 'BSE_FNO',
}

/** Our exchange of each segment. That of the indices has both exchanges; the master tells them apart. */
export const EXCHANGE_OF_SEGMENT: Readonly<Record<string, Exchange>> = {
  NSE_EQ: 'NSE',
  NSE_FNO: 'NFO',
  NSE_CURRENCY: 'CDS',
  BSE_EQ: 'BSE',
  BSE_FNO: 'BFO',
  BSE_CURRENCY: 'BCD',
  MCX_COMM: 'MCX',
}

export const PRODUCT: Readonly<Partial<Record<OrderProduct, string>>> = {
  CNC: 'CNC',
  NRML: 'MARGIN',
  MIS: 'INTRADAY',
  MTF: 'MTF',
}
const OURS = reversed(PRODUCT)

/** Returns our product of a row, or Dhan's own word: cover and bracket orders are only shown. */
export function productOf(word: string): string {
  return Object.hasOwn(OURS, word) ? (OURS[word] ?? word) : word
}

/** Dhan's name of each price type. It refuses a stop without a limit, so SL-M has one, beyond its trigger. */
export const ORDER_TYPE: Readonly<Record<PriceType, string>> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  SL: 'STOP_LOSS',
  'SL-M': 'STOP_LOSS',
}

export const PRICE_TYPE: Readonly<Record<string, PriceType>> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  STOP_LOSS: 'SL',
  STOP_LOSS_MARKET: 'SL-M',
}

/** A stop that waits is `PENDING` too: see `statusOf`. */
export const STATUS: Readonly<Record<string, OrderStatus>> = {
  TRANSIT: 'open',
  PENDING: 'open',
  PART_TRADED: 'open',
  TRADED: 'complete',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
}

/** Our bar sizes and Dhan's; a day's bars have a call of their own. */
export const INTERVALS: Readonly<Record<string, { minutes: string | undefined; chunkDays: number }>> = {
  '1m': { minutes: '1', chunkDays: 90 },
  '5m': { minutes: '5', chunkDays: 90 },
  '15m': { minutes: '15', chunkDays: 90 },
  '1h': { minutes: '60', chunkDays: 90 },
  D: { minutes: undefined, chunkDays: 2000 },
}

/** The codes of a subscription and of its end. */
export const REQUEST_CODE: Readonly<Record<StreamMode, { on: number; off: number }>> = {
  1: { on: 15, off: 16 },
  2: { on: 17, off: 18 },
  3: { on: 21, off: 22 },
}
