import { DAY_MS, istDate, istInstant } from '../../../time/index.js'

/** IST dates, both inclusive. */
export interface DateSpan {
  from: string
  to: string
}

/** Splits a range of dates into spans of at most so many days that do not overlap, for brokers that limit a call. */
export function dateSpans({ from, to }: DateSpan, days: number): DateSpan[] {
  const spans: DateSpan[] = []
  const last = istInstant(to)
  for (let start = istInstant(from); start <= last; start += days * DAY_MS) {
    const end = Math.min(start + (days - 1) * DAY_MS, last)
    spans.push({ from: istDate(start), to: istDate(end) })
  }
  return spans
}
