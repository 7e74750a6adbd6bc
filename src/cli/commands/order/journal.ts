import { allPages } from '../../../client/answers/pages.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { ORDER_OPTIONS, PERIOD_OPTIONS, rowFilterOf } from '../history.js'
import { unitsProblem } from './fields.js'
import { plainOrderId } from './names.js'

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
  { key: 'mode', kind: 'status', leaves: 6 },
  { key: 'reason', leaves: 3 },
  { key: 'updated_at', title: 'UPDATED', kind: 'time', leaves: 1 },
] as const satisfies readonly Column[]

/** Orders of the broker that an order in doubt may be. */
const CANDIDATES = [
  { key: 'id', title: 'MAY BE' },
  { key: 'status', kind: 'status' },
  { key: 'filled_quantity', title: 'FILLED', kind: 'quantity' },
  { key: 'price', kind: 'price' },
  { key: 'placed_at', title: 'PLACED', kind: 'time' },
] as const satisfies readonly Column[]

type State = RouteAnswer<'GET /orders/journal'>['data'][number]['state']
/** Every state; the type asks for each of them. */
const EVERY: Readonly<Record<State, true>> = {
  claimed: true,
  sending: true,
  accepted: true,
  triggered: true,
  rejected: true,
  unknown: true,
  partial: true,
  filled: true,
  cancelled: true,
  lapsed: true,
}
const STATES = Object.keys(EVERY)
const DEFAULT_ROWS = 100

export const journal: CommandSpec = {
  name: 'journal',
  summary: 'Shows the journal of live orders: each order sent, and its outcome.',
  examples: [
    'order journal',
    'order journal --status unknown',
    'order journal --since 2h --symbol NSE:SBIN',
    'order journal S1M8…',
  ],
  columns: COLUMNS,
  arguments: [{ syntax: '[reference]', summary: 'one order with its history', complete: 'journal' }],
  options: [
    { flags: '--status <state>', summary: 'only this state; unknown means in doubt', choices: STATES },
    { flags: '--state <state>', summary: 'the same as --status', choices: STATES },
    ...ORDER_OPTIONS,
    ...PERIOD_OPTIONS,
  ],
  async run(context, input) {
    const word = input.argument(0)
    const reference = word === undefined ? undefined : plainOrderId(word)
    if (reference !== undefined) {
      const { body } = await context.read('GET /orders/journal/:ref', { params: { ref: reference } })
      const entry = body.data
      const fields = [...COLUMNS, { key: 'instructions', title: 'ASKS' } as const]
      await context.out.record({ record: entry, fields, id: 'order_ref' })
      if (!context.settings.format) {
        await context.out.list({
          rows: entry.events,
          columns: [{ key: 'at', kind: 'time' }, { key: 'from' }, { key: 'to' }, { key: 'detail' }],
          id: 'at',
          empty: 'No events.',
        })
        if (entry.candidates.length > 0) {
          await context.out.list({ rows: entry.candidates, columns: CANDIDATES, id: 'id', empty: '' })
        }
      }
      return EXIT.done
    }
    const { limit = DEFAULT_ROWS, ...filter } = rowFilterOf(context, input)
    const state = input.text('status') ?? input.text('state')
    const rows = await allPages(limit, async (size, before) => {
      const query = { ...filter, state, limit: size, before }
      const { body } = await context.read('GET /orders/journal', { query })
      return { rows: body.data, next: body.next_before }
    })
    await context.out.list({
      rows,
      columns: COLUMNS,
      id: 'order_ref',
      empty: state === 'unknown' ? 'No order is in doubt.' : 'The journal is empty.',
    })
    return EXIT.done
  },
}

export const settle = declared({
  name: 'settle',
  summary: "Records how an order in doubt or a lapsed order ended. Check the broker's own order book first.",
  examples: [
    'order settle S1M8… --outcome accepted --orderid 250408000989443 --reason "seen in the order book"',
    'order settle S1M8… --outcome rejected --reason "not in the order book" --yes',
    'order settle S1M8… --outcome filled --price 812.4 --reason "in the contract note" --yes',
  ],
  details:
    '`svc order journal REFERENCE` lists the orders of the broker that an order in doubt may be.\n' +
    'accepted: the broker has the order, and it may still trade. rejected: the broker does not have it, or it fills no\n' +
    'further. filled: it filled at --price; without --quantity the whole order. The run of a strategy acts on the answer:\n' +
    'after `rejected` it sends an exit again.',
  arguments: [{ syntax: '<reference>', summary: 'reference of the order', complete: 'journal' }],
  options: [
    {
      flags: '--outcome <outcome>',
      summary: 'outcome at the broker',
      choices: ['accepted', 'rejected', 'filled'],
    },
    { flags: '--orderid <id>', complete: 'orders', summary: "the broker's order id, when accepted" },
    { flags: '--price <price>', summary: 'average price, when filled' },
    { flags: '--quantity <quantity>', summary: 'filled quantity; the whole order without it' },
    { flags: '--reason <text>', summary: 'source of this knowledge; stored in the journal' },
    { flags: '--force', summary: "settle although the broker's order book cannot be read" },
  ],
  calls: 'POST /orders/journal/:ref/settle',
  request: (input) => ({ params: { ref: plainOrderId(input.required(0)) }, body: settlementOf(input) }),
  asks: ({ input, request }) => `Settle ${request.params.ref} as ${input.text('outcome')}`,
  acted: (_, { input, request }) => `${request.params.ref} is settled as ${input.text('outcome')}.`,
})

/** Returns how an order ended. @throws a usage error for an outcome that lacks a fact */
function settlementOf(input: Input) {
  const [outcome, orderid, reason, price, quantity] = (
    ['outcome', 'orderid', 'reason', 'price', 'quantity'] as const
  ).map((name) => input.text(name))
  if (outcome === undefined)
    throw usageError('The outcome is missing.', 'Pass --outcome accepted, rejected or filled.')
  if (reason === undefined)
    throw usageError(
      'The reason is missing.',
      'Pass --reason TEXT: how you know the outcome. The journal stores it.',
    )
  if (outcome === 'accepted' && orderid === undefined) {
    throw usageError('An accepted order needs its id at the broker.', 'Pass --orderid ID.')
  }
  if (outcome === 'filled' && price === undefined) {
    throw usageError('An order that filled needs its price.', 'Pass --price PRICE: the average of its fills.')
  }
  const problem = quantity === undefined ? undefined : unitsProblem(quantity)
  if (problem !== undefined) throw usageError(`quantity: ${problem}`)
  return {
    outcome,
    reason,
    ...(orderid === undefined ? {} : { orderid }),
    ...(price === undefined ? {} : { price }),
    ...(quantity === undefined ? {} : { quantity }),
    ...(input.flag('force') && { force: true }),
  }
}
