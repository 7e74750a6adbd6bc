import type { Exchange, Instrument } from '../../../instruments/schema.js'
import { CASH_STOCKS } from './listed/cash-stocks.js'
import { COMMODITIES } from './listed/commodities.js'
import { COINS } from './listed/crypto.js'
import { CURRENCY_PAIRS } from './listed/currencies.js'
import { FNO_STOCKS } from './listed/fno-stocks.js'
import {
  BSE_INDICES,
  GLOBAL_INDICES,
  INDEX_DERIVATIVES,
  type IndexRow,
  MCX_INDICES,
  NSE_INDICES,
} from './listed/indices.js'

/** One price process of the simulated market. Several instruments may follow it. */
interface SimulatedUnderlying {
  /** `NSE:SBIN`, `NSE_INDEX:NIFTY`, `MCX:GOLD`, `CDS:USDINR`, `CRYPTO:BTC`. */
  key: string
  exchange: Exchange
  /** The instrument with the price itself; undefined if only contracts on it trade. */
  spotSymbol: string | undefined
  basePrice: number
  /** Per year, as a fraction. */
  volatility: number
  /** Per year, as a fraction. */
  drift: number
}

const DRIFT = { equity: 0.09, index: 0.08, commodity: 0.04, currency: 0.02, crypto: 0.1 }

function row(
  exchange: Exchange,
  symbol: string,
  basePrice: number,
  volatilityPercent: number,
  drift: number,
  spot = true,
): SimulatedUnderlying {
  return {
    key: `${exchange}:${symbol}`,
    exchange,
    spotSymbol: spot ? symbol : undefined,
    basePrice,
    volatility: volatilityPercent / 100,
    drift,
  }
}

const indices = (exchange: Exchange, rows: readonly IndexRow[]): SimulatedUnderlying[] =>
  rows.map(([symbol, , level, volatility]) => row(exchange, symbol, level, volatility, DRIFT.index))

/** Every price process, in a fixed order that simulations with a seed can rely on. */
export const UNDERLYINGS: readonly SimulatedUnderlying[] = [
  ...indices('NSE_INDEX', NSE_INDICES),
  ...indices('BSE_INDEX', BSE_INDICES),
  ...indices('MCX_INDEX', MCX_INDICES),
  ...indices('GLOBAL_INDEX', GLOBAL_INDICES),
  ...[...FNO_STOCKS, ...CASH_STOCKS].map(([symbol, , price, volatility]) =>
    row('NSE', symbol, price, volatility, DRIFT.equity),
  ),
  ...COMMODITIES.map((c) => row('MCX', c.symbol, c.basePrice, c.volatility, DRIFT.commodity, false)),
  ...CURRENCY_PAIRS.map((c) => row('CDS', c.symbol, c.basePrice, c.volatility, DRIFT.currency, false)),
  ...COINS.map((c) => row('CRYPTO', c.symbol, c.basePrice, c.volatility, DRIFT.crypto, false)),
  ...COINS.flatMap((c) =>
    c.spot ? [row('CRYPTO', `${c.symbol}INR`, c.spot.basePrice, c.volatility, DRIFT.crypto)] : [],
  ),
]

const BY_KEY = new Map(UNDERLYINGS.map((underlying) => [underlying.key, underlying]))
const INDEX_EXCHANGE = new Map(INDEX_DERIVATIVES.map((index) => [index.symbol, index.spotExchange]))

/** Returns the exchange of the price that a contract follows. */
function priceExchange(instrument: Instrument): string {
  const { exchange, name } = instrument
  if (exchange === 'NFO' || exchange === 'BFO') return INDEX_EXCHANGE.get(name) ?? 'NSE'
  return exchange === 'BSE' ? 'NSE' : exchange
}

/** Returns the price process an instrument follows; undefined if the simulated market does not know it. */
export function simulatedUnderlyingOf(instrument: Instrument): SimulatedUnderlying | undefined {
  const isSpot =
    instrument.strike === 0 && instrument.expiry === '' && instrument.instrumentType !== 'PERPFUT'
  const symbol = isSpot ? instrument.symbol : instrument.name
  return BY_KEY.get(`${priceExchange(instrument)}:${symbol}`)
}
