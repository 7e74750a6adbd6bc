import { symbolKey } from '../../../market/schema.js'
import type { BrokerMarket, BrokerPosition, CallRank } from '../../broker.js'
import { quotesIfAny } from '../market/quotes-if-any.js'

/** A position whose broker sends no profit of the day. Quantities are in units, values in rupees. */
export interface DayTurnover extends Omit<BrokerPosition, 'dayPnl'> {
  /** The signed quantity that was open when the day began. */
  carried: number
  /** The value of everything bought today, and of everything sold. */
  bought: number
  sold: number
}

/**
 * Returns positions with their profit of the day: what they are worth and what was sold today, less what was bought today and
 * what the carried quantity was worth at the previous close. That close and the last price come from quotes, with one request,
 * because the broker's rows have none. A carried position without a previous close keeps the profit since it was opened. Without
 * quotes the last price of the row counts, as for an exit: it needs the quantities, and quotes have limits of their own.
 * @throws BrokerError `auth`, if the session is refused
 */
export async function withDayPnl(
  positions: readonly DayTurnover[],
  market: Pick<BrokerMarket, 'quotes'>,
  rank: CallRank = 'read',
): Promise<BrokerPosition[]> {
  const isPriced = rank !== 'exit' && rank !== 'cancel'
  const open = positions.filter(({ carried, quantity }) => carried !== 0 || quantity !== 0)
  const quotes = isPriced && open.length > 0 ? await quotesIfAny(market, open) : []
  const quoteOf = new Map(open.map((position, place) => [symbolKey(position), quotes[place]]))
  return positions.map(({ bought, carried, sold, ...position }) => {
    const quote = quoteOf.get(symbolKey(position))
    const { ltp, prevClose } = quote && 'ltp' in quote ? quote : { ltp: position.ltp, prevClose: 0 }
    const turnover = position.quantity * ltp + sold - bought
    const isKnown = carried === 0 || prevClose > 0
    return { ...position, ltp, dayPnl: isKnown ? turnover - carried * prevClose : position.pnl }
  })
}
