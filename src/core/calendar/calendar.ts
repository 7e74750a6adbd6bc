import { ServiceError } from '../errors/index.js'
import { type Database, SerialQueue } from '../storage/index.js'
import { addDays, type Clock, istDate, istParts } from '../time/index.js'
import { Almanac } from './almanac.js'
import { checkHoliday, checkNoOther, checkTiming, checkYear } from './rules.js'
import type {
  Holiday,
  NewHoliday,
  StoredTiming,
  Timing,
  TradingWindow,
  YearCoverage,
  YearGap,
} from './schema.js'
import { SEED_HOLIDAYS, SEED_TIMINGS, SEED_YEARS } from './seed.js'
import { CalendarStore } from './store.js'

/** How far ahead plans look: a year without holidays matters from here on. */
const LOOK_AHEAD_DAYS = 60

/** The content of the tables. */
interface Content {
  almanac: Almanac
  timings: readonly StoredTiming[]
  completeYears: ReadonlySet<number>
}

/**
 * The trading calendar: usual hours, holidays and special sessions, stored in the database and read from
 * memory. All dates are `YYYY-MM-DD` in IST, all instants epoch milliseconds, whatever the time zone of the
 * host.
 */
export class Calendar {
  readonly #store: CalendarStore
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  readonly #changes = new SerialQueue()
  #content: Content

  private constructor(store: CalendarStore, clock: Clock, content: Content) {
    this.#store = store
    this.#clock = clock
    this.#content = content
  }

  /** Loads the calendar after filling empty tables with the seed. */
  static async open({ db, clock }: { db: Database; clock: Clock }): Promise<Calendar> {
    const store = new CalendarStore(db)
    await store.seed({ years: SEED_YEARS, holidays: SEED_HOLIDAYS, timings: SEED_TIMINGS })
    return new Calendar(store, clock, await read(store))
  }

  /** Returns whether an exchange trades now or at another instant. */
  isOpen(exchange: string, at: number = this.#clock.now()): boolean {
    return this.#almanac.isOpen(exchange, at)
  }

  /** Returns when the next session starts; the given instant if the exchange never closes. */
  nextOpen(exchange: string, at: number = this.#clock.now()): number | undefined {
    return this.#almanac.nextOpen(exchange, at)
  }

  /** Returns the hours of an exchange on a date; undefined if it does not trade. */
  sessionOf(exchange: string, date: string): TradingWindow | undefined {
    return this.#almanac.sessionOf(exchange, date)
  }

  isTradingDay(exchange: string, date: string): boolean {
    return this.#almanac.isTradingDay(exchange, date)
  }

  /** Returns whether shares and money are settled on a date. */
  isSettlementDay(date: string): boolean {
    return this.#almanac.isSettlementDay(date)
  }

  /**
   * Returns the result of the public API's holiday check: weekends are holidays, special sessions and CRYPTO
   * never.
   */
  isHoliday(date: string, exchange?: string): boolean {
    return this.#almanac.isHoliday(date, exchange)
  }

  /** Returns the exchanges that trade on a date, with their hours, in the order of the API responses. */
  windowsOn(date: string): (TradingWindow & { exchange: string })[] {
    return this.#almanac.windowsOn(date)
  }

  /** Returns the entries of a year (by default the current one) by date. */
  holidaysOf(year: number = istParts(this.#clock.now()).year): readonly Holiday[] {
    return this.#almanac.holidays.filter(({ date }) => date.startsWith(`${year}-`))
  }

  /** Returns the number of entries of all years. */
  get holidayCount(): number {
    return this.#almanac.holidays.length
  }

  /** Returns the years that have entries, ascending. */
  years(): number[] {
    return [...new Set(this.#almanac.holidays.map(({ date }) => Number(date.slice(0, 4))))].sort(
      (a, b) => a - b,
    )
  }

  /** Returns how much of a year's holidays the calendar has. */
  coverageOf(year: number): YearCoverage {
    if (this.#content.completeYears.has(year)) return 'complete'
    return this.holidaysOf(year).length > 0 ? 'partial' : 'none'
  }

  /** Returns the gap of a year; undefined if the calendar has all of its holidays. */
  gapOf(year: number): YearGap | undefined {
    const coverage = this.coverageOf(year)
    if (coverage === 'complete') return undefined
    const has = coverage === 'none' ? 'has no holidays' : 'does not have all holidays'
    return {
      year,
      coverage,
      warning: `The calendar ${has} of ${year}: a holiday that is missing counts as a trading day.`,
    }
  }

  /** Returns the gaps of this year and of the year that begins within 60 days. */
  gaps(): YearGap[] {
    const today = istDate(this.#clock.now())
    const years = new Set([today, addDays(today, LOOK_AHEAD_DAYS)].map((date) => Number(date.slice(0, 4))))
    return [...years].flatMap((year) => this.gapOf(year) ?? [])
  }

  /** Returns the usual hours. */
  timings(): readonly StoredTiming[] {
    return this.#content.timings
  }

  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Adds a holiday or a special session.
   * @throws ServiceError `validation`; `conflict` if the date has an entry for the same exchange
   */
  addHoliday(holiday: NewHoliday): Promise<Holiday> {
    return this.#change(async () => {
      checkHoliday(holiday)
      checkNoOther(holiday, this.#almanac.holidays)
      const id = await this.#store.addHoliday(holiday)
      return { ...holiday, id }
    })
  }

  /** Deletes an entry and returns it. @throws ServiceError `not_found` */
  removeHoliday(id: number): Promise<Holiday> {
    return this.#change(async () => {
      const holiday = this.#almanac.holidays.find((one) => one.id === id)
      if (!holiday) throw new ServiceError('not_found', 'Holiday not found')
      await this.#store.removeHoliday(id)
      return holiday
    })
  }

  /** Changes the usual hours of an exchange. @throws ServiceError `validation` */
  setTiming(timing: Timing): Promise<void> {
    return this.#change(async () => {
      checkTiming(timing)
      await this.#store.setTiming(timing)
    })
  }

  /** Says whether the calendar has all holidays of a year. @throws ServiceError `validation` */
  markYear(year: number, isComplete: boolean): Promise<void> {
    return this.#change(async () => {
      checkYear(year)
      if (isComplete && this.holidaysOf(year).length === 0) {
        throw new ServiceError('validation', `The calendar has no holiday of ${year}: add them first`, {
          errors: { year: ['Has no holiday.'] },
        })
      }
      await this.#store.markYear(year, isComplete)
    })
  }

  get #almanac(): Almanac {
    return this.#content.almanac
  }

  /** Runs one change after the other: each is checked against all earlier ones. Readers see it when it returns. */
  #change<T>(change: () => Promise<T>): Promise<T> {
    return this.#changes.run(async () => {
      const result = await change()
      this.#content = await read(this.#store)
      for (const listener of this.#listeners) listener()
      return result
    })
  }
}

async function read(store: CalendarStore): Promise<Content> {
  const [holidays, timings, years] = await Promise.all([
    store.holidays(),
    store.timings(),
    store.completeYears(),
  ])
  return { almanac: new Almanac(holidays, timings), timings, completeYears: new Set(years) }
}
