import type { StreamMode } from '../../market/schema.js'
import type { OrderProduct, OrderStatus, PriceType } from '../../orders/schema.js'
import type { BrokerGtt } from '../broker.js'
import { reversed } from '../kit/books/mapping.js'

/* Angel's word for each of ours, and the other way round where rows need it. */

/** MARGIN is delivery with margin funding. It is bought in Angel's own terminal, and orders from here only close it. */
export const PRODUCT: Readonly<Partial<Record<OrderProduct, string>>> = {
  CNC: 'DELIVERY',
  NRML: 'CARRYFORWARD',
  MIS: 'INTRADAY',
  MTF: 'MARGIN',
}
export const PRODUCT_OF_ANGEL = { ...reversed(PRODUCT), BO: 'BO' } as const

export type Variety = 'NORMAL' | 'STOPLOSS'

/** Angel's type of order for each price type, and the variety that it belongs to. */
export const ORDER_TYPE: Readonly<Record<PriceType, { word: string; variety: Variety }>> = {
  MARKET: { word: 'MARKET', variety: 'NORMAL' },
  LIMIT: { word: 'LIMIT', variety: 'NORMAL' },
  SL: { word: 'STOPLOSS_LIMIT', variety: 'STOPLOSS' },
  'SL-M': { word: 'STOPLOSS_MARKET', variety: 'STOPLOSS' },
}
export const PRICE_TYPE_OF_ANGEL: Readonly<Record<string, PriceType>> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  STOPLOSS_LIMIT: 'SL',
  STOPLOSS_MARKET: 'SL-M',
}

/** Our status of an order, in small letters as Angel mostly writes it. Every other is on its way, so it may still trade. */
export const STATUS_OF_ANGEL: Readonly<Record<string, OrderStatus>> = {
  complete: 'complete',
  rejected: 'rejected',
  cancelled: 'cancelled',
  'trigger pending': 'trigger pending',
  open: 'open',
  'open pending': 'open',
  'validation pending': 'open',
  'put order req received': 'open',
  modified: 'open',
  'modify pending': 'open',
  'after market order req received': 'open',
}

/** Our status of a rule. */
export const STATUS_OF_RULE: Readonly<Record<string, BrokerGtt['status']>> = {
  NEW: 'active',
  ACTIVE: 'active',
  SENTTOEXCHANGE: 'triggered',
  CANCELLED: 'cancelled',
}
/** The statuses that a list of rules is asked for, to get all of them. */
export const RULE_STATUSES = ['NEW', 'ACTIVE', 'SENTTOEXCHANGE', 'FORALL', 'CANCELLED'] as const

/** Angel's word for each interval, and the most days of one call. */
export const INTERVALS: Readonly<Record<string, { word: string; chunkDays: number }>> = {
  '1m': { word: 'ONE_MINUTE', chunkDays: 30 },
  '3m': { word: 'THREE_MINUTE', chunkDays: 60 },
  '5m': { word: 'FIVE_MINUTE', chunkDays: 100 },
  '10m': { word: 'TEN_MINUTE', chunkDays: 100 },
  '15m': { word: 'FIFTEEN_MINUTE', chunkDays: 200 },
  '30m': { word: 'THIRTY_MINUTE', chunkDays: 200 },
  '1h': { word: 'ONE_HOUR', chunkDays: 400 },
  D: { word: 'ONE_DAY', chunkDays: 2000 },
}

/** The number of each exchange in the feed. */
export const FEED_EXCHANGE: Readonly<Record<string, number>> = {
  NSE: 1,
  NFO: 2,
  BSE: 3,
  BFO: 4,
  MCX: 5,
  CDS: 13,
}

/** The mode of the feed for each of ours: last price, quote, quote with the best five. */
export const FEED_MODE: Readonly<Record<StreamMode, number>> = { 1: 1, 2: 2, 3: 3 }
