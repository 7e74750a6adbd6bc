import {
  futureSymbol,
  type Instrument,
  type InstrumentCatalog,
  optionSymbol,
} from '../../instruments/index.js'
import type { SymbolRef } from '../../market/index.js'
import {
  atTheMoney,
  namedUnderlying,
  optionsVenue,
  quotedUnderlying,
  stepsOf,
  strikeLadder,
} from '../../options/index.js'
import { isCashExchange } from '../config/canonical.js'
import type { BatchLeg, SignalLeg } from '../config/schema.js'
import { ATM_OFFSETS } from '../config/vocabulary.js'
import { type PickedExpiry, pickExpiry, tradedExpiries } from './expiry.js'
import { ResolveError } from './failure.js'
import type { ListedContracts } from './listed.js'

/** The underlying of a batch strategy. */
export interface Underlying {
  /** The root: `NIFTY`. */
  base: string
  /** As the configuration names it. */
  exchange: string
  /** The exchange of its options and futures. */
  venue: string
}

/** The contract of one leg. */
export interface LegContract {
  symbol: string
  exchange: string
  /** Units of an entry. */
  quantity: number
  /** `DD-MON-YY`. Null for shares. */
  expiry: string | null
  isFallback: boolean
}

/** @throws ResolveError `invalid_underlying` */
export function underlyingOf(name: string, exchange: string): Underlying {
  const { base } = namedUnderlying(name, exchange)
  if (base === '') throw new ResolveError('invalid_underlying', 'The strategy has no underlying')
  return { base, exchange, venue: optionsVenue(base, exchange) }
}

/**
 * Returns the contract of a batch leg.
 * @param ltp the underlying's price: null if no leg needs it
 * @throws ResolveError
 */
export function batchContract(
  leg: BatchLeg,
  underlying: Underlying,
  listed: ListedContracts,
  now: number,
  ltp: number | null,
): LegContract {
  if (!Number.isInteger(leg.lots) || leg.lots < 1) {
    throw new ResolveError('invalid_lots', 'The number of lots is not a whole number')
  }
  if (leg.segment === 'cash') return cashContract(leg, underlying, listed, now)
  const { catalog } = listed
  const { base, venue } = underlying
  const kind = leg.segment === 'options' ? 'options' : 'futures'
  if (catalog.underlyings(venue).length === 0) {
    throw new ResolveError('expiry_lookup_failed', `No contracts of ${venue} are loaded`)
  }
  const picked = pickExpiry(tradedExpiries(listed, venue, base, kind, now), leg.expiry ?? '')
  const contract =
    kind === 'options'
      ? optionContract(leg, underlying, picked, catalog, ltp)
      : found(catalog, futureSymbol(base, picked.expiry), venue)
  const quantity = unitsOf(leg.lots, contract)
  return { symbol: contract.symbol, exchange: venue, quantity, ...picked }
}

/** Returns a contract that somebody chose for a batch leg. @throws ResolveError */
export function chosenContract(
  { lots, segment }: BatchLeg,
  { exchange, symbol }: SymbolRef,
  catalog: InstrumentCatalog,
): LegContract {
  const contract = found(catalog, symbol, exchange)
  const quantity = segment === 'cash' ? lots : unitsOf(lots, contract)
  return { symbol, exchange, quantity, expiry: contract.expiry || null, isFallback: false }
}

/**
 * Returns the contract of a signal leg. On an exchange without any listed contract the symbol is taken as it is.
 * @throws ResolveError
 */
export function signalContract(leg: SignalLeg, catalog: InstrumentCatalog): LegContract {
  const { symbol, exchange, qty } = leg
  const contract = catalog.find(symbol, exchange)
  if (!contract && (catalog.countByExchange()[exchange] ?? 0) > 0) {
    throw new ResolveError('contract_not_found', `${symbol} is not a contract on ${exchange}`)
  }
  if (leg.qty_mode !== 'lots')
    return { symbol, exchange, quantity: qty, expiry: contract?.expiry || null, isFallback: false }
  if (!contract) throw new ResolveError('invalid_lotsize', `No lot size is known for ${symbol}`)
  return {
    symbol,
    exchange,
    quantity: unitsOf(qty, contract),
    expiry: contract.expiry || null,
    isFallback: false,
  }
}

function cashContract(
  leg: BatchLeg,
  { base, exchange }: Underlying,
  { almanac, catalog }: ListedContracts,
  now: number,
): LegContract {
  const home = quotedUnderlying(base, exchange, { catalog, calendar: almanac }, now).exchange
  if (!isCashExchange(home)) {
    throw new ResolveError('invalid_underlying_exchange', `${base} has no shares on ${home}`)
  }
  const { symbol } = found(catalog, base, home)
  return { symbol, exchange: home, quantity: leg.lots, expiry: null, isFallback: false }
}

function optionContract(
  leg: BatchLeg,
  { base, venue }: Underlying,
  { expiry }: PickedExpiry,
  catalog: InstrumentCatalog,
  ltp: number | null,
): Instrument {
  const type = leg.option_type
  if (type === null) throw new ResolveError('invalid_leg', 'The option type is missing')
  if (leg.strike_mode === 'strike') {
    if (leg.strike === null || !(leg.strike > 0)) {
      throw new ResolveError('invalid_strike', 'The strike is missing')
    }
    return found(catalog, optionSymbol(base, expiry, leg.strike, type), venue)
  }
  const offset = leg.atm_offset ?? 'ATM'
  if (!ATM_OFFSETS.includes(offset)) throw new ResolveError('invalid_offset', `${offset} is no strike offset`)
  if (ltp === null) throw new ResolveError('no_ltp', `No price of ${base} is known`)
  const contracts = strikeLadder(catalog, base, venue, expiry).flatMap((rung) => rung[type] ?? [])
  if (contracts.length === 0)
    throw new ResolveError('no_strikes', `No ${type} strikes of ${base} are listed for ${expiry}`)
  const atm = atTheMoney(contracts, ltp)
  if (atm < 0) throw new ResolveError('no_atm_strike', `No strike of ${base} is nearest to ${ltp}`)
  const contract = contracts[atm + stepsOf(offset, type)]
  if (contract) return contract
  throw new ResolveError('offset_out_of_range', `${offset} is beyond the listed strikes of ${base}`)
}

function found(catalog: InstrumentCatalog, symbol: string, exchange: string): Instrument {
  const contract = catalog.find(symbol, exchange)
  if (contract) return contract
  throw new ResolveError('contract_not_found', `${symbol} is not a contract on ${exchange}`)
}

function unitsOf(lots: number, { symbol, lotSize }: Instrument): number {
  if (!Number.isInteger(lotSize) || lotSize < 1) {
    throw new ResolveError('invalid_lotsize', `No lot size is known for ${symbol}`)
  }
  return lots * lotSize
}
