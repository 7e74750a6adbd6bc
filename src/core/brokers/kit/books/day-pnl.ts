import { type Quote, type SymbolRef, symbolKey } from '../../../market/schema.js'
import { isDeliverySale } from '../../../orders/schema.js'
import type { BrokerMarket, BrokerPosition, CallRank } from '../../broker.js'
import { quotesIfAny } from '../market/quotes-if-any.js'
import type { PreviousCloses } from './previous-closes.js'

/** A position whose broker sends no profit of the day. Quantities are in units, values in rupees. */
export interface DayTurnover extends Omit<BrokerPosition, 'dayPnl'> {
  /** The signed quantity that was open when the day began. */
  carried: number
  /** The value of everything bought today, and of everything sold. */
  bought: number
  sold: number
}

/** A position with the profit of the day as its broker counts it. */
export interface CountedPosition extends BrokerPosition {
  /** The previous close; 0 if the broker's row has none. */
  prevClose: number
}

type Market = Pick<BrokerMarket, 'quotes'>

/**
 * Returns positions with their profit of the day: what they are worth and what was sold today, less what was bought today and
 * what the carried quantity was worth at the previous close. That close and the last price come from quotes, with one request,
 * because the broker's rows have none. Without a previous close, the profit of a carried position and of a delivery sale is
 * unknown. Without quotes the last price of the row counts, as for an exit: it needs the quantities, and quotes have limits of
 * their own.
 * @throws BrokerError `auth`, if the session is refused
 */
export async function withDayPnl(
  positions: readonly DayTurnover[],
  market: Market,
  rank: CallRank = 'read',
): Promise<BrokerPosition[]> {
  const open = positions.filter(({ carried, quantity }) => carried !== 0 || quantity !== 0)
  const quoteOf = await quotesOf(open, market, rank)
  return positions.map(({ bought, carried, sold, ...position }) => {
    const { ltp, prevClose } = quoteOf.get(symbolKey(position)) ?? { ltp: position.ltp, prevClose: 0 }
    const isSale = isDeliverySale(position)
    const isKnown = prevClose > 0 || (carried === 0 && !isSale)
    const worth = position.quantity * (isSale ? prevClose : ltp)
    return { ...position, ltp, dayPnl: isKnown ? worth + sold - bought - carried * prevClose : undefined }
  })
}

/**
 * Returns positions whose broker counts delivery sales to the last price, like open shorts, with those counted to the previous
 * close. Where that is not known, only a loss counts: a profit may be one of the price after the sale.
 * @param closes tells each close that the rows lack
 * @throws BrokerError `auth`, if the session is refused
 */
export async function withSalesAtClose(
  positions: readonly CountedPosition[],
  closes: PreviousCloses,
  rank: CallRank = 'read',
): Promise<BrokerPosition[]> {
  const unmarked = positions.filter((position) => isDeliverySale(position) && position.prevClose <= 0)
  const known = unmarked.length === 0 ? undefined : await closes.of(unmarked, rank)
  return positions.map(({ prevClose: own, ...position }) => {
    const { dayPnl, ltp, quantity } = position
    if (!isDeliverySale(position) || dayPnl === undefined) return position
    const prevClose = own > 0 ? own : (known?.get(symbolKey(position)) ?? 0)
    const isKnown = prevClose > 0 && ltp > 0
    return { ...position, dayPnl: isKnown ? dayPnl + quantity * (prevClose - ltp) : Math.min(0, dayPnl) }
  })
}

/** Returns the quotes that the broker gives, by symbol. An exit asks for none. */
async function quotesOf(
  positions: readonly SymbolRef[],
  market: Market,
  rank: CallRank,
): Promise<Map<string, Quote>> {
  const isPriced = rank !== 'exit' && rank !== 'cancel'
  const quotes = isPriced && positions.length > 0 ? await quotesIfAny(market, positions) : []
  return new Map(
    positions.flatMap((position, place) => {
      const quote = quotes[place]
      return quote && 'ltp' in quote ? [[symbolKey(position), quote] as const] : []
    }),
  )
}
