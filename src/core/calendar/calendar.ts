import { ServiceError } from '../errors/index.js'
import type { Database } from '../storage/index.js'
import { type Clock, isDate, istParts, parseTimeOfDay } from '../time/index.js'
import { Almanac } from './almanac.js'
import {
  HOLIDAY_EXCHANGES,
  HOLIDAY_TYPES,
  type Holiday,
  type NewHoliday,
  TIMED_EXCHANGES,
  type Timing,
  type TradingWindow,
} from './schema.js'
import { SEED_HOLIDAYS, SEED_TIMINGS } from './seed.js'
import { CalendarStore } from './store.js'

const MAX_DESCRIPTION = 150

/**
 * The trading calendar: usual hours, holidays and special sessions, stored in the database and read from
 * memory. All dates are `YYYY-MM-DD` in IST, all instants epoch milliseconds, whatever the time zone of the
 * host.
 */
export class Calendar {
  readonly #store: CalendarStore
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  #almanac: Almanac

  private constructor(store: CalendarStore, clock: Clock, almanac: Almanac) {
    this.#store = store
    this.#clock = clock
    this.#almanac = almanac
  }

  /** Loads the calendar after filling empty tables with the seed. */
  static async open({ db, clock }: { db: Database; clock: Clock }): Promise<Calendar> {
    const store = new CalendarStore(db)
    await store.seed(SEED_HOLIDAYS, SEED_TIMINGS)
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

  /** Returns the usual hours. */
  timings(): readonly Timing[] {
    return this.#almanac.timings
  }

  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds a holiday or a special session. @throws ServiceError `validation` */
  async addHoliday(holiday: NewHoliday): Promise<Holiday> {
    checkHoliday(holiday)
    const id = await this.#store.addHoliday(holiday)
    await this.#reload()
    return { ...holiday, id }
  }

  /** Deletes an entry and returns it. @throws ServiceError `not_found` */
  async removeHoliday(id: number): Promise<Holiday> {
    const holiday = this.#almanac.holidays.find((one) => one.id === id)
    if (!holiday) throw new ServiceError('not_found', 'Holiday not found')
    await this.#store.removeHoliday(id)
    await this.#reload()
    return holiday
  }

  /** Changes the usual hours of an exchange. @throws ServiceError `validation` */
  async setTiming(timing: Timing): Promise<void> {
    const start = parseTimeOfDay(timing.start)
    const end = parseTimeOfDay(timing.end)
    if (!TIMED_EXCHANGES.some((exchange) => exchange === timing.exchange)) {
      throw refused('exchange', `Exchange must be one of: ${TIMED_EXCHANGES.join(', ')}`)
    }
    if (start === undefined || end === undefined || timing.start.length !== 5 || timing.end.length !== 5) {
      throw refused(start === undefined ? 'start_time' : 'end_time', 'Invalid time format. Use HH:MM')
    }
    if (end <= start) throw refused('end_time', 'End time must be after start time')
    await this.#store.setTiming(timing)
    await this.#reload()
  }

  async #reload(): Promise<void> {
    this.#almanac = await read(this.#store)
    for (const listener of this.#listeners) listener()
  }
}

async function read(store: CalendarStore): Promise<Almanac> {
  const [holidays, timings] = await Promise.all([store.holidays(), store.timings()])
  return new Almanac(holidays, timings)
}

function checkHoliday({ date, description, type, exchanges }: NewHoliday): void {
  if (!isDate(date)) {
    throw refused('holiday_date', 'Invalid date format. Use YYYY-MM-DD')
  }
  if (description.trim() === '') throw refused('description', 'Date and description are required')
  if (description.length > MAX_DESCRIPTION) {
    throw refused('description', `Longer than maximum length ${MAX_DESCRIPTION}.`)
  }
  if (!HOLIDAY_TYPES.includes(type)) {
    throw refused('holiday_type', `Must be one of: ${HOLIDAY_TYPES.join(', ')}.`)
  }
  for (const { exchange, isOpen, start, end } of exchanges) {
    if (!HOLIDAY_EXCHANGES.some((known) => known === exchange)) {
      throw refused('exchanges', `Exchange must be one of: ${HOLIDAY_EXCHANGES.join(', ')}`)
    }
    if (isOpen && !(start !== undefined && end !== undefined && start < end)) {
      throw refused('exchanges', `${exchange} needs a start_time before its end_time`)
    }
  }
  if (type === 'SPECIAL_SESSION' && !exchanges.some(({ isOpen }) => isOpen)) {
    throw refused('exchanges', 'Special session requires at least one exchange with timings')
  }
}

function refused(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
