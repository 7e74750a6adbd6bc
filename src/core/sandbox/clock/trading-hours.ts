import { addDays, istDate, istInstant, istTime } from '../../time/index.js'
import type { SandboxCalendar } from '../schema.js'
import type { SandboxSettings } from '../settings.js'

/** From this hour on intraday orders of an ordinary day are taken. */
const OPENING = '09:00'
/** How long before an unusual session they are taken. */
const LEAD_MS = 15 * 60_000
/** Distance of the square-off from the end of a session that the set time does not fall into. */
const BEFORE_CLOSE_MS = 15 * 60_000

/** When contracts of an exchange count as closed on their last day (contract, sandbox section 10). */
const EXPIRY_CLOSE: Readonly<Record<string, string>> = {
  NFO: '15:40',
  BFO: '15:40',
  CDS: '17:00',
  BCD: '17:00',
  MCX: '23:30',
  NCO: '23:30',
  NCDEX: '17:00',
}
const OTHER_EXPIRY_CLOSE = '15:30'

/**
 * When the sandbox does what by the clock: the set times under the market calendar. A market that never closes
 * (the embedded one, unless told to keep market hours) has no square-off and no close: there is no day an
 * intraday position could end with.
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
   * When intraday positions of a date end. The set time, where it lies within the session; a special session
   * that it misses is squared off shortly before its own end. Undefined when nothing trades.
   */
  squareOff(exchange: string, date: string): number | undefined {
    const setting = this.#settings.squareOff(exchange)
    const session = this.#session(exchange, date)
    if (!setting || !session) return undefined
    const set = istInstant(date, setting.text)
    if (set > session.open && set <= session.close) return set
    return Math.max(session.open, session.close - BEFORE_CLOSE_MS)
  }

  /** When orders for the day lapse: the end of the session. Undefined where nothing trades or nothing ends. */
  close(exchange: string, date: string): number | undefined {
    return this.#settings.squareOff(exchange) && this.#session(exchange, date)?.close
  }

  /** When contracts that expire on a date are settled. */
  expiry(exchange: string, date: string): number {
    return this.#settings.get('expiry_settlement_timing') === 'next_day'
      ? istInstant(addDays(date, 1))
      : istInstant(date, EXPIRY_CLOSE[exchange] ?? OTHER_EXPIRY_CLOSE)
  }

  /** Whether delivered shares are settled at the beginning of a date. */
  settles(date: string): boolean {
    return this.#alwaysOpen || this.#calendar.isSettlementDay(date)
  }

  /** Whether the account is worth a line in its history on a date: when any exchange with a close traded. */
  trades(date: string, exchanges: readonly string[]): boolean {
    return this.#alwaysOpen || exchanges.some((exchange) => this.#session(exchange, date) !== undefined)
  }

  /** Whether prices move now. */
  isOpen(exchange: string, now: number): boolean {
    if (this.#alwaysOpen || !this.#settings.squareOff(exchange)) return true
    return [istDate(now), addDays(istDate(now), -1)].some((date) => {
      const session = this.#session(exchange, date)
      return session !== undefined && now >= session.open && now <= session.close
    })
  }

  /** Why an intraday position cannot be opened now, if it cannot. */
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
