import { expiryToDate } from '../../instruments/index.js'
import { expiryInstant } from '../../options/index.js'
import { addDays, DAY_MS, MINUTE_MS } from '../../time/index.js'
import type { LegLimits, RunDefinition, RunLeg } from '../engine/definition.js'
import type { ListedContracts, TradingRules } from './listed.js'

/** The calendar and the rules that the limits of legs follow from. */
export type LimitSources = TradingRules & Pick<ListedContracts, 'almanac'>

/** A leg, as far as its limits need it. */
interface LimitedLeg extends Pick<RunLeg, 'exchange' | 'expiry' | 'product' | 'symbol'> {
  isIntraday: boolean
}

/** A leg that expires today is squared off this long before its contract ends. */
const SQUARE_OFF_BEFORE_MS = 10 * MINUTE_MS
/** No exchange is closed for longer. */
const LONGEST_CLOSURE_DAYS = 10

/** Returns the limits of a leg of a run that began on a date. */
export function legLimits(leg: LimitedLeg, date: string, sources: LimitSources): LegLimits {
  const { exchange, expiry = null, isIntraday, product } = leg
  const { close, intradayEnd, largestOrder } = sources
  const expiresAt = expiry === null ? null : lastMoment(expiry, exchange, sources)
  return {
    squareOffAt: expiresAt === null ? null : expiresAt - SQUARE_OFF_BEFORE_MS,
    expiresAt,
    intradayEndsAt: product === 'MIS' ? (intradayEnd?.(exchange, date) ?? null) : null,
    closesAt: isIntraday ? (close?.(exchange, date) ?? null) : null,
    largestOrder: largestOrder?.(leg) ?? null,
  }
}

/**
 * Returns the limits of the legs of a run as they are now, by the id of the leg. A day that has lost its session keeps the
 * end of product MIS that it had at the start of the run.
 */
export function limitsOf(
  { date, exitAt, legs }: RunDefinition,
  sources: LimitSources,
): Map<number, LegLimits> {
  return new Map(
    legs.map((leg) => {
      const limits = legLimits({ ...leg, isIntraday: exitAt !== null }, date, sources)
      return [leg.id, { ...limits, intradayEndsAt: limits.intradayEndsAt ?? leg.intradayEndsAt ?? null }]
    }),
  )
}

/**
 * Returns the last moment at which a contract trades: its end, or the close of its exchange on that day. A contract whose last
 * day became a holiday trades for the last time in the session before.
 */
function lastMoment(expiry: string, exchange: string, { almanac, close }: LimitSources): number | null {
  const date = expiryToDate(expiry)
  const end = expiryInstant({ expiry, exchange }, almanac)
  if (date === undefined || end === undefined) return null
  const session = almanac.sessionOf(exchange, date)
  if (session) return Math.min(end, session.close)
  for (let back = 1; back <= LONGEST_CLOSURE_DAYS; back += 1) {
    const closed = close?.(exchange, addDays(date, -back))
    if (closed !== undefined) return Math.min(end - back * DAY_MS, closed)
  }
  return end
}
