import type { Candle } from '../../../../core/market/index.js'
import { DAY_MS, IST_OFFSET_MS } from '../../../../core/time/index.js'

/** The most bytes of text that are kept: about 200 days of one-minute bars. */
const MAX_KEPT_BYTES = 6_000_000
const OFFSET_SECONDS = IST_OFFSET_MS / 1000
const DAY_SECONDS = DAY_MS / 1000
const FIELDS = 7

/** The bars of one Indian date as JSON, without the brackets, and the numbers that the text was made from. */
interface DayText {
  numbers: Float64Array
  bytes: Buffer<ArrayBuffer>
}

/**
 * The JSON of bars, day by day. A day that has the same numbers as the last time gets the same bytes again: making the
 * text of a bar takes thirty times as long as comparing its numbers. So no bar has to be known as final.
 */
export class BarTexts {
  readonly #days = new Map<string, DayText>()
  #bytes = 0

  #day(key: string, bars: readonly Candle[], from: number, to: number): Buffer<ArrayBuffer> {
    const known = this.#days.get(key)
    if (known && isSame(known.numbers, bars, from, to)) return known.bytes
    const shown = bars.slice(from, to)
    const bytes = Buffer.from(JSON.stringify(shown).slice(1, -1))
    this.#keep(key, { numbers: Float64Array.from(shown.flatMap(numbersOf)), bytes })
    return bytes
  }

  /**
   * Yields the JSON of each day, without the brackets.
   * @param series names symbol and interval
   * @param bars in ascending order
   */
  *days(series: string, bars: readonly Candle[]): Generator<Buffer<ArrayBuffer>> {
    for (let from = 0; from < bars.length; ) {
      const day = dayOf(bars[from])
      let to = from + 1
      while (to < bars.length && dayOf(bars[to]) === day) to++
      yield this.#day(`${series}:${day}`, bars, from, to)
      from = to
    }
  }

  #keep(key: string, day: DayText): void {
    this.#drop(key)
    this.#days.set(key, day)
    this.#bytes += sizeOf(day)
    for (const oldest of this.#days.keys()) {
      if (this.#bytes <= MAX_KEPT_BYTES) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const day = this.#days.get(key)
    if (!day) return
    this.#days.delete(key)
    this.#bytes -= sizeOf(day)
  }
}

const sizeOf = ({ bytes, numbers }: DayText): number => bytes.byteLength + numbers.byteLength

/** Returns the number of the Indian date on which a bar opens. */
export function dayOf(bar: Candle | undefined): number {
  return Math.floor(((bar?.timestamp ?? 0) + OFFSET_SECONDS) / DAY_SECONDS)
}

const numbersOf = ({ timestamp, open, high, low, close, volume, oi }: Candle): number[] => [
  timestamp,
  open,
  high,
  low,
  close,
  volume,
  oi,
]

function isSame(numbers: Float64Array, bars: readonly Candle[], from: number, to: number): boolean {
  if (numbers.length !== (to - from) * FIELDS) return false
  for (let place = from, at = 0; place < to; place++, at += FIELDS) {
    const bar = bars[place]
    if (
      bar?.timestamp !== numbers[at] ||
      bar?.open !== numbers[at + 1] ||
      bar?.high !== numbers[at + 2] ||
      bar?.low !== numbers[at + 3] ||
      bar?.close !== numbers[at + 4] ||
      bar?.volume !== numbers[at + 5] ||
      bar?.oi !== numbers[at + 6]
    ) {
      return false
    }
  }
  return true
}
