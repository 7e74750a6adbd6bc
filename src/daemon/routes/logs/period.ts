import type { OrderLogFilter } from '../../../core/telemetry/index.js'
import { DAY_MS, istDate, istInstant } from '../../../core/time/index.js'

/** Indian days, the first and the last included. */
interface Days {
  start_date?: string | undefined
  end_date?: string | undefined
  search?: string | undefined
}

/** Returns the rows of a period of Indian days: with one bound, from or up to then; without any, today. */
export function filterOf({ start_date, end_date, search }: Days, now: number): OrderLogFilter {
  const today = start_date === undefined && end_date === undefined ? istDate(now) : undefined
  const [first, last] = [start_date ?? today, end_date ?? today]
  return {
    ...(first !== undefined && { from: istInstant(first) }),
    ...(last !== undefined && { to: istInstant(last) + DAY_MS }),
    ...(search && { search }),
  }
}
