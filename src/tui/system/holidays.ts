import type { SvcClient } from '../../client/index.js'
import { isDate } from '../../core/time/index.js'
import { HOLIDAY_COLUMNS, HOLIDAY_TYPES, holidayRows, hoursOf } from '../../views/system/holiday.js'
import { countText } from '../../views/text/count.js'
import { type FormField, type FormValues, timeProblem } from '../components/form/Form.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, READ_SELDOM } from '../live/feed.js'
import type { FormDialog } from '../question/use-dialogs.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { listView } from '../screen/list-view.js'

type HolidayRow = ReturnType<typeof holidayRows>[number]

interface HolidayContent {
  /** The year of the rows; undefined before the first read. */
  year: number | undefined
  rows: readonly HolidayRow[]
  exchanges: readonly string[]
  /** The warning about a year whose holidays are not complete. */
  warning: string
}

const NO_HOLIDAYS: HolidayContent = { year: undefined, rows: [], exchanges: [], warning: '' }
/** The years of the daemon. */
const [FIRST_YEAR, LAST_YEAR] = [2020, 2050]

/** The holidays and special sessions of a year: at first the current one. */
class HolidayFeed extends Feed<HolidayContent> {
  readonly #asked: { year: number | undefined }

  constructor(daemon: LiveDaemon) {
    const asked: { year: number | undefined } = { year: undefined }
    super(daemon, { ...READ_SELDOM, read: (client) => readHolidays(client, asked.year) }, NO_HOLIDAYS)
    this.#asked = asked
  }

  /** Shows another year. */
  moveYear(by: number): void {
    const year = (this.#asked.year ?? this.state().content.year ?? 0) + by
    if (year < FIRST_YEAR || year > LAST_YEAR) return
    this.#asked.year = year
    void this.refresh()
  }
}

async function readHolidays(client: SvcClient, year: number | undefined): Promise<HolidayContent> {
  const body = await client.request('GET /admin/api/holidays', { query: { year } })
  const { current_year, exchanges, warning = '' } = body
  return { year: current_year, rows: holidayRows(body), exchanges, warning }
}

/** The holidays and special sessions of a year. */
export const holidays = listView({
  name: 'holidays',
  feed: HolidayFeed,
  useRows: ({ content }) => content.rows,
  columns: HOLIDAY_COLUMNS,
  empty: ({ content: { year, warning } }) => `No holidays of ${year}. n adds one. ${warning}`,
  summary: ({ content: { year, rows, warning } }) =>
    `${year === undefined ? '' : `${year}: ${countText(rows.length, 'day')}`}  ${warning}`,
  keys: [
    {
      id: 'holidays.add',
      keys: ['n'],
      does: 'add',
      explained: 'add a holiday or a special session',
      command: 'svc admin holiday add',
      act: ({ content, dialogs, refresh }) => dialogs.open(additionForm(content, refresh)),
    },
    {
      id: 'holidays.delete',
      keys: ['d'],
      does: 'delete',
      explained: 'delete the entry: asks',
      command: 'svc admin holiday delete <id>',
      act: ({ row, dialogs, refresh }) => row && dialogs.ask(deletionQuestion(row, refresh)),
    },
    {
      id: 'holidays.next-year',
      keys: ['right'],
      shown: '←→',
      does: 'year',
      command: 'svc admin holiday list --year 2027',
      act: ({ feed }) => feed.moveYear(1),
    },
    { id: 'holidays.year-before', keys: ['left'], act: ({ feed }) => feed.moveYear(-1) },
  ],
})

const CHECK = 'svc admin holiday list'
const MOST_LETTERS = 150

/** The form that adds a holiday or a special session. */
function additionForm({ exchanges, year }: HolidayContent, onAnswer: () => void): FormDialog {
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
      problem: (text, values) => unknown(separated(text)) ?? closedProblem(text, values),
    },
    {
      name: 'open_exchanges',
      label: 'Open',
      isShown: ({ holiday_type }) => holiday_type !== 'settlement',
      problem(text, values) {
        const wrong = separated(text).find((part) => !isHours(part))
        if (wrong !== undefined) return `${wrong} is not like MCX=17:00-23:55`
        const names = separated(text).flatMap((part) => hoursOf(part)?.exchange ?? [])
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
  const isNone = separated(text).length === 0 && separated(open_exchanges).length === 0
  return isNone ? 'the exchanges that do not trade' : undefined
}

function openProblem(text: string, { holiday_type }: FormValues): string | undefined {
  const isMissing = holiday_type === 'special' && separated(text).length === 0
  return isMissing ? 'at least one exchange with its hours' : undefined
}

/** Returns whether a text is an exchange with its hours. An end before its start is on the next day. */
function isHours(text: string): boolean {
  const hours = hoursOf(text)
  return (
    hours !== undefined && [hours.start_time, hours.end_time].every((time) => timeProblem(time) === undefined)
  )
}

const separated = (text: string): readonly string[] =>
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
          holiday_type: holidayType(holiday_type),
          exchanges: separated(exchanges),
          open_exchanges: separated(open_exchanges).flatMap((part) => hoursOf(part) ?? []),
        },
      })
      return [`${message}.`, warning].filter((part) => part !== undefined).join(' ')
    },
  }
}

function holidayType(name: string) {
  return name === 'special' || name === 'settlement' ? TYPES[name] : TYPES.trading
}

const TYPES = {
  trading: 'TRADING_HOLIDAY',
  settlement: 'SETTLEMENT_HOLIDAY',
  special: 'SPECIAL_SESSION',
} as const

function deletionQuestion(
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
