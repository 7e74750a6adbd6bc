import { asc, eq } from 'drizzle-orm'
import type { Database, Tx } from '../storage/index.js'
import {
  marketCalendarYears,
  marketHolidayExchanges,
  marketHolidays,
  marketTimings,
} from '../storage/tables/svc/calendar.js'
import type { Holiday, HolidayExchange, NewHoliday, StoredTiming, Timing } from './schema.js'
import type { SeedYear } from './seed.js'

/** The rows of a first start. */
interface Seed {
  years: readonly SeedYear[]
  holidays: readonly NewHoliday[]
  timings: readonly Timing[]
}

/** All SQL of the calendar. */
export class CalendarStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Fills what is missing: holidays of a year that has none, those that a year with an incomplete list lacks
   * when the seed has the complete one, and timings if there are none. The user's entries and changes stay.
   */
  seed({ years, holidays, timings }: Seed): Promise<void> {
    return this.#db.write(async (tx) => {
      const stored = await tx.select({ date: marketHolidays.holidayDate }).from(marketHolidays)
      const dates = new Set(stored.map(({ date }) => date))
      const filled = new Set(stored.map(({ date }) => yearOf(date)))
      const known = new Map((await tx.select().from(marketCalendarYears)).map((row) => [row.year, row]))
      for (const { year, isComplete } of years) {
        const before = known.get(year)
        const completes = isComplete && before?.isComplete === false
        for (const holiday of holidays) {
          if (yearOf(holiday.date) !== year || dates.has(holiday.date)) continue
          if (completes || !filled.has(year)) await insertHoliday(tx, holiday)
        }
        if (!before || completes) await markYear(tx, year, isComplete)
      }
      const [anyTiming] = await tx.select({ id: marketTimings.id }).from(marketTimings).limit(1)
      if (!anyTiming) {
        await tx
          .insert(marketTimings)
          .values(timings.map(({ exchange, start, end }) => timingRow(exchange, start, end)))
      }
    })
  }

  /** Returns the years whose list of holidays is complete. */
  async completeYears(): Promise<number[]> {
    const rows = await this.#db.read
      .select({ year: marketCalendarYears.year })
      .from(marketCalendarYears)
      .where(eq(marketCalendarYears.isComplete, true))
    return rows.map(({ year }) => year)
  }

  markYear(year: number, isComplete: boolean): Promise<void> {
    return this.#db.write((tx) => markYear(tx, year, isComplete))
  }

  async holidays(): Promise<Holiday[]> {
    const [days, entries] = await Promise.all([
      this.#db.read
        .select()
        .from(marketHolidays)
        .orderBy(asc(marketHolidays.holidayDate), asc(marketHolidays.id)),
      this.#db.read.select().from(marketHolidayExchanges).orderBy(asc(marketHolidayExchanges.id)),
    ])
    const byHoliday = new Map<number, HolidayExchange[]>()
    for (const { holidayId, exchangeCode, isOpen, startTime, endTime } of entries) {
      const entry = {
        exchange: exchangeCode,
        isOpen,
        start: startTime ?? undefined,
        end: endTime ?? undefined,
      }
      byHoliday.set(holidayId, [...(byHoliday.get(holidayId) ?? []), entry])
    }
    return days.map(({ id, holidayDate, description, holidayType }) => ({
      id,
      date: holidayDate,
      description,
      type: holidayType,
      exchanges: byHoliday.get(id) ?? [],
    }))
  }

  async timings(): Promise<StoredTiming[]> {
    const rows = await this.#db.read.select().from(marketTimings).orderBy(asc(marketTimings.id))
    return rows.map(({ id, exchangeCode, startTime, endTime }) => ({
      id,
      exchange: exchangeCode,
      start: startTime,
      end: endTime,
    }))
  }

  addHoliday(holiday: NewHoliday): Promise<number> {
    return this.#db.write((tx) => insertHoliday(tx, holiday))
  }

  removeHoliday(id: number): Promise<void> {
    return this.#db.write(async (tx) => {
      await tx.delete(marketHolidayExchanges).where(eq(marketHolidayExchanges.holidayId, id))
      await tx.delete(marketHolidays).where(eq(marketHolidays.id, id))
    })
  }

  setTiming({ exchange, start, end }: Timing): Promise<void> {
    return this.#db.write(async (tx) => {
      await tx
        .insert(marketTimings)
        .values(timingRow(exchange, start, end))
        .onConflictDoUpdate({ target: marketTimings.exchangeCode, set: { startTime: start, endTime: end } })
    })
  }
}

async function insertHoliday(tx: Tx, holiday: NewHoliday): Promise<number> {
  const { date, description, type, exchanges } = holiday
  const [row] = await tx
    .insert(marketHolidays)
    .values({ holidayDate: date, description, holidayType: type, year: yearOf(date) })
    .returning({ id: marketHolidays.id })
  if (!row) throw new Error('the holiday was not stored')
  if (exchanges.length > 0) {
    await tx.insert(marketHolidayExchanges).values(
      exchanges.map(({ exchange, isOpen, start, end }) => ({
        holidayId: row.id,
        exchangeCode: exchange,
        isOpen,
        startTime: start ?? null,
        endTime: end ?? null,
      })),
    )
  }
  return row.id
}

async function markYear(tx: Tx, year: number, isComplete: boolean): Promise<void> {
  await tx
    .insert(marketCalendarYears)
    .values({ year, isComplete })
    .onConflictDoUpdate({ target: marketCalendarYears.year, set: { isComplete } })
}

const yearOf = (date: string): number => Number(date.slice(0, 4))

function timingRow(exchange: string, start: string, end: string) {
  return { exchangeCode: exchange, startTime: start, endTime: end }
}
