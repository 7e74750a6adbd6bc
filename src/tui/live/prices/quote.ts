import { isObject } from '../../../client/answers/json.js'
import type { AnswerOf } from '../../../client/index.js'

/** A price level of the order book. */
export interface BookLevel {
  price: number
  quantity: number
  orders?: number
}

/** The newest prices of a symbol. A member is missing if the stream does not send it, or sends zero for none. */
export interface Quote {
  ltp: number
  open?: number
  high?: number
  low?: number
  /** The close of the day before. */
  close?: number
  volume?: number
  oi?: number
  bid?: number
  ask?: number
  /** The quantities of all orders in the book. */
  totalBuy?: number
  totalSell?: number
  /** Best prices first. */
  depth?: { buy: readonly BookLevel[]; sell: readonly BookLevel[] }
  /** The time of its arrival, in milliseconds. */
  at: number
}

type Data = Readonly<Record<string, unknown>>

/**
 * Returns the quote after a tick. A tick of the order book alone has no price; the last one stays.
 * @returns undefined as long as no price is known
 */
export function quoteAfter(before: Quote | undefined, data: Data, at: number): Quote | undefined {
  const ltp = priceIn(data, 'ltp') ?? before?.ltp
  if (ltp === undefined) return undefined
  return {
    ltp,
    at,
    ...given({ open: priceIn(data, 'open'), high: priceIn(data, 'high'), low: priceIn(data, 'low') }),
    ...given({ close: priceIn(data, 'close'), volume: numberIn(data, 'volume'), oi: numberIn(data, 'oi') }),
    ...given({ bid: priceIn(data, 'bid_price'), ask: priceIn(data, 'ask_price') }),
    ...given({ totalBuy: numberIn(data, 'totalbuyqty'), totalSell: numberIn(data, 'totalsellqty') }),
    ...given({ depth: depthIn(data.depth) }),
  }
}

/** Returns how long ago a tick came, in milliseconds. */
export function ageIn(data: Data): number {
  return Math.max(0, numberIn(data, 'age_ms') ?? 0)
}

function numberIn(data: Data, member: string): number | undefined {
  const value = data[member]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The stream sends zero for a price that there is not. */
function priceIn(data: Data, member: string): number | undefined {
  const value = numberIn(data, member)
  return value === 0 ? undefined : value
}

function depthIn(depth: unknown): Quote['depth'] {
  if (!isObject(depth)) return undefined
  return { buy: levelsIn(depth.buy), sell: levelsIn(depth.sell) }
}

function levelsIn(side: unknown): readonly BookLevel[] {
  if (!Array.isArray(side)) return []
  return side.flatMap((level: unknown) => {
    if (!isObject(level)) return []
    const [price, quantity] = [priceIn(level, 'price'), numberIn(level, 'quantity')]
    if (price === undefined || quantity === undefined) return []
    return { price, quantity, ...given({ orders: numberIn(level, 'orders') }) }
  })
}

type Given<T> = { [Member in keyof T]?: Exclude<T[Member], undefined> }

/** Returns the members with a value. */
function given<T extends object>(members: T): Given<T>
function given(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Without news for so long a price counts as old. */
const OLD_MS = 30_000

type DayPrices = Omit<AnswerOf<'quotes'>['data'], 'bid_qty' | 'ask_qty'>

/** Returns a quote as the daemon answers it, in the form of a live one. The answer says zero for none. */
export function quoteOf(answer: DayPrices, at: number): Quote {
  const { ltp, open, high, low, prev_close: close, volume, oi, bid, ask } = answer
  const members = Object.entries({ open, high, low, close, volume, oi, bid, ask })
  return { ltp, at, ...Object.fromEntries(members.filter(([, value]) => value !== 0)) }
}

/** Returns the newest prices of two sources. */
export function newest(read: Quote | undefined, live: Quote | undefined): Quote | undefined {
  if (read === undefined || live === undefined) return live ?? read
  return live.at >= read.at ? { ...read, ...live } : { ...live, ...read }
}

/** Returns whether a price may be old. */
export const isOld = ({ at }: Pick<Quote, 'at'>, now: number): boolean => now - at > OLD_MS
