import { TIMING_COLUMNS, timingRows } from '../../../views/system/timing.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'

/** Values to suggest. The daemon decides which it takes. */
const EXCHANGES = ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD', 'MCX', 'NCO'] as const

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the usual trading hours of the exchanges, and those of today, in Indian time.',
  examples: ['admin timing list', 'admin timing list --json'],
  async run(context) {
    const { body } = await context.read('GET /admin/api/timings')
    await context.out.list({
      rows: timingRows(body),
      id: 'exchange',
      empty: 'No timings.',
      columns: TIMING_COLUMNS,
    })
    if (body.warning !== undefined) context.out.note(body.warning)
    return EXIT.done
  },
}

const set: CommandSpec = {
  name: 'set',
  summary: 'Changes the usual hours of an exchange, in Indian time. It applies at once.',
  examples: ['admin timing set NFO 09:15 15:30'],
  arguments: [
    { syntax: '<exchange>', summary: 'code of the exchange', complete: EXCHANGES },
    { syntax: '<opens>', summary: 'HH:MM' },
    { syntax: '<closes>', summary: 'HH:MM' },
  ],
  async run(context, input) {
    const exchange = input.required(0)
    const hours = { start_time: input.required(1), end_time: input.required(2) }
    await context.prompts.confirm(
      `Set the usual hours of ${exchange.toUpperCase()} to ${hours.start_time} to ${hours.end_time}`,
    )
    const { body } = await context.change('PUT /admin/api/timings/:exchange', {
      params: { exchange },
      body: hours,
    })
    await context.out.acted(body, `${body.message}.`)
    return EXIT.done
  },
}

const check: CommandSpec = {
  name: 'check',
  summary: 'Lists the exchanges that trade on a date, with their hours in Indian time.',
  examples: ['admin timing check 2026-11-08', 'admin timing check 2026-12-25 --json'],
  arguments: [{ syntax: '<date>', summary: 'YYYY-MM-DD' }],
  async run(context, input) {
    const { body } = await context.read('POST /admin/api/timings/check', {
      body: { date: input.required(0) },
    })
    await context.out.list({
      rows: body.timings,
      id: 'exchange',
      empty: `No exchange trades on ${body.date}.`,
      columns: [
        { key: 'exchange' },
        { key: 'start_time', title: 'OPENS' },
        { key: 'end_time', title: 'CLOSES' },
      ],
    })
    if (body.warning !== undefined) context.out.note(body.warning)
    return EXIT.done
  },
}

export const timing: CommandSpec = {
  name: 'timing',
  summary: 'The trading hours of the exchanges.',
  examples: ['admin timing list', 'admin timing set NFO 09:15 15:30', 'admin timing check 2026-11-08'],
  verbs: [list, set, check],
}
