import { z } from 'zod'
import { type Bars, windowDays } from '../../../core/flows/index.js'
import { EXCHANGES } from '../../../core/instruments/index.js'
import { daysBefore, INTERVALS, isDaily } from '../../../core/market/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { historyPayload } from '../../operations/market/prices.js'
import type { ToolContext } from './tool.js'

/** The most bars of one answer. */
const MOST_BARS = 1000
/** The most days of one request for bars that are shorter than a day. */
const MOST_INTRADAY_DAYS = 365

export const count = (least: number, most: number) =>
  fields
    .integer()
    .refine((value) => value >= least && value <= most, `Must be between ${least} and ${most}.`)
    .meta({ minimum: least, maximum: most })

export const symbolFields = {
  symbol: fields.text(100),
  exchange: fields.oneOf(EXCHANGES).default('NSE'),
}
export const intervalField = fields.oneOf(INTERVALS)

const { end_date, source, start_date } = historyPayload.shape

export const historyInput = z.strictObject({
  ...symbolFields,
  interval: intervalField,
  start_date: start_date.optional(),
  end_date: end_date.optional(),
  source,
  bars: count(1, MOST_BARS)
    .default(20)
    .meta({ description: 'The most bars that are returned; 20 by default.' }),
  lookback_days: count(1, 7000)
    .optional()
    .meta({ description: 'Days before end_date, instead of start_date.' }),
})

const answer = z.object({
  data: z.array(
    z.object({
      timestamp: z.number(),
      open: z.number(),
      high: z.number(),
      low: z.number(),
      close: z.number(),
      volume: z.number(),
      oi: z.number(),
    }),
  ),
})
export type Bar = z.output<typeof answer>['data'][number]

/** The bars that a tool asks for. */
type BarsQuery = Pick<z.output<typeof historyInput>, 'symbol' | 'exchange' | 'interval' | 'bars'> &
  Partial<Omit<z.output<typeof historyInput>, 'symbol' | 'exchange' | 'interval' | 'bars'>>

/** Returns the bars of a symbol in the days that hold as many as wanted, oldest first. */
export async function readBars(context: ToolContext, query: BarsQuery): Promise<Bar[]> {
  const { bars, lookback_days, end_date: until, start_date: from, ...rest } = query
  const end = until ?? context.today()
  const days = lookback_days ?? windowDays(bars, rest.interval)
  const most = isDaily(rest.interval) ? days : Math.min(days, MOST_INTRADAY_DAYS)
  const body = { ...rest, start_date: from ?? daysBefore(end, most), end_date: end }
  return parseWith(answer, await context.ask('POST /api/v1/history', body)).data
}

/** Returns the newest bars as columns, the input of an indicator. */
export async function columnsOf(
  context: ToolContext,
  query: BarsQuery,
): Promise<Bars & { time: readonly number[] }> {
  const rows = (await readBars(context, query)).slice(-query.bars)
  const column = (name: keyof Bar) => rows.map((row) => row[name])
  return {
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
    time: column('timestamp'),
  }
}
