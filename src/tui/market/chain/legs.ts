import type { Strike } from '../../../views/market/option-chain.js'
import type { Quote } from '../../live/prices/quote.js'

export type Side = 'ce' | 'pe'

/** An option that is marked in the chain. A mark sends nothing. */
export interface MarkedLeg {
  /** As `NFO:NIFTY01DEC2626000CE`. */
  symbol: string
  side: Side
  strike: number
  expiry: string
  lotsize: number
  /** Above zero to buy, below zero to sell. */
  lots: number
}

export type Legs = readonly MarkedLeg[]

/** The price at which a leg begins, and what it is of: a purchase takes the ask, a sale the bid. */
export interface Entry {
  price: number
  of: 'ask' | 'bid' | 'last'
  /** The time of the price, in milliseconds. */
  at: number
}

export const actionOf = ({ lots }: MarkedLeg) => (lots > 0 ? 'BUY' : 'SELL')

/** Returns the mark of a leg: `BUY 2`. */
export const markText = (leg: MarkedLeg): string => `${actionOf(leg)} ${Math.abs(leg.lots)}`

/** Marks an option to buy one lot, then to sell as many lots as it has, then not. */
export function marked(legs: Legs, leg: Omit<MarkedLeg, 'lots'>): Legs {
  const before = legs.find(({ symbol }) => symbol === leg.symbol)
  if (before === undefined) return [...legs, { ...leg, lots: 1 }]
  if (before.lots < 0) return legs.filter((one) => one !== before)
  return legs.map((one) => (one === before ? { ...one, lots: -one.lots } : one))
}

/** Gives a leg more lots or fewer; one lot is the least. */
export function sized(legs: Legs, symbol: string, by: number): Legs {
  return legs.map((leg) =>
    leg.symbol === symbol
      ? { ...leg, lots: Math.sign(leg.lots) * Math.max(1, Math.abs(leg.lots) + by) }
      : leg,
  )
}

/**
 * Returns the price at which a leg begins: of the book if it has one, otherwise the last; undefined without any price. A live quote
 * counts until the chain is read again; until then, a side that its book does not have is gone.
 * @param readAt the time at which the chain was read, in milliseconds
 */
export function entryOf(
  leg: MarkedLeg,
  read: Strike[Side],
  live: Quote | undefined,
  readAt: number,
): Entry | undefined {
  const of = leg.lots > 0 ? 'ask' : 'bid'
  const newer = read === null ? live : since(readAt, live)
  const bookOf = (newer?.ask ?? 0) > 0 || (newer?.bid ?? 0) > 0 ? newer : undefined
  const book = (bookOf ?? read)?.[of] ?? 0
  if (book > 0) return { price: book, of, at: bookOf?.at ?? readAt }
  const last = newer?.ltp ?? read?.ltp ?? 0
  return last > 0 ? { price: last, of: 'last', at: newer?.at ?? readAt } : undefined
}

/** Returns a live quote that is not older than what was read at a time; undefined otherwise. */
export function since(readAt: number, live: Quote | undefined): Quote | undefined {
  return live !== undefined && live.at >= readAt ? live : undefined
}
