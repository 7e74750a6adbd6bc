import { TIMED_EXCHANGES } from '../../../core/calendar/vocabulary.js'
import { TIMING_COLUMNS, timingRows } from '../../../views/system/timing.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'

const list = declared({
  name: 'list',
  summary: 'Lists the usual trading hours of the exchanges, and those of today, in Indian time.',
  examples: ['admin timing list', 'admin timing list --json'],
  calls: 'GET /admin/api/timings',
  list: (answer) => ({
    rows: timingRows(answer),
    id: 'exchange',
    empty: 'No timings.',
    columns: TIMING_COLUMNS,
  }),
  note: ({ warning }) => warning,
})

const set = declared({
  name: 'set',
  summary: 'Changes the usual hours of an exchange, in Indian time. It applies at once.',
  examples: ['admin timing set NFO 09:15 15:30'],
  arguments: [
    { syntax: '<exchange>', summary: 'code of the exchange', complete: TIMED_EXCHANGES },
    { syntax: '<opens>', summary: 'HH:MM' },
    { syntax: '<closes>', summary: 'HH:MM' },
  ],
  calls: 'PUT /admin/api/timings/:exchange',
  request: (input) => ({
    params: { exchange: input.required(0) },
    body: { start_time: input.required(1), end_time: input.required(2) },
  }),
  asks: ({ input }) =>
    `Set the usual hours of ${input.required(0).toUpperCase()} to ${input.required(1)} to ${input.required(2)}`,
  acted: ({ message }) => `${message}.`,
})

const check = declared({
  name: 'check',
  summary: 'Lists the exchanges that trade on a date, with their hours in Indian time.',
  examples: ['admin timing check 2026-11-08', 'admin timing check 2026-12-25 --json'],
  arguments: [{ syntax: '<date>', summary: 'YYYY-MM-DD' }],
  calls: 'POST /admin/api/timings/check',
  reads: true,
  request: (input) => ({ body: { date: input.required(0) } }),
  list: ({ date, timings }) => ({
    rows: timings,
    id: 'exchange',
    empty: `No exchange trades on ${date}.`,
    columns: [
      { key: 'exchange' },
      { key: 'start_time', title: 'OPENS' },
      { key: 'end_time', title: 'CLOSES' },
    ],
  }),
  note: ({ warning }) => warning,
})

export const timing: CommandSpec = {
  name: 'timing',
  summary: 'The trading hours of the exchanges.',
  examples: ['admin timing list', 'admin timing set NFO 09:15 15:30', 'admin timing check 2026-11-08'],
  verbs: [list, set, check],
}
