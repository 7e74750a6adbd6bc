import { weekdayOf } from '../time/index.js'
import type { Calendar } from './calendar.js'
import type { Holiday, TradingWindow } from './schema.js'

const SATURDAY = 6

/** What kind of day an exchange has: its usual hours, hours of this day alone, or none. */
export const DAY_KINDS = ['usual', 'special', 'short', 'holiday', 'weekend'] as const
type DayKind = (typeof DAY_KINDS)[number]

/** A day of an exchange. */
export interface ExchangeDay {
  exchange: string
  /** `YYYY-MM-DD`, in IST. */
  date: string
  kind: DayKind
  /** The hours; undefined if it does not trade. */
  session: TradingWindow | undefined
  /** The name of the holiday or of the special session; undefined on any other day. */
  description: string | undefined
}

/** Returns what an exchange does on a date. */
export function exchangeDay(calendar: Calendar, exchange: string, date: string): ExchangeDay {
  const session = calendar.sessionOf(exchange, date)
  const entries = calendar.holidaysOf(Number(date.slice(0, 4))).filter((entry) => entry.date === date)
  const special = entries.find(({ type }) => type === 'SPECIAL_SESSION')
  const holiday = special ?? entries.find(({ type }) => type === 'TRADING_HOLIDAY')
  const kind = kindOf(session, special, holiday && hoursIn(holiday, session), date)
  const isNamed = kind === 'special' || kind === 'short' || kind === 'holiday'
  return { exchange, date, kind, session, description: isNamed ? holiday?.description : undefined }
}

function kindOf(
  session: TradingWindow | undefined,
  special: Holiday | undefined,
  hasOwnHours: boolean | undefined,
  date: string,
): DayKind {
  if (session !== undefined && special !== undefined && hasOwnHours) return 'special'
  if (session !== undefined) return hasOwnHours ? 'short' : 'usual'
  return weekdayOf(date) >= SATURDAY ? 'weekend' : 'holiday'
}

/** Returns whether an entry has these hours. */
function hoursIn({ exchanges }: Holiday, session: TradingWindow | undefined): boolean {
  return exchanges.some(
    ({ isOpen, start, end }) => isOpen && start === session?.open && end === session?.close,
  )
}
