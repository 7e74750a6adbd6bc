import { istInstant, weekdayOf } from '../time/index.js'
import { COMMODITY_CLOSE } from './commodities.js'
import { HOLIDAY_EXCHANGES, type HolidayExchange, type NewHoliday, type Timing } from './schema.js'

/** Usual hours at the first start. The close of commodities moves with New York's daylight-saving time. */
export const SEED_TIMINGS: readonly Timing[] = [
  { exchange: 'NSE', start: '09:15', end: '15:30' },
  { exchange: 'BSE', start: '09:15', end: '15:30' },
  { exchange: 'NFO', start: '09:15', end: '15:40' },
  { exchange: 'BFO', start: '09:15', end: '15:40' },
  { exchange: 'CDS', start: '09:00', end: '17:00' },
  { exchange: 'BCD', start: '09:00', end: '17:00' },
  { exchange: 'MCX', start: '09:00', end: COMMODITY_CLOSE },
  { exchange: 'NCO', start: '09:00', end: COMMODITY_CLOSE },
  { exchange: 'CRYPTO', start: '00:00', end: '23:59' },
]

const SATURDAY = 6

/** A year of the seed. */
export interface SeedYear {
  year: number
  isComplete: boolean
}

/** Exchanges that a national holiday closes all day. */
const CLOSED = HOLIDAY_EXCHANGES.filter((exchange) => exchange !== 'MCX')

/** The exchanges of shares, and of futures and options on them. */
const EQUITY = ['NSE', 'BSE', 'NFO', 'BFO'] as const

type Mcx = 'evening' | 'closed'

/** Trading holidays announced by the exchanges. `evening`: commodities trade in the evening session. */
const TRADING_HOLIDAYS: readonly (readonly [date: string, description: string, mcx: Mcx])[] = [
  ['2025-02-26', 'Mahashivratri', 'evening'],
  ['2025-03-14', 'Holi', 'evening'],
  ['2025-03-31', 'Id-Ul-Fitr (Ramadan Eid)', 'evening'],
  ['2025-04-10', 'Shri Mahavir Jayanti', 'evening'],
  ['2025-04-14', 'Dr. Baba Saheb Ambedkar Jayanti', 'evening'],
  ['2025-04-18', 'Good Friday', 'closed'],
  ['2025-05-01', 'Maharashtra Day', 'evening'],
  ['2025-08-15', 'Independence Day', 'closed'],
  ['2025-08-27', 'Ganesh Chaturthi', 'evening'],
  ['2025-10-02', 'Mahatma Gandhi Jayanti/Dussehra', 'closed'],
  ['2025-10-22', 'Diwali Balipratipada', 'evening'],
  ['2025-11-05', 'Prakash Gurpurb Sri Guru Nanak Dev', 'evening'],
  ['2025-12-25', 'Christmas', 'closed'],
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

/**
 * Holidays with a fixed date, which close every exchange each year. They are all that is known of a year before
 * the exchanges publish its list in December.
 */
const FIXED_DATES: readonly (readonly [day: string, description: string])[] = [
  ['01-26', 'Republic Day'],
  ['08-15', 'Independence Day'],
  ['10-02', 'Mahatma Gandhi Jayanti'],
  ['12-25', 'Christmas'],
]

/** The years of the seed. `isComplete`: the seed has the list that the exchanges published. */
export const SEED_YEARS: readonly SeedYear[] = [
  { year: 2025, isComplete: true },
  { year: 2026, isComplete: true },
  { year: 2027, isComplete: false },
]

const MORNING = ['09:00', '17:00'] as const
const EVENING = ['17:00', COMMODITY_CLOSE] as const

/** Days on which commodities have no evening session (the holiday lists of MCX); all else trades as usual. */
const MORNINGS_ONLY: readonly (readonly [date: string, description: string])[] = [
  ['2025-01-01', 'New Year Day (no evening session)'],
  ['2026-01-01', 'New Year Day (no evening session)'],
]

/** Sessions at unusual times, with date and time of both ends per exchange. */
const SPECIAL_SESSIONS: readonly Omit<NewHoliday, 'type'>[] = [
  {
    date: '2025-02-01',
    description: 'Union Budget (Saturday session)',
    exchanges: [
      ...EQUITY.map((exchange) => window(exchange, '2025-02-01', '09:15', '2025-02-01', '15:30')),
      window('MCX', '2025-02-01', '09:00', '2025-02-01', '17:00'),
    ],
  },
  {
    date: '2026-02-01',
    description: 'Union Budget (Sunday session)',
    exchanges: [
      ...EQUITY.map((exchange) => window(exchange, '2026-02-01', '09:15', '2026-02-01', '15:30')),
      ...['MCX', 'NCO'].map((exchange) => window(exchange, '2026-02-01', '09:00', '2026-02-01', '17:00')),
    ],
  },
  {
    date: '2025-10-21',
    description: 'Diwali Laxmi Pujan (Muhurat Trading)',
    exchanges: [...CLOSED, 'MCX'].map((exchange) =>
      window(exchange, '2025-10-21', '13:45', '2025-10-21', '14:45'),
    ),
  },
  {
    date: '2026-11-08',
    description: 'Diwali Laxmi Pujan (Muhurat Trading)',
    exchanges: [
      ...CLOSED.map((exchange) => window(exchange, '2026-11-08', '18:00', '2026-11-08', '19:15')),
      window('MCX', '2026-11-08', '18:00', '2026-11-09', '00:15'),
    ],
  },
]

/** Returns the fixed holidays of the years without a list. Like the published lists, it omits weekends. */
function fixedHolidays(): (readonly [date: string, description: string, mcx: Mcx])[] {
  return SEED_YEARS.filter(({ isComplete }) => !isComplete).flatMap(({ year }) =>
    FIXED_DATES.map(([day, description]) => [`${year}-${day}`, description, 'closed'] as const).filter(
      ([date]) => weekdayOf(date) < SATURDAY,
    ),
  )
}

/** Holidays of the first start, ascending. Later ones are entered by the user. */
export const SEED_HOLIDAYS: readonly NewHoliday[] = [
  ...[...TRADING_HOLIDAYS, ...fixedHolidays()].map(
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
  ...MORNINGS_ONLY.map(
    ([date, description]): NewHoliday => ({
      date,
      description,
      type: 'TRADING_HOLIDAY',
      exchanges: [window('MCX', date, MORNING[0], date, MORNING[1])],
    }),
  ),
  ...SPECIAL_SESSIONS.map((session): NewHoliday => ({ ...session, type: 'SPECIAL_SESSION' })),
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
