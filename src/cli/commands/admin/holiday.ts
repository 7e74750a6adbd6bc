import { HOLIDAY_EXCHANGES } from '../../../core/calendar/vocabulary.js'
import { HOLIDAY_COLUMNS, HOLIDAY_TYPES, holidayRows, hoursOf } from '../../../views/system/holiday.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'

const TYPE_NAMES = Object.keys(HOLIDAY_TYPES)

interface Warned {
  warning?: string | undefined
}

/** Returns the warning of an answer about a year whose holidays are not complete, and the next step. */
function gapText({ warning }: Warned, year: number | string): string | undefined {
  if (warning === undefined) return undefined
  return `${warning} Add what the exchanges publish: svc admin holiday add. Then: svc admin holiday complete ${year}`
}

const list = declared({
  name: 'list',
  summary: 'Lists the holidays and special sessions of a year, and warns when the list is not complete.',
  examples: ['admin holiday list', 'admin holiday list --year 2027', 'admin holiday list --json'],
  options: [{ flags: '--year <year>', summary: 'from 2020 to 2050 (default: the current year)' }],
  calls: 'GET /admin/api/holidays',
  request: (input) => ({ query: { year: input.text('year') } }),
  list: (answer) => ({
    rows: holidayRows(answer),
    id: 'id',
    empty: `No holidays of ${answer.current_year}.`,
    columns: HOLIDAY_COLUMNS,
  }),
  note: (answer) => gapText(answer, answer.current_year),
})

const add = declared({
  name: 'add',
  summary:
    'Adds a holiday or a special session. It applies at once, to schedules and the simulated account, too.',
  details:
    'On a trading holiday the exchanges of --closed do not trade, those of --open trade at these hours, and the others as usual. On a special session only the exchanges of --open trade. A settlement holiday changes no hours: shares are not settled. Hours are Indian; an end before its start is on the next day, at the latest at 03:00.',
  examples: [
    'admin holiday add 2027-03-22 Holi --closed NSE,BSE,NFO,BFO,CDS,BCD --open MCX=17:00-23:55',
    'admin holiday add 2027-10-29 "Muhurat Trading" --type special --open NSE=18:00-19:15 --open MCX=18:00-00:15',
    'admin holiday add 2027-04-01 "Bank holiday" --type settlement',
  ],
  arguments: [
    { syntax: '<date>', field: 'holiday_date', summary: 'YYYY-MM-DD' },
    { syntax: '<description>', summary: 'name of the holiday' },
  ],
  options: [
    {
      flags: '--type <type>',
      field: 'holiday_type',
      summary: 'trading (default), settlement or special',
      choices: TYPE_NAMES,
    },
    {
      flags: '--closed <codes>',
      field: 'exchanges',
      summary: 'exchanges that do not trade, with commas (may be repeated)',
      repeatable: true,
      complete: HOLIDAY_EXCHANGES,
    },
    {
      flags: '--open <code=hours>',
      field: 'open_exchanges',
      summary: 'an exchange that trades at hours of its own, such as MCX=17:00-23:55 (may be repeated)',
      repeatable: true,
    },
  ],
  calls: 'POST /admin/api/holidays',
  request: (input) => ({
    body: {
      holiday_date: input.required(0),
      description: input.required(1),
      holiday_type: HOLIDAY_TYPES[input.text('type') ?? 'trading'],
      exchanges: input.list('closed').flatMap((codes) => codes.split(',')),
      open_exchanges: input.list('open').map(openExchange),
    },
  }),
  acted: ({ message }) => `${message}.`,
})

function openExchange(text: string) {
  const hours = hoursOf(text)
  if (hours === undefined) {
    throw usageError(`--open must be an exchange and its hours, such as MCX=17:00-23:55, was "${text}".`)
  }
  return hours
}

const remove = declared({
  name: 'delete',
  aliases: ['remove'],
  summary: 'Deletes a holiday or a special session. It applies at once.',
  examples: ['admin holiday delete 41', 'admin holiday delete 41 --yes'],
  arguments: [{ syntax: '<id>', summary: 'id from svc admin holiday list' }],
  calls: 'DELETE /admin/api/holidays/:id',
  request: (input) => ({ params: { id: input.required(0) } }),
  asks: ({ request }) => `Delete entry ${request.params.id} of the calendar`,
  acted: ({ message }) => `${message}.`,
})

const complete = declared({
  name: 'complete',
  summary: 'Says that the calendar has all holidays of a year; ends the warning about it.',
  examples: ['admin holiday complete 2027', 'admin holiday complete 2027 --undo'],
  arguments: [{ syntax: '<year>', summary: 'from 2020 to 2050' }],
  options: [{ flags: '--undo', summary: 'the list is not complete after all' }],
  calls: 'PUT /admin/api/holidays/years/:year',
  request: (input) => ({ params: { year: input.required(0) }, body: { complete: !input.flag('undo') } }),
  acted: ({ message }) => `${message}.`,
  note: (answer, { request }) => gapText(answer, request.params.year),
})

export const holiday: CommandSpec = {
  name: 'holiday',
  summary: 'Holidays and special sessions of the exchanges.',
  examples: [
    'admin holiday list --year 2027',
    'admin holiday add 2027-03-22 Holi --closed NSE,BSE,NFO,BFO,CDS,BCD --open MCX=17:00-23:55',
    'admin holiday complete 2027',
  ],
  verbs: [list, add, remove, complete],
}
