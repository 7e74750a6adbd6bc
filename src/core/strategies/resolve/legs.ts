import { messageOf } from '../../errors/index.js'
import { expiryToDate, longExpiry } from '../../instruments/index.js'
import type { SymbolRef } from '../../market/index.js'
import { expiryInstant, quotedUnderlying } from '../../options/index.js'
import { istDate, istInstant, MINUTE_MS } from '../../time/index.js'
import { isCashExchange } from '../config/canonical.js'
import type { BatchLeg, SignalLeg, StrategyConfig } from '../config/schema.js'
import type { ResolverFailure, StrategyProduct } from '../config/vocabulary.js'
import { eventOf } from '../engine/texts.js'
import type { RunEvent, RunLeg, RunRisk } from '../engine/types.js'
import { batchContract, chosenContract, type LegContract, signalContract, underlyingOf } from './contract.js'
import { ResolveError } from './failure.js'
import type { ListedContracts } from './listed.js'

/** The sources of a resolution. The price is asked for at most once. */
export interface ResolveSources extends ListedContracts {
  quote(ref: SymbolRef): Promise<{ ltp: number }>
}

export interface ResolvedLegs {
  legs: RunLeg[]
  /** The expiry of each leg by its id, `DD-MON-YY`. */
  expiries: Record<string, string>
  /** The legs whose expiry rank is not listed. */
  events: RunEvent[]
}

export interface ResolveFailure {
  /** Null if the failure concerns the underlying. */
  legId: number | null
  code: ResolverFailure
  message: string
}

/** A leg that expires today is squared off this long before its contract ends. */
const SQUARE_OFF_BEFORE_MS = 10 * MINUTE_MS

/** Resolves the contracts of all legs, or returns the first failure. Never throws. */
export async function resolveLegs(
  config: StrategyConfig,
  sources: ResolveSources,
  now: number,
): Promise<ResolvedLegs | { failure: ResolveFailure }> {
  try {
    const ref = neededPrice(config, sources, now)
    const ltp = ref === null ? null : await quoteOf(ref, sources)
    return legsAt(config, sources, ltp, now)
  } catch (error) {
    return failureOf(null, error)
  }
}

/**
 * Resolves the contracts of all legs at a price of the underlying, or returns the first failure. Never throws.
 * @param ltp the price of {@link neededPrice}; null if no leg needs one
 */
export function legsAt(
  config: StrategyConfig,
  listed: ListedContracts,
  ltp: number | null,
  now: number,
): ResolvedLegs | { failure: ResolveFailure } {
  let legId: number | null = null
  try {
    const resolved: ResolvedLegs = { legs: [], expiries: {}, events: [] }
    for (const [leg, contractOf] of contracts(config, listed, now, ltp)) {
      legId = leg.id
      const contract = contractOf()
      resolved.legs.push(runLeg(leg, contract, config.product, listed))
      if (contract.expiry !== null) resolved.expiries[leg.id] = contract.expiry
      if (contract.isFallback) resolved.events.push(fallbackEvent(leg, contract))
    }
    return resolved
  } catch (error) {
    return failureOf(legId, error)
  }
}

function failureOf(legId: number | null, error: unknown): { failure: ResolveFailure } {
  const code = error instanceof ResolveError ? error.code : 'resolver_error'
  return { failure: { legId, code, message: messageOf(error) } }
}

/**
 * Returns the instrument whose price the strikes of a strategy depend on. Null if none does.
 * @throws ResolveError
 */
export function neededPrice(config: StrategyConfig, listed: ListedContracts, now: number): SymbolRef | null {
  if (config.strategy_kind !== 'batch') return null
  const isNeeded = config.legs.some(
    ({ id, segment, strike_mode }) =>
      segment === 'options' && strike_mode !== 'strike' && listed.chosen?.has(id) !== true,
  )
  if (!isNeeded) return null
  const { base } = underlyingOf(config.underlying, config.underlying_exchange)
  return quotable(base, config.underlying_exchange, listed, now)
}

