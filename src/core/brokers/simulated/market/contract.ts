import { expiryToDate, splitSymbol, unsettledContract } from '../../../instruments/index.js'
import { EXCHANGES, INDEX_EXCHANGES, type Instrument } from '../../../instruments/schema.js'
import { type SymbolRef, symbolKey } from '../../../market/schema.js'
import { decimalsOf } from '../../../money/index.js'
import type { MarketSessions } from './market-sessions.js'
import { hashText, unit } from './noise.js'
import { type Underlying, type UnderlyingOf, underlyingOrGuess } from './references.js'

export type ContractKind = 'index' | 'cash' | 'future' | 'option'

/** The properties of an instrument that the exchange uses to price and match it. */
export interface Contract {
  key: string
  symbol: string
  exchange: string
  kind: ContractKind
  /** The price process it follows. */
  underlying: Underlying
  /** First second at which it no longer trades; undefined if it does not expire. */
  expiresAt: number | undefined
  right: 'CE' | 'PE'
  strike: number
  tick: number
  /** 10 to the power of the tick's decimals. */
  scale: number
  lot: number
  /** Value of one unit at a price of 1 (crypto contracts); 1 for all others. */
  multiplier: number
  /** Why it must not be traded, if its contract size is not settled. */
  unsettled: string | undefined
  /** Seed of its own randomness: volume, open interest, depth. */
  seed: number
  /** Average lots traded per minute, and average open interest in lots; 0 if there are none. */
  lotsPerMinute: number
  lotsOpen: number
}

const OPTION_TYPES: ReadonlySet<string> = new Set(['CE', 'PE'])
const FUTURE_TYPES: ReadonlySet<string> = new Set(['FUT', 'PERPFUT'])
const DEFAULT_TICK = 0.05
/**
 * Lots per minute of the least traded contract of each kind; the most traded one has twenty times as many.
 */
const LOTS_PER_MINUTE: Readonly<Record<ContractKind, number>> = {
  index: 0,
  cash: 500,
  future: 20,
  option: 20,
}

/** The parts of a market that its contracts depend on. */
export interface ContractRules {
  seed: number
  underlyingOf: UnderlyingOf
  sessions: Pick<MarketSessions, 'expiryOn'>
}

export function contractOf(
  instrument: Instrument,
  { seed, underlyingOf, sessions }: ContractRules,
): Contract {
  const kind = kindOf(instrument)
  const key = symbolKey(instrument)
  const expiresAt = expirySecond(instrument, sessions)
  const tick = instrument.tickSize > 0 ? instrument.tickSize : DEFAULT_TICK
  const ownSeed = hashText(`${seed}:${key}`)
  return {
    key,
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    kind,
    underlying: underlyingOrGuess(underlyingOf, instrument),
    expiresAt,
    right: instrument.instrumentType === 'PE' ? 'PE' : 'CE',
    strike: instrument.strike,
    tick,
    scale: 10 ** decimalsOf(tick),
    lot: instrument.lotSize > 0 ? instrument.lotSize : 1,
    multiplier: instrument.contractValue ?? 1,
    unsettled: unsettledContract(instrument),
    seed: ownSeed,
    lotsPerMinute: LOTS_PER_MINUTE[kind] * 20 ** unit(ownSeed, 21),
    lotsOpen: expiresAt === undefined ? 0 : 200 * 50 ** unit(ownSeed, 11),
  }
}

function kindOf(instrument: Instrument): ContractKind {
  if (INDEX_EXCHANGES.has(instrument.exchange)) return 'index'
  if (OPTION_TYPES.has(instrument.instrumentType)) return 'option'
  return FUTURE_TYPES.has(instrument.instrumentType) ? 'future' : 'cash'
}

/** Returns the second at which trading ends: the close of the exchange on the expiry day. */
function expirySecond(
  { expiry, exchange }: Instrument,
  sessions: ContractRules['sessions'],
): number | undefined {
  const date = expiryToDate(expiry)
  return date === undefined ? undefined : sessions.expiryOn(exchange, date)
}

/**
 * Builds a dated contract from its symbol alone, for positions in contracts that are no longer in the master.
 */
export function contractOfSymbol(ref: SymbolRef, rules: ContractRules): Contract | undefined {
  const parts = splitSymbol(ref.symbol)
  const exchange = EXCHANGES.find((known) => known === ref.exchange)
  if (!parts?.type || !exchange) return undefined
  return contractOf(
    {
      symbol: ref.symbol,
      brokerSymbol: ref.symbol,
      name: parts.base,
      exchange,
      brokerExchange: exchange,
      token: '',
      expiry: parts.expiry,
      strike: parts.strike ?? 0,
      lotSize: 1,
      instrumentType: parts.type,
      tickSize: DEFAULT_TICK,
    },
    rules,
  )
}

/** Rounds to the nearest multiple of the tick, at least one tick, as the shortest decimal. */
export function roundToTick(value: number, contract: Pick<Contract, 'tick' | 'scale'>): number {
  return ticksToPrice(Math.max(1, Math.round(value / contract.tick)), contract)
}

export function ticksToPrice(ticks: number, { tick, scale }: Pick<Contract, 'tick' | 'scale'>): number {
  return Math.round(ticks * tick * scale) / scale
}
