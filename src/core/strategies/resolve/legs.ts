import { messageOf } from '../../errors/index.js'
import { longExpiry } from '../../instruments/index.js'
import type { SymbolRef } from '../../market/index.js'
import { quotedUnderlying } from '../../options/index.js'
import { istDate } from '../../time/index.js'
import { isCashExchange } from '../config/canonical.js'
import type { BatchLeg, SignalLeg, StrategyConfig } from '../config/schema.js'
import type { ResolverFailure, StrategyProduct } from '../config/vocabulary.js'
import type { LegLimits, RunLeg, RunRisk, UnusableLeg } from '../engine/definition.js'
import type { RunEvent } from '../engine/messages.js'
import { eventOf } from '../engine/texts.js'
import { batchContract, chosenContract, type LegContract, signalContract, underlyingOf } from './contract.js'
import { ResolveError } from './failure.js'
import { legLimits } from './limits.js'
import type { ListedContracts } from './listed.js'

/** The sources of a resolution. The price is asked for at most once. */
export interface ResolveSources extends ListedContracts {
  quote(ref: SymbolRef): Promise<{ ltp: number }>
}

export interface ResolvedLegs {
  legs: RunLeg[]
  /** The expiry of each leg by its id, `DD-MON-YY`. */
  expiries: Record<string, string>
  /** The legs of a signal strategy that have no contract now. The other legs trade without them. */
  unusable: UnusableLeg[]
  /** The legs whose expiry rank is not listed, and the unusable ones. */
  events: RunEvent[]
}

export interface ResolveFailure {
  /** Null if the failure concerns the underlying. */
  legId: number | null
  code: ResolverFailure
  message: string
}

interface LegFailure extends ResolveFailure {
  legId: number
}

/**
 * Resolves the contracts of all legs, or returns the first failure. A leg of a signal strategy that fails is left out, unless
 * all of them fail. Never throws.
 */
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
  const resolved: ResolvedLegs = { legs: [], expiries: {}, unusable: [], events: [] }
  const failures: LegFailure[] = []
  try {
    for (const [leg, contractOf] of contracts(config, listed, now, ltp)) {
      const failure = addLeg(resolved, leg, contractOf, config, listed, now)
      if (failure) failures.push(failure)
    }
  } catch (error) {
    return failureOf(null, error)
  }
  const [first] = failures
  if (first && (config.strategy_kind === 'batch' || resolved.legs.length === 0)) return { failure: first }
  for (const failure of failures) leaveOut(resolved, failure)
  return resolved
}

/** Adds a leg with its contract, or returns the reason it has none. */
function addLeg(
  resolved: ResolvedLegs,
  leg: BatchLeg | SignalLeg,
  contractOf: () => LegContract,
  config: StrategyConfig,
  listed: ListedContracts,
  now: number,
): LegFailure | undefined {
  try {
    const contract = contractOf()
    resolved.legs.push(runLeg(leg, contract, config, listed, istDate(now)))
    if (contract.expiry !== null) resolved.expiries[leg.id] = contract.expiry
    if (contract.isFallback) resolved.events.push(fallbackEvent(leg, contract))
    return undefined
  } catch (error) {
    return { ...failureOf(leg.id, error).failure, legId: leg.id }
  }
}

/** Lets a run begin without one of its legs. */
function leaveOut(resolved: ResolvedLegs, { legId, message: why }: LegFailure): void {
  resolved.unusable.push({ legId, why: `Leg ${legId}: ${why}` })
  const message = `Leg ${legId} takes no part in this run: ${why}`
  resolved.events.push(eventOf('leg_entry_rejected', message, { legId, payload: { reason: why } }))
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
  { product: askedProduct, strategy_type }: StrategyConfig,
  listed: ListedContracts,
  today: string,
): RunLeg {
  const product = orderProduct(askedProduct, exchange)
  const isIntraday = strategy_type === 'intraday'
  const limits = legLimits({ symbol, exchange, expiry, product, isIntraday }, today, listed)
  refuseFrozen(leg, { symbol, exchange }, quantity, limits)
  return {
    id: leg.id,
    symbol,
    exchange,
    position: 'position' in leg ? leg.position : null,
    quantity,
    product,
    risk: { unit: leg.risk_unit, stop: leg.sl_pts, target: leg.target_pts, trail: leg.trail },
    reentry: 'reentry' in leg ? leg.reentry : null,
    expiry,
    contractValue: listed.catalog.find(symbol, exchange)?.contractValue ?? 1,
    ...limits,
  }
}

/** An entry is one order, so the exchange must take it whole. @throws ResolveError `invalid_lots` */
function refuseFrozen(
  { id }: BatchLeg | SignalLeg,
  { exchange, symbol }: SymbolRef,
  quantity: number,
  { largestOrder }: LegLimits,
): void {
  if (largestOrder == null || quantity <= largestOrder) return
  const text = `Leg ${id}: an entry of ${quantity} ${symbol} is above the freeze quantity: ${exchange} takes at most ${largestOrder} in one order. Use a smaller leg, or several`
  throw new ResolveError('invalid_lots', text)
}

function fallbackEvent(leg: BatchLeg | SignalLeg, { expiry }: LegContract): RunEvent {
  const used = longExpiry(expiry ?? '')
  const message = `Leg ${leg.id} asked for the ${leg.expiry} expiry; the chain lists only ${used}, which was used`
  return eventOf('leg_expiry_fallback', message, { legId: leg.id, payload: { rank: leg.expiry, expiry } })
}
