import { ServiceError } from '../errors/index.js'
import { longExpiry } from '../instruments/index.js'
import { atTheMoney, strikeLadder } from './chain/ladder.js'
import { withPrefix } from './failures.js'
import { expiredText, type GreeksRequest, type OptionLeg, optionLeg } from './option-leg.js'
import type { OptionSources } from './ports.js'
import { analyse, NO_GREEKS, rounded, roundedGreeks } from './pricing/analytics.js'
import { type Greeks, intrinsicValue } from './pricing/black76.js'
import { QuoteSheet } from './quote-sheet.js'

const NOTES = {
  no_time_value: 'Deep ITM option with no time value - theoretical Greeks returned',
  unsolvable: 'No volatility gives this price - theoretical Greeks returned',
  expired: 'Option has expired - Greeks are no longer applicable',
} as const

/** The response body of the option Greeks endpoint (docs/api.md). */
export interface OptionGreeks {
  status: 'success'
  symbol: string
  exchange: string
  underlying: string
  strike: number
  option_type: 'CE' | 'PE'
  expiry_date: string
  days_to_expiry: number
  /** The forward price used in the calculation. */
  spot_price: number
  option_price: number
  interest_rate: number
  implied_volatility: number
  greeks: Greeks
  intrinsic_value?: number
  time_value?: number
  note?: string
}

/** The treatment of an expired option: an error, or an answer without Greeks. */
type Expired = 'refused' | 'answered'

/**
 * Returns the implied volatility and Greeks of one option.
 * @throws ServiceError `validation` if the symbol is not an option or has expired, `not_found` without a
 * price
 */
export async function optionGreeks(sources: OptionSources, request: GreeksRequest): Promise<OptionGreeks> {
  const [answer] = await evaluate(sources, [request], 'refused')
  if (!answer || answer instanceof ServiceError) throw answer
  return answer
}

/**
 * Returns the Greeks of many options, in order. An option that fails has its error; an expired one has zero
 * Greeks.
 */
export function manyOptionGreeks(
  sources: OptionSources,
  requests: readonly GreeksRequest[],
): Promise<(OptionGreeks | ServiceError)[]> {
  return evaluate(sources, requests, 'answered')
}

/**
 * Evaluates the options with two batches of quotes: one for options and underlyings, one for the at-the-money
 * pairs.
 */
async function evaluate(
  sources: OptionSources,
  requests: readonly GreeksRequest[],
  expired: Expired,
): Promise<(OptionGreeks | ServiceError)[]> {
  const now = sources.clock.now()
  const legs = requests.map((request): OptionLeg | ServiceError =>
    caught(() => {
      const leg = optionLeg(request, sources, now)
      if (!leg.left && expired === 'refused') throw new ServiceError('validation', expiredText(leg))
      return leg
    }),
  )
  const valid = legs.flatMap((leg) => (leg instanceof ServiceError ? [] : [leg]))
  const sheet = new QuoteSheet(sources.market)
  await sheet.fetch(
    valid.flatMap(({ request, underlying }) => (underlying ? [request, underlying] : [request])),
  )
  const pairs = new Map(valid.map((leg) => [leg, pairAtTheMoney(sources, sheet, leg)]))
  await sheet.fetch([...pairs.values()].flatMap((pair) => (pair ? [pair.call, pair.put] : [])))
  return legs.map((leg) =>
    leg instanceof ServiceError
      ? leg
      : caught(() => answerOf(leg, forwardOf(leg, pairs.get(leg), sheet), sheet)),
  )
}

interface Pair {
  strike: number
  call: { symbol: string; exchange: string }
  put: { symbol: string; exchange: string }
}

/** Returns the at-the-money call and put of the leg's expiry if they imply its forward. */
function pairAtTheMoney({ catalog }: OptionSources, sheet: QuoteSheet, leg: OptionLeg): Pair | undefined {
  const ltp = leg.underlying ? sheet.knownLtp(leg.underlying) : 0
  if (!leg.impliesForward || !leg.left || ltp <= 0) return undefined
  const ladder = strikeLadder(catalog, leg.base, leg.request.exchange, leg.expiry)
  const rung = ladder[atTheMoney(ladder, ltp)]
  return rung?.CE && rung.PE ? { strike: rung.strike, call: rung.CE, put: rung.PE } : undefined
}

/** @throws ServiceError if the underlying has no price */
function forwardOf(leg: OptionLeg, pair: Pair | undefined, sheet: QuoteSheet): number {
  if (leg.request.forwardPrice) return leg.request.forwardPrice
  const { underlying } = leg
  const ltp = underlying ? prefixed('Failed to fetch underlying price: ', () => sheet.ltp(underlying)) : 0
  if (ltp <= 0) throw new ServiceError('not_found', 'Underlying LTP not available')
  const call = pair ? sheet.knownLtp(pair.call) : 0
  const put = pair ? sheet.knownLtp(pair.put) : 0
  return pair && call > 0 && put > 0 ? pair.strike + call - put : ltp
}

function answerOf(leg: OptionLeg, forward: number, sheet: QuoteSheet): OptionGreeks {
  const { request, strike, type, left } = leg
  const optionPrice = left
    ? prefixed('Failed to fetch option price: ', () => sheet.ltp(request))
    : sheet.knownLtp(request)
  if (left && optionPrice <= 0) throw new ServiceError('not_found', 'Option LTP not available')
  if (!(forward > 0)) throw new ServiceError('validation', 'Spot price and option price must be positive')
  const terms = { type, forward, strike, rate: request.interestRate / 100, years: left?.years ?? 0 }
  const found = left ? analyse(terms, optionPrice) : undefined
  const reason = found ? found.theoretical : 'expired'
  const intrinsic = intrinsicValue(terms)
  return {
    status: 'success',
    symbol: request.symbol,
    exchange: request.exchange,
    underlying: leg.base,
    strike: rounded(strike, 2),
    option_type: type,
    expiry_date: longExpiry(leg.expiry),
    days_to_expiry: rounded(left?.days ?? 0, 4),
    spot_price: rounded(forward, 2),
    option_price: rounded(optionPrice, 2),
    interest_rate: request.interestRate,
    implied_volatility: rounded(found?.impliedVolatility ?? 0, 2),
    greeks: roundedGreeks(found?.greeks ?? NO_GREEKS),
    ...(reason && {
      intrinsic_value: rounded(intrinsic, 2),
      time_value: rounded(Math.max(0, optionPrice - intrinsic), 2),
      note: NOTES[reason],
    }),
  }
}

function prefixed<T>(prefix: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw withPrefix(error, prefix)
  }
}

function caught<T>(read: () => T): T | ServiceError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}
