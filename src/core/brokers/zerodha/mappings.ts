import type { StreamMode } from '../../market/schema.js'
import type { OrderProduct, OrderStatus, PriceType } from '../../orders/schema.js'

/**
 * Our order status by Kite's. A status that is not listed counts as `open`, because the order is still in
 * progress.
 */
export const STATUS_BY_KITE: Readonly<Record<string, OrderStatus>> = {
  COMPLETE: 'complete',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  'TRIGGER PENDING': 'trigger pending',
  OPEN: 'open',
  UPDATE: 'open',
  'PUT ORDER REQ RECEIVED': 'open',
  'VALIDATION PENDING': 'open',
  'OPEN PENDING': 'open',
  'MODIFY VALIDATION PENDING': 'open',
  'MODIFY PENDING': 'open',
  'CANCEL PENDING': 'open',
  'AMO REQ RECEIVED': 'open',
}

/**
 * Kite's name of each product that orders can have; rows carry Kite's own product, which has the same names. Cover and
 * bracket orders have two legs, so no single order closes them.
 */
export const PRODUCT_TO_KITE: Readonly<Partial<Record<OrderProduct, string>>> = {
  CNC: 'CNC',
  NRML: 'NRML',
  MIS: 'MIS',
  MTF: 'MTF',
}

export const PRICE_TYPE_BY_KITE: Readonly<Record<string, PriceType>> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  SL: 'SL',
  'SL-M': 'SL-M',
}

/** `market_protection` of a market order: the exchange's own band. */
export const AUTOMATIC_PROTECTION = -1

/** The type that was asked for, by the type that a protected order shows while it rests. */
export const PRICE_TYPE_OF_PROTECTED: Readonly<Partial<Record<PriceType, PriceType>>> = {
  LIMIT: 'MARKET',
  SL: 'SL-M',
}

/** Kite's words among the tags of an order; some are followed by a colon and a value. */
export const KITES_TAGS: ReadonlySet<string> = new Set(['mktp', 'autoslice', 'iceberg'])
export const PROTECTED_TAG = 'mktp'

/** Our bar sizes, Kite's names for them, and the maximum number of days per call. */
export const INTERVALS: Readonly<Record<string, { kite: string; chunkDays: number }>> = {
  '1m': { kite: 'minute', chunkDays: 60 },
  '3m': { kite: '3minute', chunkDays: 100 },
  '5m': { kite: '5minute', chunkDays: 100 },
  '10m': { kite: '10minute', chunkDays: 100 },
  '15m': { kite: '15minute', chunkDays: 200 },
  '30m': { kite: '30minute', chunkDays: 200 },
  '1h': { kite: '60minute', chunkDays: 400 },
  D: { kite: 'day', chunkDays: 2000 },
}

export const STREAM_MODE_TO_KITE: Readonly<Record<StreamMode, 'ltp' | 'quote' | 'full'>> = {
  1: 'ltp',
  2: 'quote',
  3: 'full',
}
