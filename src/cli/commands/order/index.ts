import { allPages } from '../../../client/answers/pages.js'
import {
  type OrderRecord,
  orderRecords,
  pastOrderRecords,
  refusedRecords,
} from '../../../client/answers/records.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { DETAIL_FIELDS, ORDER_COLUMNS } from '../../../views/orders/order.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { each } from '../../framework/each.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { ORDER_OPTIONS, PERIOD_OPTIONS, type RowFilter, reachesBack, rowFilterOf } from '../history.js'
import { requireListed } from '../market/symbols.js'
import { cancel, cancelAll, modify } from './change.js'
import { ORDER_FIELDS, optionsOf, orderArgument } from './fields.js'
import { gtt } from './gtt.js'
import { journal, settle } from './journal.js'
import { basket, options, optionsMulti, smart, split } from './multi.js'
import { orderIds } from './names.js'
import { place } from './place.js'
import { orderOf, withPriceTypes } from './terms.js'
import { orderStatus, showOrder } from './wait.js'

const EXAMPLE = 'order margin SBIN NSE BUY 100 --product MIS'

const margin = declared({
  name: 'margin',
  summary: 'Computes the margin of an order, or of the positions in a file. Sends nothing.',
  examples: [EXAMPLE, 'order margin --from positions.json'],
  details:
    'The file of --from is one order, or the body of POST /api/v1/margin: {"positions":[{"symbol":"SBIN",\n' +
    '"exchange":"NSE","action":"BUY","quantity":100,"product":"MIS","pricetype":"MARKET"}]}',
  arguments: [orderArgument(ORDER_FIELDS, 'SYMBOL EXCHANGE ACTION QUANTITY, or - to read JSON from stdin')],
  options: optionsOf(ORDER_FIELDS),
  calls: 'POST /api/v1/margin',
  async request(input, context) {
    const { strategy: _, ...given } = await orderOf(ORDER_FIELDS, input, context, EXAMPLE)
    await requireListed(context, input, given)
    const several = Array.isArray(given.positions) && given.positions.length > 0
    const positions = several
      ? withPriceTypes(context, given.positions, 'Position')
      : [{ pricetype: 'MARKET', product: 'MIS', ...given }]
    return { body: { positions } }
  },
  record: ({ data }) => ({
    record: data,
    fields: [
      { key: 'total_margin_required', title: 'MARGIN ₹', kind: 'money' },
      { key: 'span_margin', title: 'SPAN ₹', kind: 'money' },
      { key: 'exposure_margin', title: 'EXPOSURE ₹', kind: 'money' },
    ],
    id: 'total_margin_required',
  }),
})

type PastOrder = RouteAnswer<'GET /orders/history'>['data'][number]

/** Every status of an order: the type refuses one that is missing or unknown. */
const STATUSES = Object.keys({
  open: 0,
  'trigger pending': 0,
  complete: 0,
  cancelled: 0,
  rejected: 0,
  unknown: 0,
  lapsed: 0,
} satisfies Record<PastOrder['order_status'], 0>)

const list: CommandSpec = {
  name: 'list',
  summary:
    'Lists the orders of the session, newest first; with --since, --until or --strategy of all sessions.',
  details:
    'The history has the orders that this service sent, in the current mode. It needs a session: svc login. The status\n' +
    'unknown means in doubt; lapsed means that the session of the order is over and its end is not known. Only the\n' +
    'history has these two. With --status rejected the list also has what a rule refused before it became an order, such as\n' +
    'the risk gate: these have no order id. -q and the field request_id have the id of their request, which svc why explains.',
  examples: [
    'order list',
    'order list --status open --watch',
    'order list --status rejected',
    'svc order list --status rejected -q | xargs -rn1 svc why',
    'order list --since 3d --symbol NSE:SBIN',
    'order list --since 2026-11-01 --until 2026-11-20 --strategy demo -o csv',
    'order list -q',
  ],
  columns: ORDER_COLUMNS,
  options: [
    { flags: '--status <status>', summary: 'only this status', choices: STATUSES },
    ...ORDER_OPTIONS,
    ...PERIOD_OPTIONS,
    ...WATCH_OPTIONS,
  ],
  async run(context, input) {
    const filter = rowFilterOf(context, input)
    const status = STATUSES.find((one) => one === input.text('status'))
    const past = reachesBack(filter) || status === 'unknown' || status === 'lapsed'
    let refused: string | undefined
    const exit = await watchable(context, input, async () => {
      const rows = await ordersWith(context, filter, status, past)
      refused = rows.find(({ request_id }) => request_id !== undefined)?.request_id
      return {
        rows: context.settings.format === 'name' ? rows.map(named) : rows,
        columns: ORDER_COLUMNS,
        id: 'orderid',
        record: 'order',
        empty: past ? 'No such orders.' : 'No orders in this session.',
      }
    })
    if (refused !== undefined && context.settings.format === undefined) {
      context.out.note(`What a rule refused has no order id. The last of it: svc why ${refused}`)
    }
    return exit
  },
}

