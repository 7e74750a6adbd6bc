import type { FreezeQuantity } from '../../../instruments/index.js'
import { COMMODITIES } from './listed/commodities.js'
import { CURRENCY_FREEZE, CURRENCY_PAIRS } from './listed/currencies.js'
import { FNO_STOCKS } from './listed/fno-stocks.js'
import { INDEX_DERIVATIVES } from './listed/indices.js'

/** The largest order quantities of the exchanges, for a fresh installation. */
export const FREEZE_QUANTITIES: readonly FreezeQuantity[] = [
  ...INDEX_DERIVATIVES.map(({ exchange, symbol, freezeQuantity }) => ({ exchange, symbol, freezeQuantity })),
  ...FNO_STOCKS.map(([symbol, , , , , freezeQuantity]) => ({ exchange: 'NFO', symbol, freezeQuantity })),
  ...COMMODITIES.map(({ symbol, freezeQuantity }) => ({ exchange: 'MCX', symbol, freezeQuantity })),
  ...CURRENCY_PAIRS.map(({ symbol }) => ({ exchange: 'CDS', symbol, freezeQuantity: CURRENCY_FREEZE })),
]

/** Price bands. Each has an inclusive upper limit and the value for prices within it. */
type Bands = readonly (readonly [upTo: number, value: number])[]

const EQUITY_TICKS: Bands = [
  [250, 0.01],
  [1000, 0.05],
  [5000, 0.1],
  [10000, 0.5],
  [20000, 1],
  [Number.POSITIVE_INFINITY, 5],
]

const STOCK_STRIKE_STEPS: Bands = [
  [25, 0.5],
  [100, 1],
  [250, 2.5],
  [500, 5],
  [1000, 10],
  [2500, 20],
  [5000, 50],
  [10000, 100],
  [25000, 200],
  [Number.POSITIVE_INFINITY, 500],
]

function inBand(bands: Bands, price: number): number {
  return bands.find(([upTo]) => price <= upTo)?.[1] ?? 0
}

/** Returns the tick size of a share and its futures at a price. */
export const equityTick = (price: number): number => inBand(EQUITY_TICKS, price)

/** Returns the strike step of a share's options at a price. */
export const stockStrikeStep = (price: number): number => inBand(STOCK_STRIKE_STEPS, price)

/**
 * Returns the strikes around a price, ascending: `perSide` on each side of the nearest one, none at or below
 * zero.
 */
export function strikesAround(price: number, step: number, perSide: number): number[] {
  const first = firstStrike(price, step, perSide)
  return Array.from({ length: strikeCount(price, step, perSide) }, (_, index) => (first + index) * step)
}

/** Returns the number of strikes of {@link strikesAround}. */
export function strikeCount(price: number, step: number, perSide: number): number {
  return Math.round(price / step) + perSide - firstStrike(price, step, perSide) + 1
}

/** Returns the lowest strike, in steps. */
function firstStrike(price: number, step: number, perSide: number): number {
  return Math.max(1, Math.round(price / step) - perSide)
}
