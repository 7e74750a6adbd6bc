import { Almanac, SEED_TIMINGS, type TradingWindow } from '../../../calendar/index.js'
import { IST_OFFSET_MS } from '../../../time/index.js'

/**
 * `always` trades at every hour of every day, so that demonstrations work at night; `market` follows market
 * hours.
 */
export type SessionMode = 'always' | 'market'

/** One trading session of an exchange, in seconds since the epoch. `close` is the first second after it. */
export interface MarketSession {
  /** Days since the epoch, counted in IST. */
  day: number
  open: number
  close: number
}

/** A session, and the seconds at which it is the latest one: `until` is the first after them. */
interface LatestSession {
  session: MarketSession
  from: number
  until: number
}

const IST_OFFSET = IST_OFFSET_MS / 1000
const DAY = 86_400
/** No exchange is closed for longer. A longer break means that the calendar is wrong. */
const LONGEST_BREAK_DAYS = 31

/** The trading hours of exchanges by IST date (`YYYY-MM-DD`); they may change at any time. */
export interface TradingCalendar {
  sessionOf(exchange: string, date: string): TradingWindow | undefined
  /** Calls `listener` after every change. */
  onChange(listener: () => void): void
}

const USUAL_HOURS = new Almanac([], SEED_TIMINGS)
/** Usual hours on every weekday. */
export const NO_HOLIDAYS: TradingCalendar = {
  sessionOf: (exchange, date) => USUAL_HOURS.sessionOf(exchange, date),
  onChange: () => undefined,
}

/** The trading sessions of exchanges, as the calendar has them. */
export class MarketSessions {
  readonly #mode: SessionMode
  readonly #calendar: TradingCalendar
  /** The last answer of {@link latest} for each exchange. */
  readonly #latest = new Map<string, LatestSession>()

  constructor(mode: SessionMode = 'always', calendar: TradingCalendar = NO_HOLIDAYS) {
    this.#mode = mode
    this.#calendar = calendar
    this.onChange(() => this.#latest.clear())
  }

  /** Calls `listener` after every change of the hours. */
  onChange(listener: () => void): void {
    this.#calendar.onChange(listener)
  }

  isOpen(exchange: string, second: number): boolean {
    const session = this.latest(exchange, second)
    return second >= session.open && second < session.close
  }

  /** Returns the session that runs at `second`, or the last one before it. */
  latest(exchange: string, second: number): MarketSession {
    const known = this.#latest.get(exchange)
    if (known && second >= known.from && second < known.until) return known.session
    const found = this.#find(exchange, second)
    this.#latest.set(exchange, found)
    return found.session
  }

  #find(exchange: string, second: number): LatestSession {
    const day = dayOf(second)
    const midnight = startOfDay(day)
    const today = this.#on(exchange, day)
    if (today && second >= today.open) return { session: today, from: today.open, until: midnight + DAY }
    return { session: this.#before(exchange, day), from: midnight, until: today?.open ?? midnight + DAY }
  }

  /** Returns the first opening after `second`; undefined in a market that never closes. */
  nextOpen(exchange: string, second: number): number | undefined {
    if (this.#mode === 'always') return undefined
    const today = dayOf(second)
    for (let ahead = 0; ahead <= LONGEST_BREAK_DAYS; ahead++) {
      const open = this.#on(exchange, today + ahead)?.open
      if (open !== undefined && open > second) return open
    }
    return undefined
  }

  previous(exchange: string, session: MarketSession): MarketSession {
    return this.#before(exchange, session.day)
  }

  /** Returns the sessions of the IST dates `from` to `to` (both inclusive), in order. */
  between(exchange: string, from: string, to: string): MarketSession[] {
    const sessions: MarketSession[] = []
    const lastDay = dayOfDate(to)
    for (let day = dayOfDate(from); day <= lastDay; day++) {
      const session = this.#on(exchange, day)
      if (session) sessions.push(session)
    }
    return sessions
  }

  /**
   * Returns the first second at which a contract that expires on a date no longer trades: the end of the
   * session, on a holiday of the usual hours, and on a weekend of the day.
   */
  expiryOn(exchange: string, date: string): number {
    const window = this.#calendar.sessionOf(exchange, date) ?? NO_HOLIDAYS.sessionOf(exchange, date)
    return window ? secondAfter(window) : startOfDay(dayOfDate(date) + 1)
  }

  #on(exchange: string, day: number): MarketSession | undefined {
    const start = day * DAY - IST_OFFSET
    if (this.#mode === 'always') return { day, open: start, close: start + DAY }
    const window = this.#calendar.sessionOf(exchange, dateOfDay(day))
    return window && { day, open: Math.floor(window.open / 1000), close: secondAfter(window) }
  }

  #before(exchange: string, day: number): MarketSession {
    for (let back = 1; back <= LONGEST_BREAK_DAYS; back++) {
      const session = this.#on(exchange, day - back)
      if (session) return session
    }
    throw new Error(`${exchange} has no session in the ${LONGEST_BREAK_DAYS} days before ${dateOfDay(day)}`)
  }
}

/** Returns the IST day of an epoch second. */
function dayOf(second: number): number {
  return Math.floor((second + IST_OFFSET) / DAY)
}

function dayOfDate(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / (DAY * 1000))
}

function dateOfDay(day: number): string {
  return new Date(day * DAY * 1000).toISOString().slice(0, 10)
}

/** Returns the epoch second of IST midnight. */
export function startOfDay(day: number): number {
  return day * DAY - IST_OFFSET
}

/** Returns the first second after a session. A day without an end ends with its last second. */
function secondAfter({ close }: TradingWindow): number {
  const second = Math.floor(close / 1000)
  return second % 60 === 59 ? second + 1 : second
}
