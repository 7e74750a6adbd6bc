import { member, textMember } from '../../../client/answers/json.js'
import { isQueued } from '../../../client/answers/queued.js'
import type { AnswerOf, Refusal } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, interruptedError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { noteNothingSent } from '../../framework/live/dry-run.js'
import type { HttpResponse } from '../../http/client.js'
import { noteRefused } from './basket/check.js'
import { INSTRUCTION_FIELDS, ORDER_FIELDS, type OrderDraft, optionsOf, orderArgument } from './fields.js'
import { resourceName } from './names.js'
import { queuedText, SEND_OPTIONS, trySendChange, warnQueued } from './send.js'
import { orderOf } from './terms.js'
import { type Followed, followOrder } from './wait.js'

const EXAMPLE = 'order place SBIN NSE BUY 10'
const FIELDS = [...ORDER_FIELDS, ...INSTRUCTION_FIELDS]

const PLACED = [
  { key: 'orderid', title: 'ORDER' },
  { key: 'pending_order_id', title: 'APPROVAL' },
  { key: 'mode', kind: 'status' },
  { key: 'message' },
  { key: 'order_ref', title: 'REFERENCE' },
] as const satisfies readonly Column[]

export const place: CommandSpec = {
  name: 'place',
  summary: 'Places an order. It is executed, simulated (Analyzer mode) or queued (semi_auto mode).',
  examples: [
    EXAMPLE,
    'order place NSE:SBIN BUY 10 --price 912.5 --product CNC --strategy demo',
    'order place SBIN NSE SELL 10 --type SL-M --trigger 860 --wait',
    'order place SBIN NSE BUY 10 --validity TTL --ttl 5 --price 800',
    'order place SBIN NSE BUY 10 --dry-run',
    'order place --from order.json',
    'generate-order | svc order place - --json',
  ],
  details:
    'Every order carries an idempotency key (printed on stderr). After a broken connection, repeat the same command\n' +
    'with --idempotency-key KEY: the daemon returns the outcome of the first request and never executes it twice.\n' +
    'With -q the name of the order is printed: order/ID when it was placed, approval/ID when it waits for approval.\n' +
    'Commands that take an id take these names, too.\n' +
    'As JSON the answer is a placed-order, with --wait the order as it ended (svc schema placed-order, svc schema order).',
  columns: PLACED,
  arguments: [
    orderArgument(
      FIELDS,
      'SYMBOL EXCHANGE ACTION QUANTITY, EXCHANGE:SYMBOL ACTION QUANTITY, or - to read JSON from stdin',
    ),
  ],
  options: [
    ...optionsOf(FIELDS),
    { flags: '-n, --dry-run', summary: 'show mode, margin and risk checks; send nothing' },
    {
      flags: '--wait',
      summary:
        'wait until the order is filled, refused, rejected or cancelled; includes the wait for approval',
    },
    {
      flags: '--wait-timeout <duration>',
      summary: 'how long --wait waits, then exit 8 (default: no limit)',
    },
    ...SEND_OPTIONS,
  ],
  async run(context, input) {
    if (input.text('waitTimeout') !== undefined && !input.flag('wait')) {
      throw usageError('--wait-timeout has no effect without --wait.', 'Add --wait.')
    }
    const timeoutMs = input.duration('waitTimeout')
    const body = await orderOf(FIELDS, input, context, EXAMPLE)
    return input.flag('dryRun') ? dryRun(context, body) : placeOrder(context, input, body, timeoutMs)
  },
}

type Placed = AnswerOf<'placeorder'> | Refusal

async function placeOrder(
  context: Context,
  input: Input,
  body: OrderDraft,
  timeoutMs: number | undefined,
): Promise<ExitStatus> {
  const { answer, refused } = await trySendChange(context, input, 'placeorder', body)
  const reference = member(answer.body, 'order_ref') ?? answer.orderRef
  const inDoubt = answer.code === 'outcome_unknown' && reference !== undefined && input.flag('wait')
  if (refused && !inDoubt) throw refused
  if (!refused) context.out.note(whatHappened(answer.body))
  if (isQueued(answer.body)) await warnQueued(context, answer.body)
  if (!input.flag('wait')) {
    await showPlaced(context, answer)
    return EXIT.done
  }
  const followed = {
    orderId: member(answer.body, 'orderid') ?? reference,
    approvalId: isQueued(answer.body) ? String(answer.body.pending_order_id) : undefined,
    strategy: textMember(body, 'strategy') ?? 'cli',
    timeoutMs,
  }
  return followOrder(context, followed).catch((thrown) => leftAlone(context, answer, followed, thrown))
}

