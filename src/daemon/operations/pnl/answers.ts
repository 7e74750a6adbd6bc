import { z } from 'zod'
import { amount, count, ok } from '../common/answers.js'

const point = z.strictObject({ time: count.meta({ description: 'Epoch milliseconds.' }), value: amount })
const minute = z
  .string()
  .nullable()
  .meta({ pattern: '^\\d{2}:\\d{2}$', description: 'HH:MM, Indian time; null without a series.' })

export const pnlDay = ok({
  data: z.strictObject({
    current_mtm: amount.meta({ description: 'The last value of the series.' }),
    max_mtm: amount,
    max_mtm_time: minute,
    min_mtm: amount,
    min_mtm_time: minute,
    max_drawdown: amount.meta({ description: 'The largest fall from a peak: zero or negative.' }),
    pnl_series: z.array(point),
    drawdown_series: z.array(point).meta({ description: 'How far each value is below the peak before it.' }),
  }),
})