/** Returns an order under the id that `svc why` explains: that of its request if it never became an order. */
const named = (row: OrderRecord): OrderRecord => ({ ...row, orderid: row.orderid || (row.request_id ?? '') })

type Status = (typeof STATUSES)[number]

/** Returns the orders of a status; of the rejected ones also those that never became an order, by their time. */
async function ordersWith(
  context: Context,
  filter: RowFilter,
  status: Status | undefined,
  past: boolean,
): Promise<readonly OrderRecord[]> {
  const { limit } = filter
  const orders = past
    ? await pastOrders(context, filter, status)
    : await sessionOrders(context, filter, status)
  if (status !== 'rejected') return orders
  const refused = await refusedOrders(context, filter, past)
  const newest = [...orders, ...refused].toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
  return newest.slice(0, limit)
}

async function sessionOrders(
  context: Context,
  filter: RowFilter,
  status: Status | undefined,
): Promise<readonly OrderRecord[]> {
  const rows = orderRecords((await context.apiRead('orderbook')).body).filter(
    (row) => (status === undefined || row.order_status === status) && isIn(filter, row),
  )
  return rows.slice(0, filter.limit)
}

/** Returns what was refused before it was sent. The history has those with a reference itself. */
async function refusedOrders(context: Context, filter: RowFilter, past: boolean): Promise<OrderRecord[]> {
  const { since, strategy, until } = filter
  const { body } = await context.apiRead('refusedorders', { since, until })
  const data = body.data.filter(
    (row) => (strategy === undefined || row.strategy === strategy) && !(past && row.order_ref),
  )
  return refusedRecords({ ...body, data }).filter((row) => isIn(filter, row))
}

function isIn({ exchange, symbol }: RowFilter, row: OrderRecord): boolean {
  return (
    (symbol === undefined || row.symbol === symbol) && (exchange === undefined || row.exchange === exchange)
  )
}

function pastOrders(
  context: Context,
  { limit, ...filter }: RowFilter,
  status: Status | undefined,
): Promise<OrderRecord[]> {
  return allPages(limit, async (size, before) => {
    const query = { ...filter, status, limit: size, before }
    const { body } = await context.read('GET /orders/history', { query })
    return { rows: pastOrderRecords(body), next: body.next_before }
  })
}

const status: CommandSpec = {
  name: 'status',
  summary: 'Shows an order by its id or its reference, or the orders of an approval.',
  examples: [
    'order status 250408000989443',
    'order status approval/42',
    'order status 250408000989443 --json',
  ],
  arguments: [
    { syntax: '<order-id>', summary: 'order id, or reference of an order in doubt', complete: 'orders' },
  ],
  options: [
    { flags: '--strategy <name>', summary: 'strategy of the order (default: cli)', complete: 'strategies' },
  ],
  columns: DETAIL_FIELDS,
  async run(context, input) {
    const ids = await orderIds(context, input.required(0))
    return each(context, 'order', ids, async (id, out) =>
      showOrder(out, await orderStatus(context, id, input.text('strategy') ?? 'cli')),
    )
  },
}

export const order: NounSpec = {
  summary: 'Places, changes, cancels and follows orders.',
  examples: [
    'order place SBIN NSE BUY 10',
    'order place SBIN NSE BUY 10 --type LIMIT --price 912.5 --wait',
    'order list',
    'order status 250408000989443',
    'order journal --state unknown',
  ],
  verbs: [
    place,
    modify,
    cancel,
    cancelAll,
    list,
    status,
    smart,
    basket,
    split,
    options,
    optionsMulti,
    gtt,
    margin,
    journal,
    settle,
  ],
}
