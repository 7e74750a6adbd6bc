import { compactExpiry, type Instrument } from '../../instruments/index.js'
import type { Quote } from '../../market/index.js'
import {
  bySymbol,
  type ExpiryRequest,
  impliedForward,
  type PricedLadder,
  pricedLadder,
} from '../locate-options.js'
import type { OptionSources } from '../ports.js'
import { analyse, rounded, roundedGreeks } from '../pricing/analytics.js'
import type { OptionType } from '../pricing/black76.js'
import { expiryInstant, timeLeft } from '../pricing/cut-off.js'
import { ChainMemory } from './chain-memory.js'
import { offsetLabel, type Rung, strikesWithin } from './ladder.js'

export interface ChainRequest extends ExpiryRequest {
  /** Number of strikes on each side of the money; undefined means all. */
  strikeCount?: number | undefined
  withGreeks: boolean
  /** Percent per year. */
  interestRate: number
}

/** One side of a strike, with the field names of the public API. */
interface ChainLeg {
  symbol: string
  label: string
  ltp: number
  bid: number
  ask: number
  bid_qty: number
  ask_qty: number
  open: number
  high: number
  low: number
  prev_close: number
  volume: number
  oi: number
  lotsize: number
  tick_size: number
  implied_volatility?: number
  delta?: number
  gamma?: number
  theta?: number
  vega?: number
}

/** The response body of the option chain endpoint (docs/api.md). */
export interface OptionChain {
  status: 'success'
  underlying: string
  underlying_symbol: string
  underlying_exchange: string
  underlying_ltp: number
  underlying_prev_close: number
  expiry_date: string
  /** Epoch seconds at which the contracts expire. */
  expiry_ts: number | null
  server_ts: number
  atm_strike: number
  quotes_included: true
  greeks_included: boolean
  forward_price: number | null
  chain: { strike: number; ce: ChainLeg | null; pe: ChainLeg | null }[]
}

/** The pricing inputs that all options of one expiry share. */
interface Pricing {
  forward: number
  rate: number
  years: number
  /** The last volatility found, in fractions per year: that of the next option is close. */
  near: number | undefined
}

/**
 * Returns the strikes around the money with their quotes, and with Greeks on request. A leg without a quote
 * has zeros and no Greeks.
 * @param memory gives the same object again while nothing has changed
 * @throws ServiceError as {@link pricedLadder}, and when the whole quote request fails
 */
export async function optionChain(
  sources: OptionSources,
  request: ChainRequest,
  memory = new ChainMemory<OptionChain>(),
): Promise<OptionChain> {
  const priced = await pricedLadder(sources, request)
  const { atm, ladder, quote: underlying } = priced
  const count = request.strikeCount ?? ladder.length
  const from = Math.max(0, atm - count)
  const { shown, contracts } = strikesWithin(ladder, from, atm + count + 1)
  const quotes = await sources.market.quotes(contracts)
  const now = sources.clock.now()
  const facts = { second: Math.floor(now / 1000), ladder, underlying, quotes }
  const key = JSON.stringify(request)
  const known = memory.find(key, facts)
  if (known) return known
  const chain = chainOf(sources, request, { ...priced, from, shown, quotes: bySymbol(quotes), now })
  memory.keep(key, facts, chain)
  return chain
}

interface QuotedLadder extends PricedLadder {
  /** Index of the first shown strike in the ladder. */
  from: number
  shown: readonly Rung[]
  quotes: ReadonlyMap<string, Quote>
  now: number
}

function chainOf(
  { calendar }: OptionSources,
  request: ChainRequest,
  { series, ref, quote, atm, rung, from, shown, quotes, now }: QuotedLadder,
): OptionChain {
  const expiresAt = expiryInstant({ expiry: series.expiry, exchange: series.venue }, calendar)
  const forward = request.withGreeks ? rounded(impliedForward(rung, quotes) ?? quote.ltp, 4) : null
  const left = expiresAt === undefined ? undefined : timeLeft(expiresAt, now)
  const pricing =
    forward !== null && forward > 0 && left
      ? { forward, rate: request.interestRate / 100, years: left.years, near: undefined }
      : undefined
  const leg = (contract: Instrument | undefined, type: OptionType, steps: number) =>
    contract ? legOf(contract, type, offsetLabel(steps, type), quotes.get(contract.symbol), pricing) : null
  return {
    status: 'success',
    underlying: series.base,
    underlying_symbol: ref.symbol,
    underlying_exchange: ref.exchange,
    underlying_ltp: quote.ltp,
    underlying_prev_close: quote.prevClose,
    expiry_date: compactExpiry(series.expiry),
    expiry_ts: expiresAt === undefined ? null : expiresAt / 1000,
    server_ts: Math.floor(now / 1000),
    atm_strike: rung.strike,
    quotes_included: true,
    greeks_included: request.withGreeks,
    forward_price: forward,
    chain: shown.map(({ strike, CE, PE }, place) => {
      const steps = from + place - atm
      return { strike, ce: leg(CE, 'CE', steps), pe: leg(PE, 'PE', steps) }
    }),
  }
}

function legOf(
  contract: Instrument,
  type: OptionType,
  label: string,
  quote: Quote | undefined,
  pricing: Pricing | undefined,
): ChainLeg {
  return {
    symbol: contract.symbol,
    label,
    ltp: quote?.ltp ?? 0,
    bid: quote?.bid ?? 0,
    ask: quote?.ask ?? 0,
    bid_qty: quote?.bidSize ?? 0,
    ask_qty: quote?.askSize ?? 0,
    open: quote?.open ?? 0,
    high: quote?.high ?? 0,
    low: quote?.low ?? 0,
    prev_close: quote?.prevClose ?? 0,
    volume: quote?.volume ?? 0,
    oi: quote?.oi ?? 0,
    lotsize: contract.lotSize,
    tick_size: contract.tickSize,
    ...(pricing && quote && quote.ltp > 0 && greekFields(contract.strike, type, quote.ltp, pricing)),
  }
}

function greekFields(strike: number, type: OptionType, ltp: number, pricing: Pricing) {
  const { forward, rate, years, near } = pricing
  const found = analyse({ type, strike, forward, rate, years }, ltp, near)
  if (found.impliedVolatility > 0) pricing.near = found.impliedVolatility / 100
  const { rho: _, ...shown } = roundedGreeks(found.greeks)
  return { implied_volatility: rounded(found.impliedVolatility, 2), ...shown }
}
