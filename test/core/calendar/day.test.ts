import { expect, test } from 'vitest'
import { Calendar, exchangeDay } from '../../../src/core/calendar/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { istDateTime, VirtualClock } from '../../../src/core/time/index.js'
import { tempDir } from '../../support/files/temp.js'

/* What an exchange does on a day: its usual hours, hours of this day alone, or none. */

async function openCalendar(): Promise<Calendar> {
  const db = await Database.open({ file: `${tempDir()}/svc.db`, schema: 'svc' })
  return Calendar.open({ db, clock: new VirtualClock(Date.parse('2026-11-20T05:00:00Z')) })
}

test.each([
  ['NSE', '2026-11-20', 'usual', '09:15:00', undefined],
  ['NSE', '2026-11-21', 'weekend', undefined, undefined],
  ['NSE', '2026-11-08', 'special', '18:00:00', 'Diwali Laxmi Pujan (Muhurat Trading)'],
  ['NSE', '2026-11-10', 'holiday', undefined, 'Diwali Balipratipada'],
  ['MCX', '2026-11-10', 'short', '17:00:00', 'Diwali Balipratipada'],
  ['NCO', '2026-11-10', 'short', '17:00:00', 'Diwali Balipratipada'],
  ['CRYPTO', '2026-11-10', 'usual', '00:00:00', undefined],
  // A year whose list is not published: only the fixed holidays are known.
  ['NSE', '2027-01-26', 'holiday', undefined, 'Republic Day'],
  ['NSE', '2027-11-10', 'usual', '09:15:00', undefined],
])('%s on %s: %s', async (exchange, date, kind, opens, description) => {
  const day = exchangeDay(await openCalendar(), exchange, date)
  const from = day.session && istDateTime(day.session.open).slice(11)
  expect([day.kind, from, day.description]).toEqual([kind, opens, description])
})
