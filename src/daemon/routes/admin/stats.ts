import type { Calendar } from '../../../core/calendar/index.js'
import type { FreezeQuantities } from '../../../core/instruments/index.js'
import type { Handlers } from '../../http/handlers.js'

/** Returns the handler for the numbers on the start page of the administration. */
export function adminStatsHandlers({ calendar, freeze }: { calendar: Calendar; freeze: FreezeQuantities }) {
  return {
    'GET /admin/api/stats': () => ({
      status: 'success',
      freeze_count: freeze.count,
      holiday_count: calendar.holidayCount,
    }),
  } satisfies Partial<Handlers>
}
