import { count, ok } from '../common/answers.js'
import { signedIn } from '../running.js'
import { CALENDAR_ADMIN_OPERATIONS } from './calendar.js'
import { FREEZE_OPERATIONS } from './freeze.js'

const reads = signedIn('Administration', 'api', 'read')

/** The operations of the administration: freeze quantities, holidays and trading hours (docs/admin.md). */
export const ADMIN_OPERATIONS = {
  'GET /admin/api/stats': reads('Returns the number of freeze quantities and of holidays.', {
    answer: ok({ freeze_count: count, holiday_count: count }),
    run: ({ calendar, instruments }) => ({
      status: 'success',
      freeze_count: instruments.freeze.count,
      holiday_count: calendar.holidayCount,
    }),
  }),
  ...FREEZE_OPERATIONS,
  ...CALENDAR_ADMIN_OPERATIONS,
}
