import type { Candle } from '../../../market/schema.js'
import { BrokerError } from '../../broker.js'
import type { Contract } from './contract.js'
import { type MarketSession, type MarketSessions, startOfDay } from './market-sessions.js'
import { LAST_SECOND } from './minute-path.js'
import type { Pricer } from './pricer.js'

/** Minutes of each interval; `D` is one bar per session. */
const MINUTES = { '1m': 1, '3m': 3, '5m': 5, '10m': 10, '15m': 15, '30m': 30, '1h': 60 } as const
type IntradayInterval = keyof typeof MINUTES
export const INTERVALS: readonly string[] = [...Object.keys(MINUTES), 'D']

const MAX_INTRADAY_SESSIONS = 100
const MAX_DAILY_SESSIONS = 1500
/** The number of cached finished sessions, as one-minute bars and as daily bars. */
const MAX_KEPT_SESSIONS = 48
const MAX_KEPT_DAYS = 8192
/** The number of cached finished sessions whose minutes are joined to bars of a longer interval. */
const MAX_KEPT_JOINED = 192
/** The number of cached lists of finished sessions, and the most bars of one. An answer of 75 bytes a bar may live with each. */
const MAX_KEPT_RANGES = 16
const MAX_BARS_OF_RANGE = 4000

/** Bars of sessions that have all ended, and the second at which the last of them did. */
interface FinishedRange {
  bars: readonly Candle[]
  endedAt: number
}

/** The bars of the minutes of a running session that have ended. */
interface EndedMinutes {
  contract: Contract
  bars: Candle[]
  /** The second at which the last of them ended. */
  endedAt: number
}

/**
 * Bars of the past, computed from the same minutes as the ticks. Finished sessions and the finished minutes of
 * running ones are cached.
 */
export class History {
  readonly #pricer: Pricer
  readonly #sessions: MarketSessions
  readonly #minutes = new BoundedCache<Candle[]>(MAX_KEPT_SESSIONS)
  readonly #joined = new BoundedCache<readonly Candle[]>(MAX_KEPT_JOINED)
  readonly #running = new BoundedCache<EndedMinutes>(MAX_KEPT_SESSIONS)
  readonly #days = new BoundedCache<Candle | undefined>(MAX_KEPT_DAYS)
  /** One-minute bars of ranges in which every session is finished. */
  readonly #ranges = new BoundedCache<FinishedRange>(MAX_KEPT_RANGES)

  constructor(pricer: Pricer, sessions: MarketSessions) {
    this.#pricer = pricer
    this.#sessions = sessions
  }

  /**
   * Returns the bars of the IST dates `from` to `to` (both inclusive) up to the second `now`, ascending. The
   * last bar may be incomplete. Intraday bars are aligned to the session's opening; a daily bar has the
   * timestamp of IST midnight. One-minute bars of finished sessions are a frozen list, the same one each time.
   * @throws BrokerError validation for an unknown interval, or dates that are malformed or too far apart
   */
  bars(contract: Contract, interval: string, from: string, to: string, now: number): readonly Candle[] {
    const steps = this.steps(contract, interval, from, to, now)
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
  }

