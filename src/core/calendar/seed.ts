import { istInstant } from '../time/index.js'
import type { HolidayExchange, NewHoliday, Timing } from './schema.js'

/** Usual hours at the first start (specification, "Market timings"). */
export const SEED_TIMINGS: readonly Timing[] = [
  { exchange: 'NSE', start: '09:15', end: '15:30' },
  { exchange: 'BSE', start: '09:15', end: '15:30' },
  { exchange: 'NFO', start: '09:15', end: '15:40' },
  { exchange: 'BFO', start: '09:15', end: '15:40' },
  { exchange: 'CDS', start: '09:00', end: '17:00' },
  { exchange: 'BCD', start: '09:00', end: '17:00' },
  { exchange: 'MCX', start: '09:00', end: '23:55' },
  { exchange: 'NCO', start: '09:00', end: '23:55' },
  { exchange: 'CRYPTO', start: '00:00', end: '23:59' },
]

/** Exchanges a national holiday closes all day. */
const CLOSED = ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD']

/** Data: trading holidays of 2026. `evening`: MCX opens for its evening session. */
const TRADING_HOLIDAYS: readonly (readonly [date: string, description: string, mcx: 'evening' | 'closed'])[] =
  [
    ['2026-01-15', 'Municipal Corporation Election - Maharashtra', 'evening'],
    ['2026-01-26', 'Republic Day', 'closed'],
    ['2026-03-03', 'Holi', 'evening'],
    ['2026-03-26', 'Shri Ram Navami', 'evening'],
    ['2026-03-31', 'Shri Mahavir Jayanti', 'evening'],
    ['2026-04-03', 'Good Friday', 'closed'],
    ['2026-04-14', 'Dr. Baba Saheb Ambedkar Jayanti', 'evening'],
    ['2026-05-01', 'Maharashtra Day', 'evening'],
    ['2026-05-28', 'Bakri Id', 'evening'],
    ['2026-06-26', 'Muharram', 'evening'],
    ['2026-09-14', 'Ganesh Chaturthi', 'evening'],
    ['2026-10-02', 'Mahatma Gandhi Jayanti', 'closed'],
    ['2026-10-20', 'Dussehra', 'evening'],
    ['2026-11-10', 'Diwali Balipratipada', 'evening'],
    ['2026-11-24', 'Prakash Gurpurb Sri Guru Nanak Dev', 'evening'],
    ['2026-12-25', 'Christmas', 'closed'],
  ]

const EVENING = ['17:00', '23:55'] as const

/** Data: special sessions of 2026, by exchange with date and time of both ends. */
const MUHURAT_2026: NewHoliday = {
  date: '2026-11-08',
  description: 'Diwali Laxmi Pujan (Muhurat Trading)',
  type: 'SPECIAL_SESSION',
  exchanges: [
    ...CLOSED.map((exchange) => window(exchange, '2026-11-08', '18:00', '2026-11-08', '19:15')),
    window('MCX', '2026-11-08', '18:00', '2026-11-09', '00:15'),
  ],
}

/** Holidays at the first start, ascending; later ones are entered by hand. */
export const SEED_HOLIDAYS: readonly NewHoliday[] = [
  ...TRADING_HOLIDAYS.map(
    ([date, description, mcx]): NewHoliday => ({
      date,
      description,
      type: 'TRADING_HOLIDAY',
      exchanges: [
        ...CLOSED.map(closed),
        mcx === 'closed' ? closed('MCX') : window('MCX', date, EVENING[0], date, EVENING[1]),
      ],
    }),
  ),
  MUHURAT_2026,
].sort((a, b) => (a.date < b.date ? -1 : 1))

function closed(exchange: string): HolidayExchange {
  return { exchange, isOpen: false, start: undefined, end: undefined }
}

function window(
  exchange: string,
  startDate: string,
  start: string,
  endDate: string,
  end: string,
): HolidayExchange {
  return { exchange, isOpen: true, start: istInstant(startDate, start), end: istInstant(endDate, end) }
}
