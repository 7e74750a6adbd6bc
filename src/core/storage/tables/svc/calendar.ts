import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { HolidayType } from '../../../calendar/schema.js'

/** Dates on which some exchange has unusual hours: holidays and special sessions. */
export const marketHolidays = sqliteTable(
  'market_holidays',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** `YYYY-MM-DD`, in IST. */
    holidayDate: text('holiday_date').notNull(),
    description: text({ length: 150 }).notNull(),
    holidayType: text('holiday_type', { length: 30 })
      .$type<HolidayType>()
      .notNull()
      .default('TRADING_HOLIDAY'),
    year: integer().notNull(),
  },
  (table) => [
    index('market_holidays_date').on(table.holidayDate),
    index('market_holidays_year').on(table.year),
  ],
)

/** The effect of a holiday on one exchange. */
export const marketHolidayExchanges = sqliteTable(
  'market_holiday_exchanges',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    holidayId: integer('holiday_id').notNull(),
    exchangeCode: text('exchange_code', { length: 10 }).notNull(),
    isOpen: integer('is_open', { mode: 'boolean' }).notNull().default(false),
    /** Opening time in epoch milliseconds; null if the exchange stays closed. */
    startTime: integer('start_time'),
    endTime: integer('end_time'),
  },
  (table) => [
    index('market_holiday_exchanges_holiday').on(table.holidayId),
    index('market_holiday_exchanges_exchange').on(table.exchangeCode),
  ],
)

/** The usual hours of an exchange, `HH:MM` in IST. */
export const marketTimings = sqliteTable(
  'market_timings',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    exchangeCode: text('exchange_code', { length: 10 }).notNull(),
    startTime: text('start_time', { length: 5 }).notNull(),
    endTime: text('end_time', { length: 5 }).notNull(),
  },
  (table) => [uniqueIndex('market_timings_exchange').on(table.exchangeCode)],
)

/** The years whose holidays somebody has entered. */
export const marketCalendarYears = sqliteTable('market_calendar_years', {
  year: integer().primaryKey(),
  /** False while only some holidays of the year are known. */
  isComplete: integer('is_complete', { mode: 'boolean' }).notNull(),
})
