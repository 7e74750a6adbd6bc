import type { Instrument } from '../../../instruments/schema.js'
import type { Depth, Tick } from '../../../market/schema.js'
import { IST_OFFSET_MS } from '../../../time/index.js'
import type { TickPart } from '../../kit/feed/tick-merger.js'
import { UNITS } from '../places.js'

/** A trade lies at most so far in the future, by a clock that is wrong. */
const LARGEST_SKEW_MS = 60 * 60_000
const INDEX_DECIMALS = 2
const MOST_DECIMALS = 4

/**
 * The times of trades. Dhan does not document whether its seconds count from 1970 in UTC or as if India's clock showed it. The
 * first trade that would lie hours in the future settles that, for all that follow.
 */
export class TradeTimes {
  #isIndian = false

  /** Returns the time of a trade, of what the feed has sent. Epoch milliseconds. */
  of(sent: number, now: number): number {
    if (sent > now + LARGEST_SKEW_MS) this.#isIndian = true
    return this.#isIndian ? sent - IST_OFFSET_MS : sent
  }
}

/** Converts what is known of an instrument to a tick. @param timestamp of the last trade, or of the arrival */
export function toTick(instrument: Instrument, known: TickPart & { ltp: number }, timestamp: number): Tick {
  const units = (count = 0) => UNITS.unitsOf(instrument, count)
  const price = (value = 0) => onTick(value, instrument)
  const depth = known.depth && pricedDepth(known.depth, instrument)
  const [bid, ask] = [depth?.buy[0], depth?.sell[0]]
  return {
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    ltp: price(known.ltp),
    bid: bid?.price ?? 0,
    ask: ask?.price ?? 0,
    bidSize: bid?.quantity ?? 0,
    askSize: ask?.quantity ?? 0,
    open: price(known.open),
    high: price(known.high),
    low: price(known.low),
    prevClose: price(known.prevClose),
    volume: units(known.volume),
    oi: units(known.oi),
    timestamp,
    lastQuantity: units(known.lastQuantity),
    averagePrice: rounded(known.averagePrice ?? 0, MOST_DECIMALS),
    totalBuyQuantity: units(known.totalBuyQuantity),
    totalSellQuantity: units(known.totalSellQuantity),
    ...(depth && { depth }),
  }
}

function pricedDepth(depth: Depth, instrument: Instrument): Depth {
  const { buy, sell } = UNITS.depthInUnits(instrument, depth)
  const side = (levels: Depth['buy']) =>
    levels.map((level) => ({ ...level, price: onTick(level.price, instrument) }))
  return { buy: side(buy), sell: side(sell) }
}

/** Returns the price that a float of 32 bits stands for: the nearest on a tick. Indices have paise and no tick. */
function onTick(value: number, { instrumentType, tickSize }: Instrument): number {
  if (instrumentType === 'INDEX') return rounded(value, INDEX_DECIMALS)
  return rounded(Math.round(value / tickSize) * tickSize, MOST_DECIMALS)
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
