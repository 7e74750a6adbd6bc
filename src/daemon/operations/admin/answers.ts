import { z } from 'zod'
import { count, message, ok, text } from '../common/answers.js'
import { gap, window } from '../market/answers.js'

/** Answers of the administration: freeze quantities, holidays and trading hours (docs/admin.md). */

const freezeRow = z.strictObject({ id: count, exchange: text, symbol: text, freeze_qty: count })

export const freezeList = ok({ data: z.array(freezeRow) })
export const freezeEntry = ok({ message, data: freezeRow })
export const freezeUpload = ok({
  message,
  count,
  data: z.strictObject({
    exchange: text,
    added: count,
    changed: count,
    unchanged: count,
    removed: z.array(z.strictObject({ symbol: text, freeze_qty: count })).meta({
      description: 'The entries of the exchange that the file does not have.',
    }),
    rows: z.array(
      z.strictObject({
        line: count,
        symbol: text,
        freeze_qty: count,
        outcome: z.enum(['added', 'changed', 'unchanged']),
        previous: count.nullable().meta({ description: 'The quantity before the upload.' }),
      }),
    ),
  }),
})

const coverage = z.enum(['complete', 'partial', 'none']).meta({
  description: "How much of the year's holidays the calendar has.",
})
const entry = z.strictObject({
  id: count,
  date: text,
  day_name: text,
  description: text,
  holiday_type: text,
  closed_exchanges: z.array(text),
  open_exchanges: z.array(window),
})
export const holidays = ok({
  data: z.array(entry),
  current_year: count.meta({ description: 'The year of the list.' }),
  years: z.array(count),
  exchanges: z.array(text),
  coverage,
  ...gap,
})
export const holiday = ok({ message, data: entry, ...gap })
export const year = ok({ message, data: z.strictObject({ year: count, coverage }), ...gap })

const hours = z.strictObject({ exchange: text, start_time: text, end_time: text })
export const timings = ok({
  data: z.array(
    z.strictObject({
      id: count,
      exchange: text,
      start_time: text,
      end_time: text,
      start_offset: count.meta({ description: 'Milliseconds after midnight.' }),
      end_offset: count.meta({ description: 'Milliseconds after midnight.' }),
    }),
  ),
  market_status: z.array(window),
  today_timings: z.array(hours),
  today: text,
  exchanges: z.array(text),
  ...gap,
})
export const timingsOfDate = ok({ date: text, timings: z.array(hours), ...gap })

export const stats = ok({ freeze_count: count, holiday_count: count })
