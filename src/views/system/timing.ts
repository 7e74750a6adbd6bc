import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

export const TIMING_COLUMNS = [
  { key: 'exchange' },
  { key: 'start_time', title: 'OPENS' },
  { key: 'end_time', title: 'CLOSES' },
  { key: 'today' },
] as const satisfies readonly Column[]

type Timings = RouteAnswer<'GET /admin/api/timings'>

/** Returns the usual hours of the exchanges beside those of today. */
export function timingRows({ data, today_timings }: Pick<Timings, 'data' | 'today_timings'>) {
  return data.map((row) => {
    const today = today_timings.find(({ exchange }) => exchange === row.exchange)
    return { ...row, today: today ? `${today.start_time} to ${today.end_time}` : 'closed' }
  })
}
