import { member } from '../../../client/answers/json.js'
import { type OrderRecord, orderRecords, valueAt } from '../../../client/answers/records.js'
import type { AnswerOf } from '../../../client/endpoints.js'
import { disclosedText, keptDisclosed } from '../../../core/orders/terms/disclosed.js'
import { WAITING } from '../../../core/orders/vocabulary.js'
import { ORDER_COLUMNS } from '../../../views/orders/order.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { each, SEVERAL } from '../../framework/each.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { confirmAll, confirmEnd, keyedDestination, type Look, readSoon } from '../../io/confirm.js'
import { ORDER_FIELDS } from './fields.js'
import { orderId, plainOrderId } from './names.js'
import { fieldsFromOptions } from './request.js'
import { ASKED_WHILE_LIVE, MODE_OPTION, SEND_OPTIONS, sendChange } from './send.js'
import { changedOrder } from './terms.js'
import type { FollowedOrder } from './wait.js'
import { orderStatus } from './wait.js'

const CHANGEABLE = ORDER_FIELDS.filter(({ field }) =>
  ['quantity', 'pricetype', 'price', 'trigger_price', 'disclosed_quantity'].includes(field),
)
const STRATEGY = {
  flags: '--strategy <name>',
  summary: 'strategy of the order (default: cli)',
  complete: 'strategies',
} as const
const ORDER_ID = {
  syntax: '<order-id>',
  field: 'orderid',
  summary: 'id or name of a waiting order',
  complete: 'orders',
} as const

const ALWAYS = 'It works while the kill switch is on and, signed in (svc login), in semi_auto mode.'

export const modify: CommandSpec = {
  name: 'modify',
  summary: 'Changes a waiting order; fields that are not given stay unchanged.',
  details:
    'In semi_auto mode and while the kill switch is on, a signed-in person may still make an order smaller or less\n' +
    'likely to fill: less quantity, a lower limit to buy, a higher one to sell, a trigger farther away.\n' +
    'Only a broker changes --type. In Analyzer mode an order keeps its type: cancel it and place another.',
  examples: ['order modify 250408000989443 --price 915', 'order modify 250408000989443 --quantity 20'],
  arguments: [ORDER_ID],
  options: [
    ...CHANGEABLE.map(({ field, option, name }) =>
      name === 'quantity' ? { flags: option.flags, summary: 'units' } : { ...option, field },
    ),
    STRATEGY,
    ...SEND_OPTIONS,
  ],
  async run(context, input) {
    const changes = fieldsFromOptions(CHANGEABLE, input)
    if (Object.keys(changes).length === 0) {
      throw usageError('No change is given.', 'Pass --price, --quantity, --trigger or --type.')
    }
    const strategy = input.text('strategy') ?? 'cli'
    const orderid = await orderId(context, input.required(0))
    const now = await orderStatus(context, orderid, strategy)
    requireTerms(now, orderid)
    // The API needs every field; unchanged ones come from the order itself.
    const { quantity = now.quantity } = changes
    const disclosed_quantity = keptDisclosed({ ...now, disclosed: disclosedIn(now) }, Number(quantity))
    const own = { ...ownFields(now), disclosed_quantity }
    const body = changedOrder({ ...own, strategy, orderid }, changes)
    const answer = await sendChange(context, input, 'modifyorder', body)
    await context.out.record({
      record: answer.body,
      fields: [{ key: 'orderid', title: 'ORDER' }],
      id: 'orderid',
    })
    const seen = disclosedText(Number(body.disclosed_quantity), Number(quantity))
    if (seen !== undefined) context.out.note(`Now ${seen}.`)
    context.out.note(`Changed. Next: svc order status ${orderid}`)
    return EXIT.done
  },
}

/** Refuses an order of which only the placement is known: unchanged fields would not be those of now. */
function requireTerms(order: FollowedOrder, orderid: string): void {
  if (member(order, 'order_status') !== undefined) return
  throw new CliError(EXIT.notFound, `Order ${orderid} is not in the order book: its terms are not known.`, {
    code: 'not_found',
    hint: `See its state: svc order status ${orderid}`,
  })
}

function ownFields(order: FollowedOrder) {
  const { symbol, exchange, action, product, quantity } = order
  const price = member(order, 'price')
  const trigger_price = member(order, 'trigger_price')
  const pricetype = member(order, 'pricetype')
  return { symbol, exchange, action, product, quantity, price, trigger_price, pricetype }
}

const disclosedIn = (order: FollowedOrder) => member(order, 'disclosed_quantity')

