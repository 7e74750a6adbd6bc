import type { Instrument } from '../../../instruments/schema.js'
import type { Depth, Tick } from '../../../market/schema.js'
import { IST_OFFSET_MS } from '../../../time/index.js'
import { tickOf } from '../../kit/feed/tick.js'
import type { TickPart } from '../../kit/feed/tick-merger.js'
import { UNITS } from '../places.js'

/** A trade lies at most so far in the future, by a clock that is wrong. */
const LARGEST_SKEW_MS = 60 * 60_000
/** A trade that is told so soon shows how its time counts. */
const FRESH_MS = 5 * 60_000
const INDEX_DECIMALS = 2
const MOST_DECIMALS = 4

/**
 * The times of trades. Dhan does not document whether its seconds count from 1970 in UTC or as if India's clock showed it. Fresh
 * trades settle that, the last one for those that follow: one that is broken must not decide for the day.
 */
export class TradeTimes {
  #isIndian = false

  /** Returns the time of a trade, of what the feed has sent; that of now for one in the future. Epoch milliseconds. */
  of(sent: number, now: number): number {
    if (Math.abs(sent - now) <= FRESH_MS) this.#isIndian = false
    else if (Math.abs(sent - IST_OFFSET_MS - now) <= FRESH_MS) this.#isIndian = true
    const latest = now + LARGEST_SKEW_MS
    const at = this.#isIndian || sent > latest ? sent - IST_OFFSET_MS : sent
    return at > latest ? now : at
  }
}

/** Converts what is known of an instrument to a tick. @param timestamp of the last trade, or of the arrival */
export function toTick(instrument: Instrument, known: TickPart & { ltp: number }, timestamp: number): Tick {
  const price = (value = 0) => onTick(value, instrument)
  const side = (levels: Depth['buy']) => levels.map((level) => ({ ...level, price: price(level.price) }))
  const { depth } = known
  const told = {
    ...known,
    ltp: price(known.ltp),
    open: price(known.open),
    high: price(known.high),
    low: price(known.low),
    prevClose: price(known.prevClose),
    averagePrice: rounded(known.averagePrice ?? 0, MOST_DECIMALS),
    depth: depth && { buy: side(depth.buy), sell: side(depth.sell) },
  }
  return tickOf(UNITS, instrument, told, timestamp)
}

/** Returns the price that a float of 32 bits stands for: the nearest on a tick. Indices have paise and no tick. */
function onTick(value: number, { instrumentType, tickSize }: Instrument): number {
  if (instrumentType === 'INDEX') return rounded(value, INDEX_DECIMALS)
  return rounded(Math.round(value / tickSize) * tickSize, MOST_DECIMALS)
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}
