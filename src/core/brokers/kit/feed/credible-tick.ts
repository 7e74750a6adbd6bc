import type { Depth, DepthLevel, Tick } from '../../../market/schema.js'

/** In rupees: thousands of times the dearest share, and more than any index or coin. */
const HIGHEST_PRICE = 1_000_000_000

/** What comes beside the last price, in words. */
const PRICES = {
  bid: 'the bid',
  ask: 'the ask',
  open: 'the open',
  high: 'the high',
  low: 'the low',
  prevClose: 'the previous close',
  averagePrice: 'the average price',
} as const satisfies Partial<Record<keyof Tick, string>>
const COUNTS = {
  bidSize: 'the quantity bid',
  askSize: 'the quantity asked',
  lastQuantity: 'the last quantity',
  totalBuyQuantity: 'the quantity of all buyers',
  totalSellQuantity: 'the quantity of all sellers',
  volume: 'the volume',
  oi: 'the open interest',
} as const satisfies Partial<Record<keyof Tick, string>>

type Price = keyof typeof PRICES
type Count = keyof typeof COUNTS
type Field = Price | Count | 'ltp' | 'timestamp' | 'depth'

/** What a tick tells, or a part of one, or a quote. */
type Told = { readonly [Name in Exclude<Field, 'depth'>]?: number | undefined } & {
  readonly depth?: Depth | undefined
}

const PRICE_FIELDS: readonly Price[] = ['bid', 'ask', 'open', 'high', 'low', 'prevClose', 'averagePrice']
const COUNT_FIELDS: readonly Count[] = [
  'bidSize',
  'askSize',
  'lastQuantity',
  'totalBuyQuantity',
  'totalSellQuantity',
  'volume',
  'oi',
]
const WORDS: Readonly<Record<Field, string>> = {
  ...PRICES,
  ...COUNTS,
  ltp: 'the price',
  timestamp: 'the time',
  depth: 'the order book',
}

/** What of a tick or a quote can be true. */
export interface Credible<T> {
  /** Undefined if the last price cannot be true. */
  value: T | undefined
  /** The first that cannot be true, in words; undefined if all of it can. */
  fault: string | undefined
}

/**
 * Returns what of a tick or a quote can be true. A broken answer of a broker is no price: one below zero, or without limit, would
 * fire stops and fill orders, so nothing of it counts. Beside a last price that can be true, only the fields that cannot are left
 * out, so that stops follow an instrument whose open interest is always broken. A price or quantity of 0 says that there is none.
 * @param now epoch milliseconds, in place of a broken time
 */
export function credible<T extends Told>(told: T, now: number): Credible<T> {
  const broken = brokenFields(told)
  const [first] = broken
  if (first === undefined) return { value: told, fault: undefined }
  const fault = WORDS[first]
  if (first === 'ltp') return { value: undefined, fault }
  const none = Object.fromEntries(broken.map((field) => [field, field === 'timestamp' ? now : 0]))
  return { value: { ...told, ...none, ...(told.depth && { depth: credibleBook(told.depth) }) }, fault }
}

/** Returns the fields of a tick, of a part of one, or of a quote that cannot be true; the last price first. */
export function brokenFields(told: Told): readonly Field[] {
  const broken: Field[] = []
  if (!isCrediblePrice(told.ltp)) broken.push('ltp')
  for (const field of PRICE_FIELDS) if (!isCrediblePrice(told[field])) broken.push(field)
  for (const field of COUNT_FIELDS) if (!isCount(told[field])) broken.push(field)
  const { depth, timestamp = 0 } = told
  if (depth && !(depth.buy.every(isLevel) && depth.sell.every(isLevel))) broken.push('depth')
  if (!Number.isFinite(timestamp)) broken.push('timestamp')
  return broken
}

/** Returns the levels before the first of each side that cannot be true: those behind it may be in any order. */
export function credibleBook({ buy, sell }: Depth): Depth {
  return { buy: levelsBefore(buy), sell: levelsBefore(sell) }
}

function levelsBefore(side: Depth['buy']): Depth['buy'] {
  const broken = side.findIndex((level) => !isLevel(level))
  return broken === -1 ? side : side.slice(0, broken)
}

/** Returns whether a price can be true; one that is absent can. */
export function isCrediblePrice(value = 0): boolean {
  return value >= 0 && value <= HIGHEST_PRICE
}

function isCount(value = 0): boolean {
  return value >= 0 && Number.isFinite(value)
}

function isLevel({ price, quantity }: DepthLevel): boolean {
  return isCrediblePrice(price) && isCount(quantity)
}
