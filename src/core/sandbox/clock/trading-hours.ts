import { addDays, istDate, istInstant, istTime } from '../../time/index.js'
import type { SandboxCalendar } from '../schema.js'
import { SandboxSettings } from '../settings.js'

/** On an ordinary day, intraday orders are accepted from this time on. */
const OPENING = '09:00'
/** On a special session, intraday orders are accepted this long before it opens. */
const LEAD_MS = 15 * 60_000
/** The square-off runs this long before the end of a session that the configured time falls outside of. */
const BEFORE_CLOSE_MS = 15 * 60_000

/** No exchange stays closed for longer. */
const MOST_DAYS_CLOSED = 31

/** The time at which contracts settle if their exchange has no session on their last day, or never closes. */
const EXPIRY_WITHOUT_SESSION: Readonly<Record<string, string>> = {
  NFO: '15:40',
  BFO: '15:40',
  CDS: '17:00',
  BCD: '17:00',
  MCX: '23:30',
  NCO: '23:30',
  NCDEX: '17:00',
}
const OTHER_EXPIRY_WITHOUT_SESSION = '15:30'

/**
 * The times of the sandbox: the configured times under the market calendar. A market that never closes (the
 * embedded one, unless it is configured to keep market hours) has no square-off and no close, because no
 * trading day ends there.
 */
export class TradingHours {
  readonly #calendar: SandboxCalendar
  readonly #settings: SandboxSettings
  readonly #alwaysOpen: boolean

  constructor(calendar: SandboxCalendar, settings: SandboxSettings, alwaysOpen: boolean) {
    this.#calendar = calendar
    this.#settings = settings
    this.#alwaysOpen = alwaysOpen
  }

  /**
   * Returns when intraday positions of a date are squared off: the configured time if it lies within the
   * session, otherwise shortly before its end. Undefined when the exchange does not
   * trade.
   */
  squareOff(exchange: string, date: string): number | undefined {
    return squareOffIn(this.#session(exchange, date), exchange, date, this.#settings)
  }

  /**
   * Returns when day orders lapse: the end of the session. Undefined when the exchange does not trade or
   * never closes.
   */
  close(exchange: string, date: string): number | undefined {
    return this.#settings.squareOff(exchange) && this.#session(exchange, date)?.close
  }

  /**
   * Returns when contracts that expire on a date are settled: at the close of that day's session. A listed
   * date that turns out to be a holiday stays the last day.
   */
  expiry(exchange: string, date: string): number {
    if (this.#settings.get('expiry_settlement_timing') === 'next_day') return istInstant(addDays(date, 1))
    const time = EXPIRY_WITHOUT_SESSION[exchange] ?? OTHER_EXPIRY_WITHOUT_SESSION
    return this.close(exchange, date) ?? istInstant(date, time)
  }

  /** Returns true when delivered shares settle at the start of a date. */
  settles(date: string): boolean {
    return this.#alwaysOpen || this.#calendar.isSettlementDay(date)
  }

  /**
   * Returns true when the account's history gets a line for a date: when any exchange that closes has traded.
   */
  trades(date: string, exchanges: readonly string[]): boolean {
    return this.#alwaysOpen || exchanges.some((exchange) => this.#session(exchange, date) !== undefined)
  }

  /** Returns true while prices of the exchange can move. */
  isOpen(exchange: string, now: number): boolean {
    if (this.#alwaysOpen || !this.#settings.squareOff(exchange)) return true
    return [istDate(now), addDays(istDate(now), -1)].some((date) => {
      const session = this.#session(exchange, date)
      return session !== undefined && now >= session.open && now <= session.close
    })
  }

  /**
   * Returns the first opening of an exchange after an instant. Undefined if the exchange never closes, or does not open in
   * the next weeks.
   */
  nextOpen(exchange: string, now: number): number | undefined {
    if (this.#alwaysOpen || !this.#settings.squareOff(exchange)) return undefined
    for (let ahead = 0; ahead <= MOST_DAYS_CLOSED; ahead++) {
      const open = this.#session(exchange, addDays(istDate(now), ahead))?.open
      if (open !== undefined && open > now) return open
    }
    return undefined
  }

  /** Returns why an intraday position cannot be opened now; undefined when it can. */
  intradayRefusal(exchange: string, now: number): string | undefined {
    if (this.#alwaysOpen || !this.#settings.squareOff(exchange)) return undefined
    const date = istDate(now)
    const session = this.#session(exchange, date)
    const end = this.squareOff(exchange, date)
    if (!session || end === undefined) {
      return `MIS orders cannot be placed while ${exchange} is closed for the day. Trading resumes at 09:00 AM IST.`
    }
    const from = Math.max(istInstant(date, OPENING), session.open - LEAD_MS)
    if (now >= from && now < end) return undefined
    return `MIS orders cannot be placed after square-off time (${istTime(end).slice(0, 5)} IST). Trading resumes at 09:00 AM IST.`
  }

  #session(exchange: string, date: string) {
    return this.#alwaysOpen ? undefined : this.#calendar.sessionOf(exchange, date)
  }
}

const USUAL = new SandboxSettings()

/** Returns when intraday positions of a date are squared off with the default settings, as brokers do. */
export function usualSquareOff(
  calendar: Pick<SandboxCalendar, 'sessionOf'>,
  exchange: string,
  date: string,
): number | undefined {
  return squareOffIn(calendar.sessionOf(exchange, date), exchange, date, USUAL)
}

function squareOffIn(
  session: { open: number; close: number } | undefined,
  exchange: string,
  date: string,
  settings: SandboxSettings,
): number | undefined {
  const setting = settings.squareOff(exchange)
  if (!setting || !session) return undefined
  const set = istInstant(date, setting.text)
  if (set > session.open && set < session.close) return set
  return Math.max(session.open, session.close - BEFORE_CLOSE_MS)
}
