import { IST_OFFSET_MS, isNewYorkSummer } from '../../../time/index.js'

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

const IST_OFFSET = IST_OFFSET_MS / 1000
const DAY = 86_400
const at = (hour: number, minute: number): number => hour * 3600 + minute * 60

/**
 * Trading hours in seconds of the IST day. Derivatives close later than cash, because of the closing session.
 */
const CASH: readonly [number, number] = [at(9, 15), at(15, 30)]
const DERIVATIVES: readonly [number, number] = [at(9, 15), at(15, 40)]
const CURRENCY: readonly [number, number] = [at(9, 0), at(17, 0)]
const COMMODITY: readonly [number, number] = [at(9, 0), at(23, 55)]
/** The close of commodities while New York has daylight-saving time. */
const COMMODITY_SUMMER_CLOSE = at(23, 30)
const ROUND_THE_CLOCK: readonly [number, number] = [0, DAY]
const HOURS: Readonly<Record<string, readonly [number, number]>> = {
  NSE: CASH,
  BSE: CASH,
  NSE_INDEX: CASH,
  BSE_INDEX: CASH,
  NFO: DERIVATIVES,
  BFO: DERIVATIVES,
  CDS: CURRENCY,
  BCD: CURRENCY,
  MCX: COMMODITY,
  NCO: COMMODITY,
  MCX_INDEX: COMMODITY,
  NCDEX: CURRENCY,
  GLOBAL_INDEX: ROUND_THE_CLOCK,
  CRYPTO: ROUND_THE_CLOCK,
}
/** No exchange is closed for longer. A longer break means that the calendar is wrong. */
const LONGEST_BREAK_DAYS = 31

/** Returns whether an exchange trades on an IST date (`YYYY-MM-DD`). */
export type TradingDays = (exchange: string, date: string) => boolean

/** The trading sessions of exchanges. Weekends are closed; holidays are closed if a calendar is given. */
export class MarketSessions {
  readonly #mode: SessionMode
  readonly #isTradingDay: TradingDays
  readonly #latest = new Map<string, MarketSession>()

  constructor(mode: SessionMode = 'always', isTradingDay: TradingDays = () => true) {
    this.#mode = mode
    this.#isTradingDay = isTradingDay
  }

  isOpen(exchange: string, second: number): boolean {
    const session = this.latest(exchange, second)
    return second >= session.open && second < session.close
  }

  /** Returns the session that runs at `second`, or the last one before it. */
  latest(exchange: string, second: number): MarketSession {
    const day = dayOf(second)
    const cached = this.#latest.get(exchange)
    if (cached && cached.day === day && second >= cached.open) return cached
    const today = this.#on(exchange, day)
    const session = today && second >= today.open ? today : this.#before(exchange, day)
    this.#latest.set(exchange, session)
    return session
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

  #on(exchange: string, day: number): MarketSession | undefined {
    const start = day * DAY - IST_OFFSET
    if (this.#mode === 'always') return { day, open: start, close: start + DAY }
    const hours = HOURS[exchange] ?? CASH
    if (hours !== ROUND_THE_CLOCK) {
      const weekday = (day + 4) % 7
      if (weekday === 0 || weekday === 6) return undefined
      if (!this.#isTradingDay(exchange, dateOfDay(day))) return undefined
    }
    return { day, open: start + hours[0], close: closeOfDay(exchange, day) }
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

export function dayOfDate(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / (DAY * 1000))
}

function dateOfDay(day: number): string {
  return new Date(day * DAY * 1000).toISOString().slice(0, 10)
}

/** Returns the epoch second of IST midnight. */
export function startOfDay(day: number): number {
  return day * DAY - IST_OFFSET
}

/** Returns when trading ends on a day, for contracts that expire on it. */
export function closeOfDay(exchange: string, day: number): number {
  const hours = HOURS[exchange] ?? CASH
  const isShort = hours === COMMODITY && isNewYorkSummer(dateOfDay(day))
  return startOfDay(day) + (isShort ? COMMODITY_SUMMER_CLOSE : hours[1])
}
