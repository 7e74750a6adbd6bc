import { CASH_EXCHANGES } from '../../instruments/index.js'
import type { StreamMode } from '../../market/schema.js'
import type { OrderProduct, OrderStatus, PriceType } from '../../orders/schema.js'
import { notSent } from '../kit/http/outcomes.js'

/** Our order status by Upstox's. One that is not listed counts as `open`, because the order may still trade. */
export const STATUS_BY_UPSTOX: Readonly<Record<string, OrderStatus>> = {
  complete: 'complete',
  rejected: 'rejected',
  cancelled: 'cancelled',
  'cancelled after market order': 'cancelled',
  'trigger pending': 'trigger pending',
  open: 'open',
  'put order req received': 'open',
  'validation pending': 'open',
  'open pending': 'open',
  'modify pending': 'open',
  'modify validation pending': 'open',
  'cancel pending': 'open',
  modified: 'open',
  'not modified': 'open',
  'not cancelled': 'open',
  'after market order req received': 'open',
  'modify after market order req received': 'open',
}

export const PRICE_TYPE_BY_UPSTOX: Readonly<Record<string, PriceType>> = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  SL: 'SL',
  'SL-M': 'SL-M',
}

const CASH: ReadonlySet<string> = new Set(CASH_EXCHANGES)

/**
 * Returns Upstox's word for a product. `D` is delivery of shares and a carried contract, so the exchange decides.
 * @throws BrokerError `unsupported`, never sent, for a product that the exchange has not
 */
export function productWord(product: OrderProduct, exchange: string): string {
  if (product === 'MIS') return 'I'
  if (product === 'MTF') return 'MTF'
  if (product === (CASH.has(exchange) ? 'CNC' : 'NRML')) return 'D'
  throw notSent('unsupported', `Upstox has no ${product} orders on ${exchange}.`)
}

/** Returns our name for the product of a row; one that is none of ours keeps Upstox's word. */
export function productOf(word: string, exchange: string): string {
  if (word === 'I') return 'MIS'
  if (word === 'D') return CASH.has(exchange) ? 'CNC' : 'NRML'
  return word
}

export interface Interval {
  unit: 'minutes' | 'hours' | 'days'
  count: number
  /** The most days of one call: a month, a quarter or a decade, whichever they are. */
  chunkDays: number
  /** The first day that Upstox has. */
  since: string
}

const SHORT = { chunkDays: 28, since: '2022-01-01' } as const
const LONG = { chunkDays: 89, since: '2022-01-01' } as const

/** Our bar sizes in Upstox's units. */
export const INTERVALS: Readonly<Record<string, Interval>> = {
  '1m': { unit: 'minutes', count: 1, ...SHORT },
  '3m': { unit: 'minutes', count: 3, ...SHORT },
  '5m': { unit: 'minutes', count: 5, ...SHORT },
  '10m': { unit: 'minutes', count: 10, ...SHORT },
  '15m': { unit: 'minutes', count: 15, ...SHORT },
  '30m': { unit: 'minutes', count: 30, ...LONG },
  '1h': { unit: 'hours', count: 1, ...LONG },
  D: { unit: 'days', count: 1, chunkDays: 3650, since: '2000-01-01' },
}

/** What the price feed sends of an instrument. */
export type WireMode = 'ltpc' | 'full'

export const WIRE_MODE: Readonly<Record<StreamMode, WireMode>> = { 1: 'ltpc', 2: 'full', 3: 'full' }
