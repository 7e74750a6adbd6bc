import { addDays, istDate, istInstant, weekdayOf } from '../time/index.js'
import { seasonalClose } from './commodities.js'
import {
  type Holiday,
  type HolidayExchange,
  TIMED_EXCHANGES,
  type Timing,
  type TradingWindow,
} from './schema.js'

/** Index values change while the exchange of the index trades. */
const VENUE_OF: Readonly<Record<string, string>> = {
  NSE_INDEX: 'NSE',
  BSE_INDEX: 'BSE',
  MCX_INDEX: 'MCX',
}
/**
 * NSE's commodities have the holidays and evening sessions of MCX, so holiday entries for MCX apply to them. NCDEX has
 * its holidays, too.
 */
const HOLIDAYS_OF: Readonly<Record<string, string>> = { NCO: 'MCX', NCDEX: 'MCX' }
/** Exchanges that keep to their own hours: no entry can give them others, and they are closed on a special session. */
const OWN_HOURS_ONLY: ReadonlySet<string> = new Set(['NCDEX'])
/** Exchanges that never close. */
const ROUND_THE_CLOCK: ReadonlySet<string> = new Set(['CRYPTO', 'GLOBAL_INDEX'])
/** Hours of exchanges that are missing in the timings table. */
const UNLISTED_HOURS: Readonly<Record<string, Omit<Timing, 'exchange'>>> = {
  NCDEX: { start: '09:00', end: '17:00' },
}
/** The last whole second of a day. */
const LAST_SECOND_MS = 86_399_000
/** The number of days that {@link Almanac.nextOpen} searches ahead; no exchange is closed for longer. */
const LONGEST_CLOSURE_DAYS = 60
const SATURDAY = 6

/**
 * A snapshot of the calendar in memory: holidays, special sessions and usual hours. All dates are
 * `YYYY-MM-DD` in IST, all instants epoch milliseconds.
 */
export class Almanac {
  readonly #byDate = new Map<string, Holiday[]>()
  readonly #timings: ReadonlyMap<string, Omit<Timing, 'exchange'>>

  readonly holidays: readonly Holiday[]

  constructor(
    holidays: readonly Holiday[],
    readonly timings: readonly Timing[],
  ) {
    this.holidays = holidays.map(inSeason)
    for (const holiday of this.holidays) {
      this.#byDate.set(holiday.date, [...(this.#byDate.get(holiday.date) ?? []), holiday])
    }
    this.#timings = new Map([
      ...Object.entries(UNLISTED_HOURS),
      ...timings.map(({ exchange, start, end }) => [exchange, { start, end }] as const),
    ])
  }

  /**
   * Returns the hours of an exchange on a date; undefined if it does not trade. A special session replaces
   * the usual hours of all exchanges, a trading holiday those of the exchanges it lists, and a settlement
   * holiday none.
   */
  sessionOf(exchange: string, date: string): TradingWindow | undefined {
    if (ROUND_THE_CLOCK.has(exchange)) return allDay(date)
    const venue = VENUE_OF[exchange] ?? exchange
    const named = HOLIDAYS_OF[venue] ?? venue
    const ownOnly = OWN_HOURS_ONLY.has(venue)
    const holidays = this.#byDate.get(date) ?? []
    const special = holidays.filter(({ type }) => type === 'SPECIAL_SESSION')
    if (special.length > 0) return ownOnly ? undefined : windowOf(special, named)
    const usual = weekdayOf(date) >= SATURDAY ? undefined : this.#usual(venue, date)
    const trading = holidays.filter(({ type }) => type === 'TRADING_HOLIDAY')
    if (trading.some(({ exchanges }) => exchanges.some((entry) => changesHours(entry, named)))) {
      const window = windowOf(trading, named)
      return ownOnly ? common(window, usual) : window
    }
    return usual
  }

  /** Returns whether the exchange trades at this instant; both ends of its hours are inclusive. */
  isOpen(exchange: string, at: number): boolean {
    if (ROUND_THE_CLOCK.has(exchange)) return true
    const date = istDate(at)
    // A session may continue past midnight.
    return [date, addDays(date, -1)].some((day) => {
      const window = this.sessionOf(exchange, day)
      return window !== undefined && at >= window.open && at <= window.close
    })
  }

  /**
   * Returns the next instant after `at` at which a session starts; `at` itself if the exchange never closes.
   */
  nextOpen(exchange: string, at: number): number | undefined {
    if (ROUND_THE_CLOCK.has(exchange)) return at
    const today = istDate(at)
    for (let ahead = 0; ahead <= LONGEST_CLOSURE_DAYS; ahead++) {
      const window = this.sessionOf(exchange, addDays(today, ahead))
      if (window && window.open > at) return window.open
    }
    return undefined
  }

  isTradingDay(exchange: string, date: string): boolean {
    return this.sessionOf(exchange, date) !== undefined
  }

  /**
   * Returns whether shares and money are settled: on a trading day of the cash market that is not a
   * settlement holiday.
   */
  isSettlementDay(date: string): boolean {
    const unsettled = (this.#byDate.get(date) ?? []).some(stopsSettlement)
    return !unsettled && this.isTradingDay('NSE', date)
  }

  /**
   * Returns the result of the public API's holiday check. Weekends are holidays, and days with an entry that
   * closes the exchange (without an exchange: days with any entry, except one that only shortens hours).
   * Special sessions and CRYPTO are never holidays.
   */
  isHoliday(date: string, exchange?: string): boolean {
    if (exchange !== undefined && ROUND_THE_CLOCK.has(exchange)) return false
    const holidays = this.#byDate.get(date) ?? []
    if (holidays.some(({ type }) => type === 'SPECIAL_SESSION')) return false
    if (exchange !== undefined) return !this.isTradingDay(exchange, date)
    return holidays.some((holiday) => !onlyShortens(holiday)) || weekdayOf(date) >= SATURDAY
  }

  /** Returns the exchanges that trade on a date, with their hours. */
  windowsOn(date: string): (TradingWindow & { exchange: string })[] {
    const timed = this.timings.map(({ exchange }) => exchange)
    const listed = TIMED_EXCHANGES.filter((exchange) => timed.includes(exchange))
    const others = timed.filter((exchange) => !listed.some((one) => one === exchange))
    return [...listed, ...others].flatMap((exchange) => {
      const window = this.sessionOf(exchange, date)
      return window ? [{ exchange, ...window }] : []
    })
  }

  #usual(exchange: string, date: string): TradingWindow | undefined {
    const hours = this.#timings.get(exchange)
    if (!hours) return undefined
    const close = seasonalClose(exchange, date, istInstant(date, hours.end))
    return { open: istInstant(date, hours.start), close }
  }
}

