import { ServiceError } from '../errors/index.js'
import type { Database } from '../storage/index.js'
import { type Clock, istParts, parseTimeOfDay } from '../time/index.js'
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
 * When markets trade: usual hours, holidays and special sessions, kept in the database and answered from memory.
 * All dates are `YYYY-MM-DD` in IST, all instants epoch milliseconds, whatever the zone of the host.
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

  /** Reads the calendar, after filling tables that are still empty. */
  static async open({ db, clock }: { db: Database; clock: Clock }): Promise<Calendar> {
    const store = new CalendarStore(db)
    await store.seed(SEED_HOLIDAYS, SEED_TIMINGS)
    return new Calendar(store, clock, await read(store))
  }

  /** Whether an exchange trades now (or at another instant). */
  isOpen(exchange: string, at: number = this.#clock.now()): boolean {
    return this.#almanac.isOpen(exchange, at)
  }

  /** When the next session begins; the instant itself where trading never ends. */
  nextOpen(exchange: string, at: number = this.#clock.now()): number | undefined {
    return this.#almanac.nextOpen(exchange, at)
  }

  /** The hours of an exchange on a date; undefined when it does not trade. */
  sessionOf(exchange: string, date: string): TradingWindow | undefined {
    return this.#almanac.sessionOf(exchange, date)
  }

  isTradingDay(exchange: string, date: string): boolean {
    return this.#almanac.isTradingDay(exchange, date)
  }

  /** Whether shares and money change hands on a date. */
  isSettlementDay(date: string): boolean {
    return this.#almanac.isSettlementDay(date)
  }

  /** The holiday check of the public API: weekends count, special sessions and CRYPTO do not. */
  isHoliday(date: string, exchange?: string): boolean {
    return this.#almanac.isHoliday(date, exchange)
  }

  /** Who trades on a date, and when, in the order in which answers list them. */
  windowsOn(date: string): (TradingWindow & { exchange: string })[] {
    return this.#almanac.windowsOn(date)
  }

  /** The entries of a year (of now, when none is given), by date. */
  holidaysOf(year: number = istParts(this.#clock.now()).year): readonly Holiday[] {
    return this.#almanac.holidays.filter(({ date }) => date.startsWith(`${year}-`))
  }

  /** The usual hours. */
  timings(): readonly Timing[] {
    return this.#almanac.timings
  }

  /** Calls `listener` after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Enters a holiday or a special session. @throws ServiceError `validation` */
  async addHoliday(holiday: NewHoliday): Promise<Holiday> {
    checkHoliday(holiday)
    const id = await this.#store.addHoliday(holiday)
    await this.#reload()
    return { ...holiday, id }
  }

  /** Takes an entry out and tells which it was. @throws ServiceError `not_found` */
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
  if (Number.isNaN(Date.parse(`${date}T00:00:00Z`)) || !/^\d{4}-\d{2}-\d{2}$/.test(date)) {
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
