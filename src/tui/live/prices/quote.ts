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
  if (!isData(depth)) return undefined
  return { buy: levelsIn(depth.buy), sell: levelsIn(depth.sell) }
}

function levelsIn(side: unknown): readonly BookLevel[] {
  if (!Array.isArray(side)) return []
  return side.flatMap((level: unknown) => {
    if (!isData(level)) return []
    const [price, quantity] = [priceIn(level, 'price'), numberIn(level, 'quantity')]
    if (price === undefined || quantity === undefined) return []
    return { price, quantity, ...given({ orders: numberIn(level, 'orders') }) }
  })
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Given<T> = { [Member in keyof T]?: Exclude<T[Member], undefined> }

/** Returns the members with a value. */
function given<T extends object>(members: T): Given<T>
function given(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
