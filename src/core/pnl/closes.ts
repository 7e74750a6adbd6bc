import { ServiceError } from '../errors/index.js'
import { CallPacer, type Candle, daysBefore, type SymbolRef, symbolKey } from '../market/index.js'
import { type Money, toMoney } from '../money/index.js'
import { type Clock, istDate, MINUTE_MS, SECOND_MS } from '../time/index.js'
import { LONGEST_BREAK_DAYS, type MinuteCloses } from './schema.js'
import { SharedAnswers } from './shared-answers.js'

/** The calls for bars that the tracker makes: two a second, for all users together. */
const CALLS = [{ count: 2, perMs: SECOND_MS }]
/** Two accounts of several hundred positions may wait together. */
const MAX_WAITING = 1000
/** The time after which the bars of a day that has not ended are read again. */
const FRESH_MS = MINUTE_MS
/** The time after the close of a market at which its last bar is certainly there. */
const SETTLED_MS = 5 * MINUTE_MS
/** The number of instruments in memory. A day of one instrument takes about 20 kB. */
const MAX_INSTRUMENTS = 2000

/** The bars and closes of the connected broker. */
export interface BarSource {
  /** The id of the broker: each has bars of its own. */
  broker(): string
  /** Returns the bars of the IST dates `from` to `to`, both inclusive. */
  history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<readonly Candle[]>
  /** Returns the previous session's close of each symbol with one call; 0 where the broker has none. */
  previousCloses(refs: readonly SymbolRef[]): Promise<readonly number[]>
  /** Returns when an exchange closes on a date; undefined if it does not trade, or never closes. */
  closesAt(exchange: string, date: string): number | undefined
}

/**
 * Reads the closes of bars from the broker, at a pace that all users share, and keeps them in memory for all
 * of them: for good once the market of the day has closed, for a minute before that.
 */
export class Closes {
  readonly #clock: Clock
  readonly #source: BarSource
  readonly #pacer: CallPacer
  readonly #minutes: SharedAnswers<MinuteCloses>
  readonly #previous: SharedAnswers<Money | undefined>

  constructor(clock: Clock, source: BarSource) {
    this.#clock = clock
    this.#source = source
    this.#pacer = new CallPacer(clock, MAX_WAITING)
    this.#minutes = new SharedAnswers(clock, MAX_INSTRUMENTS)
    this.#previous = new SharedAnswers(clock, MAX_INSTRUMENTS)
  }

  /**
   * Returns the closes of the minutes from a date until now. An instrument that the broker does not know has
   * none. @throws ServiceError if the broker does not answer
   */
  minutes(ref: SymbolRef, date: string): Promise<MinuteCloses> {
    const readAt = this.#clock.now()
    const to = istDate(readAt)
    const closesAt = this.#source.closesAt(ref.exchange, date)
    const isFinal = date === to && closesAt !== undefined && readAt >= closesAt + SETTLED_MS
    return this.#minutes.get(
      this.#key(ref, `${date} ${to}`),
      async () => closesOf(await this.#bars(ref, '1m', { from: date, to })),
      () => (isFinal ? Number.POSITIVE_INFINITY : this.#clock.monotonic() + FRESH_MS),
    )
  }

  /**
   * Returns the close of the session before a date for each symbol; undefined where the broker has none. Quotes
   * have it if the date is the current one, daily bars have it otherwise.
   * @throws ServiceError if the broker does not answer
   */
  previous(
    refs: readonly SymbolRef[],
    { date, isCurrent }: { date: string; isCurrent: boolean },
  ): Promise<(Money | undefined)[]> {
    const missing = refs.filter((ref) => !this.#previous.has(this.#key(ref, date)))
    const quoted =
      isCurrent && missing.length > 0
        ? this.#source.previousCloses(missing).catch(() => [])
        : Promise.resolve([])
    const read = async (ref: SymbolRef) => {
      const close = (await quoted)[missing.indexOf(ref)] ?? 0
      return close > 0 ? toMoney(close) : this.#dailyClose(ref, date)
    }
    return Promise.all(
      refs.map((ref) =>
        this.#previous.get(
          this.#key(ref, date),
          () => read(ref),
          (close) => (close === undefined ? this.#clock.monotonic() + FRESH_MS : Number.POSITIVE_INFINITY),
        ),
      ),
    )
  }

  async #dailyClose(ref: SymbolRef, date: string): Promise<Money | undefined> {
    const range = { from: daysBefore(date, LONGEST_BREAK_DAYS), to: daysBefore(date, 1) }
    const close = (await this.#bars(ref, 'D', range)).at(-1)?.close
    return close === undefined ? undefined : toMoney(close)
  }

  async #bars(
    { exchange, symbol }: SymbolRef,
    interval: string,
    range: { from: string; to: string },
  ): Promise<readonly Candle[]> {
    try {
      return await this.#pacer.run(CALLS, () =>
        this.#source.history({ symbol, exchange, interval, ...range }),
      )
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return []
      throw error
    }
  }

  #key(ref: SymbolRef, dates: string): string {
    return `${this.#source.broker()} ${symbolKey(ref)} ${dates}`
  }
}

function closesOf(bars: readonly Candle[]): MinuteCloses {
  return {
    stamps: bars.map(({ timestamp }) => timestamp * SECOND_MS),
    closes: bars.map(({ close }) => toMoney(close)),
  }
}