/** Returns a holiday with the close that commodities have on its day. */
function inSeason(holiday: Holiday): Holiday {
  const exchanges = holiday.exchanges.map((entry) =>
    entry.end === undefined
      ? entry
      : { ...entry, end: seasonalClose(entry.exchange, holiday.date, entry.end) },
  )
  return { ...holiday, exchanges }
}

function allDay(date: string): TradingWindow {
  const open = istInstant(date)
  return { open, close: open + LAST_SECOND_MS }
}

/** A settlement holiday that lists exchanges applies to these. A special session settles nothing. */
function stopsSettlement({ exchanges, type }: Holiday): boolean {
  if (type === 'TRADING_HOLIDAY') return false
  if (type === 'SPECIAL_SESSION' || exchanges.length === 0) return true
  return exchanges.some(({ exchange }) => exchange === 'NSE')
}

/** An entry that is open without its own hours means the usual hours. */
function changesHours({ exchange, isOpen, start }: HolidayExchange, venue: string): boolean {
  return exchange === venue && !(isOpen && start === undefined)
}

/** Returns whether a holiday changes the hours of some exchanges and closes none. */
function onlyShortens({ exchanges, type }: Holiday): boolean {
  return type === 'TRADING_HOLIDAY' && exchanges.length > 0 && exchanges.every(({ isOpen }) => isOpen)
}

/** Returns the hours that two sessions have in common, if any. */
function common(one: TradingWindow | undefined, other: TradingWindow | undefined): TradingWindow | undefined {
  if (!one || !other) return undefined
  const [open, close] = [Math.max(one.open, other.open), Math.min(one.close, other.close)]
  return open < close ? { open, close } : undefined
}

/** Returns the hours that the entries of a day define for an exchange, if any. */
function windowOf(holidays: readonly Holiday[], exchange: string): TradingWindow | undefined {
  for (const { exchanges } of holidays) {
    for (const entry of exchanges) {
      const { isOpen, start, end } = entry
      if (entry.exchange === exchange && isOpen && start !== undefined && end !== undefined) {
        return { open: start, close: end }
      }
    }
  }
  return undefined
}