  /** Computes {@link bars} session by session, and yields the minutes of each, so that a caller can pause. */
  *steps(
    contract: Contract,
    interval: string,
    from: string,
    to: string,
    now: number,
  ): Generator<number, readonly Candle[]> {
    const range = `${contract.key}|${interval}|${from}|${to}`
    const known = this.#ranges.find(range)
    if (known && known.endedAt <= now + 1) return known.bars
    const daily = interval === 'D'
    if (!daily && !isIntraday(interval)) throw invalid(`Interval must be one of: ${INTERVALS.join(', ')}`)
    const limit = daily ? MAX_DAILY_SESSIONS : MAX_INTRADAY_SESSIONS
    const sessions = this.#checkedSessions(contract, from, to, limit)
    const end = Math.min(now + 1, contract.expiresAt ?? Number.POSITIVE_INFINITY)
    const bars: Candle[] = []
    for (const session of sessions) {
      if (session.open >= end) break
      if (daily) {
        const bar = this.#day(contract, session, end)
        if (bar) bars.push(bar)
      } else {
        bars.push(...this.#intraday(contract, session, end, MINUTES[interval]))
      }
      yield (Math.min(end, session.close) - session.open) / 60
    }
    const endedAt = sessions.at(-1)?.close ?? Number.POSITIVE_INFINITY
    if (interval === '1m' && endedAt <= end && bars.length <= MAX_BARS_OF_RANGE) {
      this.#ranges.keep(range, { bars: Object.freeze(bars), endedAt })
    }
    return bars
  }

  #checkedSessions(contract: Contract, from: string, to: string, limit: number): MarketSession[] {
    const [first, last] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)]
    if (Number.isNaN(first) || Number.isNaN(last)) throw invalid('Dates must be YYYY-MM-DD')
    if (first > last) throw invalid('The start date must not be after the end date')
    // Two of seven days are a weekend, so a range this long certainly has too many sessions.
    if ((last - first) / 86_400_000 > limit * 2) throw tooLong(limit)
    const sessions = this.#sessions.between(contract.exchange, from, to)
    if (sessions.length > limit) throw tooLong(limit)
    return sessions
  }

  /** Returns the bars of `minutes` of a session up to the second `end`, exclusive. */
  #intraday(contract: Contract, session: MarketSession, end: number, minutes: number): readonly Candle[] {
    if (minutes === 1) return this.#session(contract, session, end)
    const join = () => aggregate(this.#session(contract, session, end), session.open, minutes)
    if (end < session.close) return join()
    return this.#joined.get(`${contract.key}|${session.day}|${minutes}`, join)
  }

  /** Returns the one-minute bars of a session up to the second `end`, exclusive. */
  #session(contract: Contract, session: MarketSession, end: number): Candle[] {
    const key = `${contract.key}|${session.day}`
    if (end >= session.close)
      return this.#minutes.get(key, () => this.#build(contract, session.open, session.close))
    const lastMinute = end - ((end - session.open) % 60)
    return [
      ...this.#endedMinutes(key, contract, session, lastMinute),
      ...this.#build(contract, lastMinute, end),
    ]
  }

  /** Returns the bars of a running session up to the end of a minute. It builds only those that are new. */
  #endedMinutes(key: string, contract: Contract, { open }: MarketSession, end: number): readonly Candle[] {
    const kept = this.#running.find(key)
    // A new master may change the tick size; a clock that was set back needs fewer bars.
    const known =
      kept?.contract === contract && kept.endedAt <= end ? kept : { contract, bars: [], endedAt: open }
    known.bars.push(...this.#build(contract, known.endedAt, end))
    known.endedAt = end
    if (known !== kept) this.#running.keep(key, known)
    return known.bars
  }

  #day(contract: Contract, session: MarketSession, end: number): Candle | undefined {
    const build = () => this.#buildDay(contract, session, Math.min(end, session.close))
    if (end < session.close) return build()
    return this.#days.get(`${contract.key}|${session.day}`, build)
  }

  /** Returns the bars of the minutes from the second `from` to the second `end`, exclusive. */
  #build(contract: Contract, from: number, end: number): Candle[] {
    const bars: Candle[] = []
    for (let second = from; second < end; second += 60) {
      const minute = second / 60
      const bar = this.#pricer.bar(contract, minute)
      if (!bar.traded) continue
      const { traded, ...values } =
        end - second < 60 ? this.#partial(contract, minute, end - second - 1) : bar
      bars.push({ timestamp: second, ...values, oi: this.#pricer.openInterest(contract, minute) })
    }
    return bars
  }

  /** Returns the same bar as joining the one-minute bars, without building them. */
  #buildDay(contract: Contract, session: MarketSession, end: number): Candle | undefined {
    let day: Candle | undefined
    let lastTraded = session.open
    for (let second = session.open; second < end; second += 60) {
      const minute = second / 60
      const whole = this.#pricer.range(contract, minute)
      if (!whole) continue
      const last = Math.min(LAST_SECOND, end - second - 1)
      const { high, low } = last < LAST_SECOND ? this.#partial(contract, minute, last) : whole
      day ??= this.#emptyDay(contract, session, second)
      day.high = Math.max(day.high, high)
      day.low = Math.min(day.low, low)
      day.volume += this.#pricer.volumeWithin(contract, minute, last)
      lastTraded = second + last
    }
    if (!day) return undefined
    day.close = this.#pricer.price(contract, lastTraded)
    day.oi = this.#pricer.openInterest(contract, Math.floor(lastTraded / 60))
    return day
  }

  #emptyDay(contract: Contract, session: MarketSession, second: number): Candle {
    const open = this.#pricer.price(contract, second)
    return { timestamp: startOfDay(session.day), open, high: open, low: open, close: open, volume: 0, oi: 0 }
  }

  /** Returns the bar of an incomplete minute, up to its second `last`. */
  #partial(contract: Contract, minute: number, last: number) {
    const open = this.#pricer.price(contract, minute * 60)
    const bar = { open, high: open, low: open, close: open, volume: 0, traded: true }
    for (let second = 1; second <= last; second++) {
      bar.close = this.#pricer.price(contract, minute * 60 + second)
      bar.high = Math.max(bar.high, bar.close)
      bar.low = Math.min(bar.low, bar.close)
    }
    bar.volume = this.#pricer.volumeWithin(contract, minute, last)
    return bar
  }
}

function isIntraday(interval: string): interval is IntradayInterval {
  return Object.hasOwn(MINUTES, interval)
}

/** Joins one-minute bars into bars of `minutes`, aligned to `origin`. */
function aggregate(bars: readonly Candle[], origin: number, minutes: number): Candle[] {
  const joined: Candle[] = []
  const seconds = minutes * 60
  let current: Candle | undefined
  for (const bar of bars) {
    const timestamp = origin + Math.floor((bar.timestamp - origin) / seconds) * seconds
    if (current?.timestamp !== timestamp) {
      current = { ...bar, timestamp }
      joined.push(current)
      continue
    }
    current.high = Math.max(current.high, bar.high)
    current.low = Math.min(current.low, bar.low)
    current.close = bar.close
    current.volume += bar.volume
    current.oi = bar.oi
  }
  return joined
}

/** A cache of built values that drops the oldest above `limit`. */
class BoundedCache<T> {
  readonly #values = new Map<string, { value: T }>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string, build: () => T): T {
    const known = this.#values.get(key)
    if (known) return known.value
    const value = build()
    this.keep(key, value)
    return value
  }

  find(key: string): T | undefined {
    return this.#values.get(key)?.value
  }

  keep(key: string, value: T): void {
    this.#values.set(key, { value })
    if (this.#values.size <= this.#limit) return
    const oldest = this.#values.keys().next().value
    if (oldest !== undefined) this.#values.delete(oldest)
  }
}

function invalid(message: string): BrokerError {
  return new BrokerError('validation', message, { brokerStatus: 400, sent: 'yes' })
}

function tooLong(sessions: number): BrokerError {
  return invalid(`The simulated market gives at most ${sessions} sessions of these bars at once`)
}