/** Returns the limits of a run. */
export function runRisk(config: StrategyConfig): RunRisk {
  const { lock_profit: lock } = config
  return {
    overallStop: config.overall_sl_mtm,
    overallTarget: config.overall_target_mtm,
    dailyLossLimit: config.daily_loss_limit_inr,
    trailToEntry: config.trail_sl_to_entry,
    lockProfit: lock && {
      mode: lock.mode,
      ifProfitReaches: lock.if_profit_reaches,
      lockProfit: lock.lock_profit,
      trailStep: lock.trail_step,
    },
  }
}

/** Returns the moment of today at which an intraday run is squared off. */
export function exitMoment({ strategy_type, exit_time }: StrategyConfig, now: number): number | null {
  return strategy_type === 'intraday' && exit_time !== null ? istInstant(istDate(now), exit_time) : null
}

/** Returns the product of an order: shares are carried as CNC, contracts as NRML. */
export function orderProduct(product: StrategyProduct, exchange: string): string {
  if (product === 'MIS') return 'MIS'
  return isCashExchange(exchange) ? 'CNC' : 'NRML'
}

function contracts(
  config: StrategyConfig,
  listed: ListedContracts,
  now: number,
  ltp: number | null,
): [BatchLeg | SignalLeg, () => LegContract][] {
  const { catalog, chosen } = listed
  if (config.strategy_kind === 'signal')
    return config.legs.map((leg) => [leg, () => signalContract(leg, catalog)])
  const underlying = underlyingOf(config.underlying, config.underlying_exchange)
  return config.legs.map((leg) => {
    const ref = chosen?.get(leg.id)
    return [
      leg,
      () => (ref ? chosenContract(leg, ref, catalog) : batchContract(leg, underlying, listed, now, ltp)),
    ]
  })
}

async function quoteOf(ref: SymbolRef, { quote }: ResolveSources): Promise<number> {
  const { ltp } = await quote(ref).catch((error: unknown) => {
    throw new ResolveError('quote_failed', `No quote of ${ref.symbol}: ${messageOf(error)}`)
  })
  if (Number.isFinite(ltp) && ltp > 0) return ltp
  throw new ResolveError('no_ltp', `No price of ${ref.symbol} is known`)
}

function quotable(
  base: string,
  exchange: string,
  { almanac, catalog }: ListedContracts,
  now: number,
): SymbolRef {
  try {
    return quotedUnderlying(base, exchange, { catalog, calendar: almanac }, now)
  } catch (error) {
    throw new ResolveError('no_underlying_contract', messageOf(error))
  }
}

function runLeg(
  leg: BatchLeg | SignalLeg,
  { symbol, exchange, quantity, expiry }: LegContract,
  product: StrategyProduct,
  { almanac }: ListedContracts,
): RunLeg {
  return {
    id: leg.id,
    symbol,
    exchange,
    position: 'position' in leg ? leg.position : null,
    quantity,
    product: orderProduct(product, exchange),
    risk: { unit: leg.risk_unit, stop: leg.sl_pts, target: leg.target_pts, trail: leg.trail },
    reentry: 'reentry' in leg ? leg.reentry : null,
    squareOffAt: expiry === null ? null : squareOffMoment(expiry, exchange, almanac),
  }
}

/** Returns when a position in a contract must be closed: before the contract ends and its exchange closes. */
function squareOffMoment(
  expiry: string,
  exchange: string,
  almanac: ListedContracts['almanac'],
): number | null {
  const date = expiryToDate(expiry)
  const end = expiryInstant({ expiry, exchange }, almanac)
  if (date === undefined || end === undefined) return null
  const close = almanac.sessionOf(exchange, date)?.close ?? end
  return Math.min(end, close) - SQUARE_OFF_BEFORE_MS
}

function fallbackEvent(leg: BatchLeg | SignalLeg, { expiry }: LegContract): RunEvent {
  const used = longExpiry(expiry ?? '')
  const message = `Leg ${leg.id} asked for the ${leg.expiry} expiry; the chain lists only ${used}, which was used`
  return eventOf('leg_expiry_fallback', message, { legId: leg.id, payload: { rank: leg.expiry, expiry } })
}