export const cancel: CommandSpec = {
  name: 'cancel',
  summary: 'Cancels waiting orders.',
  examples: ['order cancel 250408000989443', 'svc order list --status open -q | xargs -r svc order cancel'],
  details: `${ASKED_WHILE_LIVE}\n${SEVERAL}\n${ALWAYS}`,
  arguments: [{ ...ORDER_ID, syntax: '<order-ids...>' }],
  options: [STRATEGY, MODE_OPTION],
  async run(context, input) {
    const strategy = input.text('strategy') ?? 'cli'
    const words = input.words(0)
    const idOf = onceEach((word) => orderId(context, word))
    await confirmEnd(context, `Cancel ${orderText(words)}`, () => waitingAmong(context, words, idOf))
    return each(context, 'order', words, async (word, out) => {
      const orderid = await idOf(word)
      const followUp = `See its state: svc order status ${orderid}`
      const call = { ...context.apiCall('cancelorder', { strategy, orderid }), followUp }
      const { body } = await context.client().send(call)
      await out.record({ record: body, fields: [{ key: 'orderid', title: 'ORDER' }], id: 'orderid' })
      out.note(`Cancelled ${orderid}.`)
    })
  },
}

function orderText([first = '', ...others]: readonly string[]): string {
  if (others.length > 0) return 'these orders'
  return first.startsWith('approval/') ? `the order of ${first}` : `order ${plainOrderId(first)}`
}

/** Returns a question that is asked once for each word. */
function onceEach<T>(ask: (word: string) => Promise<T>): (word: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>()
  return (word) => {
    const answer = asked.get(word) ?? ask(word)
    asked.set(word, answer)
    return answer
  }
}

/** Returns those of the named orders that wait; undefined if none does. */
async function waitingAmong(
  context: Context,
  words: readonly string[],
  idOf: (word: string) => Promise<string>,
) {
  // A name that stands for no order is refused in its turn.
  const named = await fulfilled(words.map(idOf))
  const book = orderRecords((await readSoon(context, 'orderbook')).body)
  const isListed = (id: string) => book.some(({ orderid }) => orderid === id)
  // Our reference of an order is in no book: the daemon knows whose it is.
  const others = named.filter((id) => !isListed(id))
  const found = await fulfilled(
    others.map((orderid) => readSoon(context, 'orderstatus', { strategy: 'cli', orderid })),
  )
  const ids = new Set([...named, ...found.map(({ body }) => body.data.orderid)])
  const rows = waitingIn(book).filter(({ orderid }) => ids.has(orderid))
  return rows.length === 0 ? undefined : lookAt(rows)
}

async function fulfilled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises)
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

export const cancelAll: CommandSpec = {
  name: 'cancel-all',
  summary: 'Cancels every waiting order. Asks on a terminal.',
  details: ALWAYS,
  examples: ['order cancel-all', 'order cancel-all --yes'],
  options: [STRATEGY, MODE_OPTION],
  async run(context, input) {
    const isAgreed = await confirmAll(context, 'Cancel every waiting order', () => waitingOrders(context))
    if (!isAgreed) return showCancelled(context, NONE_WAITS)
    const asked = context.apiCall('cancelallorder', { strategy: input.text('strategy') ?? 'cli' })
    const call = { ...asked, followUp: 'See which orders still wait: svc order list --status open' }
    return showCancelled(context, (await context.client().send(call)).body)
  },
}

type AllCancelled = AnswerOf<'cancelallorder'>

/** The answer that a terminal shows when no order waits: nothing is sent. */
const NONE_WAITS: AllCancelled = {
  status: 'success',
  message: 'No order is waiting.',
  canceled_orders: [],
  failed_cancellations: [],
}

async function showCancelled(context: Context, body: AllCancelled): Promise<ExitStatus> {
  const rows: { orderid: string; status: string; message?: string }[] = [
    ...body.canceled_orders.map((orderid) => ({ orderid, status: 'cancelled' })),
    ...body.failed_cancellations.map((row) => ({ ...row, status: 'failed' })),
  ]
  const { format } = context.settings
  if (format === 'json' || format === 'yaml') {
    await context.out.record({ record: body, fields: [], id: 'status' })
  } else {
    await context.out.list({
      rows,
      columns: [{ key: 'orderid', title: 'ORDER' }, { key: 'status', kind: 'status' }, { key: 'message' }],
      id: 'orderid',
      empty: 'No order was waiting.',
    })
  }
  context.out.note(rows.length === 0 ? body.message : cancelledText(body))
  return rows.some(({ status }) => status === 'failed') ? EXIT.refused : EXIT.done
}

function cancelledText({ canceled_orders: done, failed_cancellations: failed }: AllCancelled) {
  const rest = failed.length === 0 ? '' : ` ${countText(failed.length, 'order')} could not be cancelled.`
  return `Cancelled ${countText(done.length, 'order')}.${rest}`
}

const worthOf = (row: OrderRecord) =>
  valueAt({ ...row, quantity: row.pending_quantity }, row.price || row.trigger_price)

/** Returns what the command would change. */
export async function waitingOrders(context: Context): Promise<Look<OrderRecord>> {
  const destination = await keyedDestination(context)
  const rows = waitingIn(orderRecords((await context.apiRead('orderbook')).body))
  return { destination, ...lookAt(rows) }
}

const waitingIn = (rows: readonly OrderRecord[]) => rows.filter((row) => WAITING.has(row.order_status))

function lookAt(rows: readonly OrderRecord[]) {
  return {
    facts: [countText(rows.length, 'waiting order')],
    value: rows.reduce((sum, row) => sum + worthOf(row), 0),
    list: { rows, columns: ORDER_COLUMNS },
  }
}
