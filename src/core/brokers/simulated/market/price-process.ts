import type { MinutePath, PathSource } from './minute-path.js'
import { hash, hashText, pick, unit, ValueNoise } from './noise.js'
import type { Underlying } from './references.js'

/**
 * Time scales of the fractal in seconds: from one minute to about two months, each four times the previous
 * one.
 */
const SCALES = Array.from({ length: 9 }, (_, octave) => 60 * 4 ** octave)
const DAY_SECONDS = 86_400
/**
 * Calibrates the standard deviation of a day's log return to the underlying's volatility. Measured; see the
 * test.
 */
const CALIBRATION = 0.98
/** The distance of a minute's high and low from its open and close, in standard deviations of a minute. */
const WICK = 0.6

/**
 * The price of one underlying as a pure function of (seed, underlying, time): value noise on the logarithm of
 * the price over several time scales. The amplitudes grow with the square root of the scale, like those of a
 * random walk. The longest scale limits the distance from the base price, so listed strikes stay around the
 * money.
 */
export class PriceProcess implements PathSource {
  readonly #seed: number
  readonly #base: number
  readonly #octaves: readonly { noise: ValueNoise; scale: number; amplitude: number }[]
  readonly #minuteDeviation: number

  constructor(seed: number, underlying: Underlying) {
    this.#seed = hash(seed, hashText(underlying.key))
    this.#base = underlying.basePrice
    // The process also runs at weekends, so a year has 365 of its days.
    const volatility = underlying.volatility / Math.sqrt(365)
    this.#octaves = SCALES.map((scale, octave) => ({
      noise: new ValueNoise(this.#seed, octave),
      scale,
      amplitude: CALIBRATION * volatility * Math.sqrt(scale / DAY_SECONDS),
    }))
    this.#minuteDeviation = volatility * Math.sqrt(60 / DAY_SECONDS)
  }

  path(minute: number): MinutePath {
    const open = this.#at(minute * 60)
    const close = this.#at(minute * 60 + 59)
    const reach = open * this.#minuteDeviation * WICK
    const first = 1 + pick(this.#seed, minute, 101, 29)
    const second = 30 + pick(this.#seed, minute, 102, 29)
    // A rising minute usually dips first; a falling one rises first.
    const highFirst = unit(this.#seed, minute, 103) < (close < open ? 0.75 : 0.25)
    return {
      minute,
      open,
      close,
      high: Math.max(open, close) + reach * unit(this.#seed, minute, 104),
      low: Math.min(open, close) - reach * unit(this.#seed, minute, 105),
      highSecond: highFirst ? first : second,
      lowSecond: highFirst ? second : first,
      seed: this.#seed,
      volume: undefined,
      traded: true,
    }
  }

  #at(second: number): number {
    let log = 0
    for (const { noise, scale, amplitude } of this.#octaves) log += amplitude * noise.at(second / scale)
    return this.#base * Math.exp(log)
  }
}
