import { asc, eq } from 'drizzle-orm'
import type { Database, Tx } from '../storage/index.js'
import { marketHolidayExchanges, marketHolidays, marketTimings } from '../storage/tables/svc/calendar.js'
import type { Holiday, HolidayExchange, NewHoliday, Timing } from './schema.js'

/** All SQL of the calendar. */
export class CalendarStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Inserts holidays for years that have none, and timings if there are none. User entries and changes stay.
   */
  seed(holidays: readonly NewHoliday[], timings: readonly Timing[]): Promise<void> {
    return this.#db.write(async (tx) => {
      const filled = await tx.selectDistinct({ year: marketHolidays.year }).from(marketHolidays)
      const years = new Set(filled.map(({ year }) => year))
      for (const holiday of holidays) {
        if (!years.has(yearOf(holiday.date))) await insertHoliday(tx, holiday)
      }
      const [anyTiming] = await tx.select({ id: marketTimings.id }).from(marketTimings).limit(1)
      if (!anyTiming) {
        await tx
          .insert(marketTimings)
          .values(timings.map(({ exchange, start, end }) => timingRow(exchange, start, end)))
      }
    })
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

  async timings(): Promise<Timing[]> {
    const rows = await this.#db.read.select().from(marketTimings).orderBy(asc(marketTimings.id))
    return rows.map(({ exchangeCode, startTime, endTime }) => ({
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

const yearOf = (date: string): number => Number(date.slice(0, 4))

function timingRow(exchange: string, start: string, end: string) {
  return { exchangeCode: exchange, startTime: start, endTime: end }
}
