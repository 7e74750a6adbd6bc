import { DAY_MS } from '../../../time/index.js'

const FRIDAY = 5
/**
 * No exchange is closed for longer. A longer closure means that the holiday predicate is wrong, so the search
 * stops.
 */
const LONGEST_CLOSURE_DAYS = 14

/** Returns whether an exchange is closed on a date (`YYYY-MM-DD`). It does not have to report weekends. */
export type HolidayPredicate = (exchange: string, date: string) => boolean

/** Days since 1970-01-01: a date without time and zone. */
type Day = number

const dayOf = (date: string): Day => Date.parse(`${date}T00:00:00Z`) / DAY_MS
const dateOf = (day: Day): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
/** ISO weekday: Monday is 1. Day 0 was a Thursday. */
const weekdayOf = (day: Day): number => ((day + 3) % 7) + 1
const monthEnd = (year: number, month: number): Day => Date.UTC(year, month, 0) / DAY_MS

/**
 * The expiry dates of one exchange, seen from one day. An expiry on a holiday moves to the previous trading
 * day. Every list is ascending and starts at `today` or later; a contract that expires today is listed.
 */
export class ExpiryCalendar {
  readonly #today: Day
  readonly #closed: (day: Day) => boolean

  /** @param today `YYYY-MM-DD`, in IST */
  constructor(today: string, exchange: string, isHoliday: HolidayPredicate = () => false) {
    this.#today = dayOf(today)
    this.#closed = (day) => weekdayOf(day) > FRIDAY || isHoliday(exchange, dateOf(day))
  }

  /** Returns the next `count` calendar days, for exchanges that trade around the clock. */
  daily(count: number): string[] {
    return Array.from({ length: count }, (_, index) => dateOf(this.#today + index))
  }

  weekly(weekday: number, count: number): string[] {
    const first = this.#today + ((weekday - weekdayOf(this.#today) + 7) % 7)
    return this.#live(count, (index) => this.#tradingDay(first + 7 * index))
  }

  /** Returns the last such weekday of each month. `months` limits the list (3, 6, 9, 12 for quarterlies). */
  monthly(weekday: number, count: number, months?: readonly number[]): string[] {
    return this.#byMonth(count, months, (year, month) => {
      const last = monthEnd(year, month)
      return this.#tradingDay(last - ((weekdayOf(last) - weekday + 7) % 7))
    })
  }

  /** Returns a fixed day of each month, or its last trading day. */
  dayOfMonth(day: number | undefined, count: number, months?: readonly number[]): string[] {
    return this.#byMonth(count, months, (year, month) => {
      const last = monthEnd(year, month)
      return this.#tradingDay(day === undefined ? last : Math.min(last, monthEnd(year, month - 1) + day))
    })
  }

  /** Returns the day `lead` trading days before the last trading day of each month. */
  beforeMonthEnd(lead: number, count: number): string[] {
    return this.#byMonth(count, undefined, (year, month) =>
      this.#back(this.#tradingDay(monthEnd(year, month)), lead),
    )
  }

  /** Returns the day `lead` trading days before each of `dates`, without past days. */
  before(dates: readonly string[], lead: number): string[] {
    return dates
      .map((date) => this.#back(dayOf(date), lead))
      .filter((day) => day >= this.#today)
      .map(dateOf)
  }

  #byMonth(
    count: number,
    months: readonly number[] | undefined,
    nominal: (year: number, month: number) => Day,
  ): string[] {
    const [year = 0, month = 1] = dateOf(this.#today).split('-').map(Number)
    return this.#live(count, (index) => {
      const at = new Date(Date.UTC(year, month - 1 + index, 1))
      const monthNumber = at.getUTCMonth() + 1
      if (months && !months.includes(monthNumber)) return undefined
      return nominal(at.getUTCFullYear(), monthNumber)
    })
  }

  /**
   * Returns the first `count` distinct days from today on. Months or weeks without such a day are skipped.
   */
  #live(count: number, nominal: (index: number) => Day | undefined): string[] {
    const days = new Set<Day>()
    for (let index = 0; days.size < count; index++) {
      const day = nominal(index)
      if (day !== undefined && day >= this.#today) days.add(day)
    }
    return [...days].sort((a, b) => a - b).map(dateOf)
  }

  #tradingDay(day: Day): Day {
    let open = day
    while (this.#closed(open) && day - open < LONGEST_CLOSURE_DAYS) open--
    return open
  }

  #back(day: Day, tradingDays: number): Day {
    let at = day
    for (let step = 0; step < tradingDays; step++) at = this.#tradingDay(at - 1)
    return at
  }
}

/** Merges several lists into distinct ascending dates. */
export function mergeDates(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort()
}
