import type { CommandSpec } from '../../framework/command.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Column } from '../../output/output.js'

const COLUMNS = [
  { key: 'order_ref', title: 'REFERENCE' },
  { key: 'state', kind: 'status' },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 4 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'orderid', title: 'ORDER', leaves: 2 },
  { key: 'trigger_id', title: 'TRIGGER', leaves: 4 },
  { key: 'approval_id', title: 'APPROVAL', leaves: 5 },
  { key: 'reason', leaves: 3 },
  { key: 'updated_at', title: 'UPDATED', kind: 'time', leaves: 1 },
] as const satisfies readonly Column[]

export const journal: CommandSpec = {
  name: 'journal',
  summary: 'Shows the journal of live orders: each order sent, and its outcome.',
  examples: ['order journal', 'order journal --state unknown', 'order journal S1M8…'],
  arguments: [{ syntax: '[reference]', summary: 'one order with its history', complete: 'journal' }],
  options: [
    { flags: '--state <state>', summary: 'only this state; unknown means in doubt' },
    { flags: '--limit <n>', summary: 'maximum number of rows' },
  ],
  async run(context, input) {
    const reference = input.argument(0)
    if (reference !== undefined) {
      const { body } = await context.read('GET /orders/journal/:ref', { params: { ref: reference } })
      const entry = body.data
      await context.out.record({ record: entry, fields: COLUMNS, id: 'order_ref' })
      if (!context.settings.format) {
        await context.out.list({
          rows: entry.events,
          columns: [{ key: 'at', kind: 'time' }, { key: 'from' }, { key: 'to' }, { key: 'detail' }],
          id: 'at',
          empty: 'No events.',
        })
      }
      return EXIT.done
    }
    const query = { state: input.text('state'), limit: input.text('limit') }
    const { body } = await context.read('GET /orders/journal', { query })
    await context.out.list({
      rows: body.data,
      columns: COLUMNS,
      id: 'order_ref',
      empty: input.text('state') === 'unknown' ? 'No order is in doubt.' : 'The journal is empty.',
    })
    return EXIT.done
  },
}

export const settle: CommandSpec = {
  name: 'settle',
  summary: "Records the outcome of an order in doubt. Check the broker's own order book first.",
  examples: [
    'order settle S1M8… --outcome accepted --orderid 250408000989443 --reason "seen in the order book"',
    'order settle S1M8… --outcome rejected --reason "not in the order book" --yes',
  ],
  arguments: [{ syntax: '<reference>', summary: 'reference of the order', complete: 'journal' }],
  options: [
    { flags: '--outcome <outcome>', summary: 'outcome at the broker', choices: ['accepted', 'rejected'] },
    { flags: '--orderid <id>', summary: "the broker's order id, when accepted" },
    { flags: '--reason <text>', summary: 'source of this knowledge; stored in the journal' },
    { flags: '--force', summary: "settle although the broker's order book cannot be read" },
  ],
  async run(context, input) {
    const reference = input.required(0)
    const [outcome, orderid, reason] = ['outcome', 'orderid', 'reason'].map((name) => input.text(name))
    if (outcome === undefined)
      throw usageError('The outcome is missing.', 'Pass --outcome accepted or rejected.')
    if (reason === undefined)
      throw usageError(
        'The reason is missing.',
        'Pass --reason TEXT: how you know the outcome. The journal stores it.',
      )
    if (outcome === 'accepted' && orderid === undefined) {
      throw usageError('An accepted order needs its id at the broker.', 'Pass --orderid ID.')
    }
    await context.prompts.confirm(`Settle ${reference} as ${outcome}`)
    const { body } = await context.change('POST /orders/journal/:ref/settle', {
      params: { ref: reference },
      body: {
        outcome,
        reason,
        ...(orderid === undefined ? {} : { orderid }),
        ...(input.flag('force') && { force: true }),
      },
    })
    await context.out.acted(body, `${reference} is settled as ${outcome}.`)
    return EXIT.done
  },
}
