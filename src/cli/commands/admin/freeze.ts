import { isObject } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { FREEZE_EXCHANGES } from '../../../core/instruments/vocabulary.js'
import { FREEZE_COLUMNS } from '../../../views/system/freeze.js'
import { visible } from '../../../views/table/cells.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError, noSuch } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { readInput } from '../order/request.js'

const ID = { syntax: '<id>', summary: 'id from svc admin freeze list' } as const
const QUANTITY = { syntax: '<quantity>', summary: 'the largest order in units' } as const
const EXCHANGE = {
  syntax: '<exchange>',
  summary: FREEZE_EXCHANGES.join(', '),
  complete: FREEZE_EXCHANGES,
} as const

const list = declared({
  name: 'list',
  summary: 'Lists the freeze quantities: the largest orders that exchanges accept, by underlying.',
  examples: [
    'admin freeze list',
    'admin freeze list --exchange MCX',
    'admin freeze list -o csv > freeze.csv',
  ],
  options: [{ flags: '--exchange <code>', summary: 'only those of an exchange', complete: FREEZE_EXCHANGES }],
  calls: 'GET /admin/api/freeze',
  list: ({ data }, { input }) => {
    const exchange = input.text('exchange')?.toUpperCase()
    return {
      rows: exchange === undefined ? data : data.filter((row) => row.exchange === exchange),
      id: 'id',
      empty: 'No freeze quantities.',
      columns: FREEZE_COLUMNS,
    }
  },
})

const add = declared({
  name: 'add',
  summary: 'Adds the freeze quantity of an underlying. It applies at once.',
  examples: ['admin freeze add NFO ZOMATO 2500'],
  arguments: [
    EXCHANGE,
    { syntax: '<symbol>', summary: 'underlying, such as NIFTY', complete: 'symbols' },
    QUANTITY,
  ],
  calls: 'POST /admin/api/freeze',
  request: (input) => ({
    body: { exchange: input.required(0), symbol: input.required(1), freeze_qty: input.required(2) },
  }),
  acted: storedText,
})

const set = declared({
  name: 'set',
  summary: 'Changes a freeze quantity. It applies at once.',
  examples: ['admin freeze set 17 1200'],
  arguments: [ID, QUANTITY],
  calls: 'PUT /admin/api/freeze/:id',
  request: (input) => ({ params: { id: input.required(0) }, body: { freeze_qty: input.required(1) } }),
  acted: storedText,
})

function storedText({ data }: RouteAnswer<'POST /admin/api/freeze' | 'PUT /admin/api/freeze/:id'>): string {
  return `${data.exchange}:${data.symbol} has the freeze quantity ${data.freeze_qty}.`
}

const remove = declared({
  name: 'delete',
  aliases: ['remove'],
  summary: 'Deletes a freeze quantity: the underlying then has no known limit.',
  examples: ['admin freeze delete 17', 'admin freeze delete 17 --yes'],
  arguments: [ID],
  calls: 'DELETE /admin/api/freeze/:id',
  request: (input) => ({ params: { id: input.required(0) } }),
  asks: ({ request }) => `Delete freeze quantity ${request.params.id}`,
  requireKnown: async ({ context, request }) => {
    const { id } = request.params
    const { data } = (await context.read('GET /admin/api/freeze')).body
    if (!data.some((row) => String(row.id) === id))
      throw noSuch('freeze quantity', id, 'svc admin freeze list')
  },
  acted: ({ message }) => `${message}.`,
})

const upload: CommandSpec = {
  name: 'upload',
  summary: 'Replaces the freeze quantities of an exchange with those of a CSV file, or changes nothing.',
  details:
    'The file is the one that exchanges publish: the first line names the columns, SYMBOL and one whose name contains FRZ count. An entry that the file does not have is deleted. One unusable row refuses the whole file; the refusal lists such rows by line.',
  examples: [
    'admin freeze upload NFO qtyfreeze.csv --yes',
    'admin freeze upload MCX freeze.csv --yes',
    'curl … | svc admin freeze upload NFO - --yes',
  ],
  arguments: [EXCHANGE, { syntax: '<file>', summary: 'a CSV file; - reads stdin' }],
  options: [{ flags: '--all', summary: 'report unchanged rows, too' }],
  async run(context, input) {
    const exchange = input.required(0)
    const text = await readInput(input.required(1), context.io)
    await context.prompts.confirm(`Replace all freeze quantities of ${exchange.toUpperCase()}`)
    const { data } = await uploaded(context, exchange, text)
    const removed = data.removed.map(({ symbol, freeze_qty: previous }) => ({
      line: null,
      symbol,
      freeze_qty: null,
      outcome: 'removed',
      previous,
    }))
    const rows = [
      ...data.rows.filter(({ outcome }) => input.flag('all') || outcome !== 'unchanged'),
      ...removed,
    ]
    await context.out.list({
      rows,
      id: 'symbol',
      empty: 'Nothing changed.',
      columns: [
        { key: 'line', kind: 'quantity' },
        { key: 'symbol' },
        { key: 'outcome' },
        { key: 'previous', title: 'BEFORE', kind: 'quantity' },
        { key: 'freeze_qty', title: 'FREEZE', kind: 'quantity' },
      ],
    })
    context.out.note(
      `${data.exchange}: ${data.added} added, ${data.changed} changed, ${data.unchanged} unchanged, ${removed.length} removed.`,
    )
    return EXIT.done
  },
}

/** Sends the file. The rows that a refusal lists go to stderr, one a line. */
async function uploaded(context: Context, exchange: string, text: string) {
  try {
    const request = { query: { exchange }, body: text }
    return (await context.change('POST /admin/api/freeze/upload', request)).body
  } catch (thrown) {
    if (thrown instanceof CliError && isObject(thrown.response)) noteRows(context, thrown.response.results)
    throw thrown
  }
}

function noteRows(context: Context, rows: unknown): void {
  if (!Array.isArray(rows)) return
  context.out.note(`${countText(rows.length, 'row')} of the file cannot be used:`)
  for (const row of rows.filter(isObject)) context.out.note(visible(`  line ${row.line}: ${row.reason}`))
}

export const freeze: CommandSpec = {
  name: 'freeze',
  summary: 'Freeze quantities: the largest orders that exchanges accept.',
  examples: ['admin freeze list', 'admin freeze set 17 1200', 'admin freeze upload NFO qtyfreeze.csv --yes'],
  verbs: [list, add, set, remove, upload],
}