/**
 * Handles an end of the wait before the end of the order: the order stays placed, so the command must not
 * look failed.
 */
async function leftAlone(
  context: Context,
  answer: HttpResponse<Placed>,
  { orderId, approvalId }: Followed,
  thrown: unknown,
): Promise<never> {
  if (!(thrown instanceof CliError) || thrown.exit === EXIT.refused) throw thrown
  await showPlaced(context, answer)
  const hint =
    approvalId === undefined ? `svc order status ${orderId ?? ''}` : `svc approval show ${approvalId}`
  if (thrown.exit === EXIT.interrupted) {
    const stands = approvalId === undefined ? `Order ${orderId ?? ''}` : `Approval ${approvalId}`
    throw interruptedError(`Interrupted: ${stands} stands. See it: ${hint}`)
  }
  const { code, message, requestId, response } = thrown
  throw new CliError(EXIT.unknown, message, {
    code,
    hint: `Check it with: ${hint}`,
    ...(requestId === undefined ? {} : { requestId }),
    response,
  })
}

async function showPlaced(context: Context, { body, orderRef }: HttpResponse<Placed>): Promise<void> {
  if (context.settings.format === 'name') return context.out.name(placedName(body, orderRef))
  const reference = orderRef === undefined ? {} : { order_ref: orderRef }
  const record = { ...body, mode: member(body, 'mode') ?? 'live', ...reference }
  await context.out.record({ record, fields: PLACED, id: 'orderid' })
}

function placedName(body: Placed, orderRef: string | undefined): string {
  if (isQueued(body)) return resourceName('approval', body.pending_order_id)
  return resourceName('order', member(body, 'orderid') ?? orderRef ?? '')
}

function whatHappened(body: Placed): string {
  if (isQueued(body)) return queuedText(body)
  const mode = member(body, 'mode') === 'analyze' ? 'Simulated' : 'LIVE'
  return `${mode} order placed. Next: svc order status ${member(body, 'orderid') ?? ''}`
}

async function dryRun(context: Context, body: OrderDraft): Promise<ExitStatus> {
  const answer = await context.client().send({
    ...context.apiCall('placeorder', body),
    headers: { 'x-dry-run': '1' },
    changes: false,
  })
  const checks = member(answer.body, 'checks') ?? []
  if (context.settings.format) {
    await context.out.record({ record: answer.body, fields: [], id: 'mode' })
  } else {
    await context.out.record({
      record: { ...member(answer.body, 'order'), ...answer.body },
      id: 'mode',
      fields: [
        { key: 'mode', kind: 'status' },
        { key: 'symbol' },
        { key: 'exchange' },
        { key: 'action' },
        { key: 'quantity', kind: 'quantity' },
        { key: 'pricetype' },
        { key: 'product' },
        { key: 'price', kind: 'price' },
        { key: 'validity' },
        { key: 'validity_ttl', title: 'MINUTES' },
        { key: 'amo', title: 'AMO' },
        { key: 'iceberg_legs', title: 'ICEBERG LEGS' },
        { key: 'market_protection', title: 'PROTECTION %' },
        { key: 'algo_id', title: 'ALGO' },
        { key: 'last_price', title: 'LAST PRICE', kind: 'price' },
        { key: 'value', title: 'VALUE ₹', kind: 'money' },
        { key: 'margin_required', title: 'MARGIN ₹', kind: 'money' },
      ],
    })
    await context.out.list({
      rows: checks.map((check) => ({ ...check, ok: check.ok ? 'ok' : 'fail' })),
      columns: [{ key: 'ok', title: 'CHECK', kind: 'status' }, { key: 'rule' }, { key: 'message' }],
      id: 'rule',
      empty: 'No risk rule applies.',
    })
  }
  const failed = checks.filter((check) => !check.ok)
  // A document may leave the reasons out.
  if (context.settings.format) {
    for (const check of failed) noteRefused(context, check, 'The order')
  }
  for (const note of member(answer.body, 'notes') ?? []) context.out.note(note)
  noteNothingSent(context, member(answer.body, 'mode'))
  return failed.length === 0 ? EXIT.done : EXIT.refused
}
