import { isDate, parseTimeOfDay } from '../../core/time/index.js'
import { HOLIDAY_TYPES, hoursOf } from '../../views/system/holiday.js'
import type { FormField, FormValues } from '../components/form/Form.js'
import type { FormDialog } from '../dialog/dialog.js'
import type { Change } from '../live/changes/changes.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { FIRST_YEAR, type HolidayContent, type HolidayRow, LAST_YEAR } from './feeds/tables.js'

const CHECK = 'svc admin holiday list'
const MOST_LETTERS = 150

/** The form that adds a holiday or a special session. */
export function addHolidayForm({ exchanges, year }: HolidayContent, onAnswer: () => void): FormDialog {
  return {
    kind: 'form',
    title: 'Add a day. Several exchanges with commas: NSE,BSE and MCX=17:00-23:55',
    fields: fieldsFor(exchanges),
    first: {
      holiday_date: year === undefined ? '' : `${year}-`,
      description: '',
      holiday_type: 'trading',
      exchanges: '',
      open_exchanges: '',
    },
    changeOf: (values) => ({ ...addition(values), onAnswer }),
  }
}

function fieldsFor(known: readonly string[]): readonly FormField[] {
  const unknown = (names: readonly string[]) => {
    const one = names.find((name) => !known.includes(name.toUpperCase()))
    return one === undefined ? undefined : `${one} is none of ${known.join(' ')}`
  }
  return [
    { name: 'holiday_date', label: 'Date', problem: dateProblem },
    { name: 'description', label: 'Name', problem: nameProblem },
    { name: 'holiday_type', label: 'Type', choices: Object.keys(HOLIDAY_TYPES) },
    {
      name: 'exchanges',
      label: 'Closed',
      isShown: ({ holiday_type }) => holiday_type === 'trading',
      problem: (text, values) => unknown(partsOf(text)) ?? closedProblem(text, values),
    },
    {
      name: 'open_exchanges',
      label: 'Open',
      isShown: ({ holiday_type }) => holiday_type !== 'settlement',
      problem(text, values) {
        const wrong = partsOf(text).find((part) => !isHours(part))
        if (wrong !== undefined) return `${wrong} is not like MCX=17:00-23:55`
        const names = partsOf(text).flatMap((part) => hoursOf(part)?.exchange ?? [])
        return unknown(names) ?? openProblem(text, values)
      },
    },
  ]
}

function dateProblem(text: string): string | undefined {
  if (!isDate(text)) return 'a date: YYYY-MM-DD'
  const year = Number(text.slice(0, 4))
  return year >= FIRST_YEAR && year <= LAST_YEAR ? undefined : `from ${FIRST_YEAR} to ${LAST_YEAR}`
}

function nameProblem(text: string): string | undefined {
  if (text.trim() === '') return 'the name of the day'
  return text.length <= MOST_LETTERS ? undefined : `at most ${MOST_LETTERS} characters`
}

function closedProblem(text: string, { open_exchanges = '' }: FormValues): string | undefined {
  const isNone = partsOf(text).length === 0 && partsOf(open_exchanges).length === 0
  return isNone ? 'the exchanges that do not trade' : undefined
}

function openProblem(text: string, { holiday_type }: FormValues): string | undefined {
  const isMissing = holiday_type === 'special' && partsOf(text).length === 0
  return isMissing ? 'at least one exchange with its hours' : undefined
}

/** Returns whether a text is an exchange with its hours. An end before its start is on the next day. */
function isHours(text: string): boolean {
  const hours = hoursOf(text)
  return hours !== undefined && [hours.start_time, hours.end_time].every(isTime)
}

export const isTime = (text: string): boolean => text.length === 5 && parseTimeOfDay(text) !== undefined

const partsOf = (text: string): readonly string[] =>
  text
    .split(/[,\s]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

function addition(values: FormValues): Change {
  const {
    holiday_date = '',
    description = '',
    holiday_type = '',
    exchanges = '',
    open_exchanges = '',
  } = values
  return {
    name: `Entry of ${holiday_date}`,
    check: CHECK,
    async send(client) {
      const { message, warning } = await client.request('POST /admin/api/holidays', {
        body: {
          holiday_date,
          description: description.trim(),
          holiday_type: typeOf(holiday_type),
          exchanges: partsOf(exchanges),
          open_exchanges: partsOf(open_exchanges).flatMap((part) => hoursOf(part) ?? []),
        },
      })
      return [`${message}.`, warning].filter((part) => part !== undefined).join(' ')
    },
  }
}

function typeOf(name: string) {
  return name === 'special' || name === 'settlement' ? TYPES[name] : TYPES.trading
}

const TYPES = {
  trading: 'TRADING_HOLIDAY',
  settlement: 'SETTLEMENT_HOLIDAY',
  special: 'SPECIAL_SESSION',
} as const

export function deleteHolidayQuestion(
  { closed, date, description, id, open }: HolidayRow,
  onAnswer: () => void,
): ChangeQuestion {
  const lines = [closed && `Closed: ${closed}`, open && `Open: ${open}`].filter((line) => line !== '')
  return {
    title: `Delete ${date} ${description} from the calendar? Schedules follow at once.`,
    lines,
    change: {
      name: `Entry of ${date}`,
      check: CHECK,
      onAnswer,
      async send(client) {
        await client.request('DELETE /admin/api/holidays/:id', { params: { id: String(id) } })
        return 'deleted.'
      },
    },
  }
}
