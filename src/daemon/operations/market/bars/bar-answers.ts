import type { Candle } from '../../../../core/market/index.js'
import { mapInTurns, nextTurn, type Pace } from '../../../../core/time/index.js'
import { type JsonPieces, withJson } from '../../../http/response/ready-bytes.js'
import { BarTexts, dayOf } from './bar-texts.js'

/** The most bytes of whole answers that are kept, besides the texts of days: about 25 answers of five days. */
const MAX_KEPT_BYTES = 3_000_000
/** A longer answer is sent day by day: copying it whole takes a turn of the event loop of its own. */
const MAX_WHOLE_BYTES = 1_000_000

export interface BarAnswer {
  readonly status: 'success'
  readonly data: readonly Candle[]
}

interface Kept {
  days: readonly Buffer<ArrayBuffer>[]
  bytes: number
  answer: BarAnswer
}

/**
 * Answers with bars, together with their JSON. The same bars get the same answer again, so that neither its bytes nor its
 * text for the log are made twice. A frozen list of bars is known by itself; in any other list, numbers are compared.
 */
export class BarAnswers {
  readonly #texts = new BarTexts()
  readonly #ofFrozen = new WeakMap<readonly Candle[], BarAnswer>()
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  /**
   * @param series names symbol and interval
   * @param bars in ascending order
   */
  of(series: string, bars: readonly Candle[]): BarAnswer {
    return this.#ofFrozen.get(bars) ?? this.#ofDays(series, bars, [...this.#texts.days(series, bars)])
  }

  /** As {@link of} for a long list: lets others go first between its days. */
  async inTurns(series: string, bars: readonly Candle[], pace: Pace): Promise<BarAnswer> {
    const known = this.#ofFrozen.get(bars)
    if (known) return known
    const days = await mapInTurns(this.#texts.days(series, bars), pace, (day) => day)
    await nextTurn()
    return this.#ofDays(series, bars, days)
  }

  #ofDays(series: string, bars: readonly Candle[], days: readonly Buffer<ArrayBuffer>[]): BarAnswer {
    const answer = this.#ofTexts(series, bars, days)
    if (Object.isFrozen(bars)) this.#ofFrozen.set(bars, answer)
    return answer
  }

  #ofTexts(series: string, bars: readonly Candle[], days: readonly Buffer<ArrayBuffer>[]): BarAnswer {
    const key = `${series}:${dayOf(bars[0])}:${dayOf(bars.at(-1))}`
    const known = this.#kept.get(key)
    // Days with the same numbers have the same object as text.
    if (known && isSame(known.days, days)) return known.answer
    const bytes = days.reduce((sum, day) => sum + day.byteLength, 0)
    const answer = withJson(Object.freeze({ status: 'success' as const, data: bars }), jsonOf(days, bytes))
    this.#keep(key, { days, bytes, answer })
    return answer
  }

  #keep(key: string, kept: Kept): void {
    this.#drop(key)
    if (kept.bytes > MAX_KEPT_BYTES) return
    this.#kept.set(key, kept)
    this.#bytes += kept.bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_KEPT_BYTES) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}

const HEAD = Buffer.from('{"status":"success","data":[')
const COMMA = Buffer.from(',')
const TAIL = Buffer.from(']}')

function jsonOf(days: readonly Buffer<ArrayBuffer>[], bytes: number): JsonPieces {
  const pieces: JsonPieces = [
    HEAD,
    ...days.flatMap((day, place) => (place === 0 ? [day] : [COMMA, day])),
    TAIL,
  ]
  return bytes > MAX_WHOLE_BYTES ? pieces : [Buffer.concat(pieces)]
}

function isSame(a: readonly Buffer<ArrayBuffer>[], b: readonly Buffer<ArrayBuffer>[]): boolean {
  return a.length === b.length && a.every((day, place) => day === b[place])
}
