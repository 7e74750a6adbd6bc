import type { Bars } from '../flows/index.js'
import { newest, rounded } from './values.js'

/** An ADX below this means that there is no trend. */
const TRENDING = 20
const OVERBOUGHT = 70
const OVERSOLD = 30

export type Direction = 'up' | 'down' | 'sideways' | 'unknown'

/**
 * Returns where the price goes. It goes up when the close is above its average of 50 bars, +DI above -DI, and the
 * ADX at least 20; down when both are the other way round.
 */
export function trendOf(bars: Bars) {
  const close = rounded(bars.close.at(-1))
  const [sma20 = null] = newest(bars, 'sma', { period: 20 })
  const [sma50 = null] = newest(bars, 'sma', { period: 50 })
  const [ema20 = null] = newest(bars, 'ema', { period: 20 })
  const [plusDi = null, minusDi = null, adx = null] = newest(bars, 'adx', { period: 14 })
  const facts = {
    close,
    sma_20: sma20,
    sma_50: sma50,
    ema_20: ema20,
    plus_di: plusDi,
    minus_di: minusDi,
    adx,
  }
  return { direction: directionOf({ close, sma50, plusDi, minusDi, adx }), ...facts }
}

function directionOf(
  facts: Readonly<Record<'close' | 'sma50' | 'plusDi' | 'minusDi' | 'adx', number | null>>,
): Direction {
  const { adx, close, minusDi, plusDi, sma50 } = facts
  if (adx === null || close === null || minusDi === null || plusDi === null || sma50 === null)
    return 'unknown'
  if (adx < TRENDING) return 'sideways'
  if (close > sma50 && plusDi > minusDi) return 'up'
  return close < sma50 && plusDi < minusDi ? 'down' : 'sideways'
}

/** Returns how fast the price moves: RSI, MACD, stochastic and rate of change. */
export function momentumOf(bars: Bars) {
  const [rsi = null] = newest(bars, 'rsi', { period: 14 })
  const [macd = null, signal = null, histogram = null] = newest(bars, 'macd')
  const [k = null, d = null] = newest(bars, 'stochastic')
  const [roc = null] = newest(bars, 'roc', { length: 10 })
  return {
    zone: zoneOf(rsi),
    close: rounded(bars.close.at(-1)),
    rsi,
    macd,
    macd_signal: signal,
    macd_histogram: histogram,
    stochastic_k: k,
    stochastic_d: d,
    roc_10: roc,
  }
}

function zoneOf(rsi: number | null): 'overbought' | 'oversold' | 'neutral' | 'unknown' {
  if (rsi === null) return 'unknown'
  if (rsi >= OVERBOUGHT) return 'overbought'
  return rsi <= OVERSOLD ? 'oversold' : 'neutral'
}

/** Returns how far the price swings: average true range, Bollinger Bands and the spread of returns per bar. */
export function volatilityOf(bars: Bars) {
  const [atr = null] = newest(bars, 'atr', { period: 14 })
  const [natr = null] = newest(bars, 'natr', { period: 14 })
  const [upper = null, middle = null, lower = null] = newest(bars, 'bbands')
  const returns = returnsOf(bars.close).slice(-20)
  return {
    close: rounded(bars.close.at(-1)),
    atr,
    atr_percent: natr,
    bollinger_upper: upper,
    bollinger_middle: middle,
    bollinger_lower: lower,
    return_deviation_percent_20: returns.length < 20 ? null : rounded(Math.sqrt(varianceOf(returns)) * 100),
  }
}

/** Returns the change of each bar as a fraction of the bar before. */
export function returnsOf(close: readonly number[]): number[] {
  return close.slice(1).map((now, at) => now / (close[at] ?? Number.NaN) - 1)
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Returns the variance of a sample. */
export function varianceOf(values: readonly number[]): number {
  return covarianceOf(values, values)
}

/** Returns the covariance of two samples of the same length. */
export function covarianceOf(one: readonly number[], other: readonly number[]): number {
  const [meanOne, meanOther] = [meanOf(one), meanOf(other)]
  const products = one.map((value, at) => (value - meanOne) * ((other[at] ?? Number.NaN) - meanOther))
  return products.reduce((sum, value) => sum + value, 0) / (one.length - 1)
}
