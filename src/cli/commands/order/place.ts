import { randomUUID } from 'node:crypto'
import type { Answer } from '../../client.js'
import { failureOf } from '../../client.js'
import type { CommandSpec, Input } from '../../command.js'
import type { Context } from '../../context.js'
import { EXIT, type ExitStatus } from '../../exit-codes.js'
import { type Row, rowOf, rowsOf, textOf } from '../../json.js'
import type { Column } from '../../output.js'
import { orderBody, REQUEST_OPTIONS } from './request.js'
import { followOrder } from './wait.js'

export const place: CommandSpec = {
  name: 'place',
  summary: 'Places an order: executed, simulated in Analyzer mode, or queued in semi_auto mode.',
  examples: [
    'order place SBIN NSE BUY 10',
    'order place SBIN NSE BUY 10 --type LIMIT --price 812.5 --product CNC --strategy demo',
    'order place SBIN NSE SELL 10 --type SL-M --trigger 790 --wait',
    'order place SBIN NSE BUY 10 --dry-run',
    'order place --from order.json',
    'generate-order | svc order place - --json',
  ],
  details:
    'Every order carries an idempotency key (printed on stderr). After a broken connection, repeat the same command\n' +
    'with --idempotency-key KEY: the daemon answers what became of the first one and never executes it twice.',
  arguments: [
    { syntax: '[order...]', summary: 'SYMBOL EXCHANGE ACTION QUANTITY, or - to read JSON from stdin' },
  ],
  options: [
    ...REQUEST_OPTIONS,
    { flags: '-n, --dry-run', summary: 'show mode, margin and risk checks; send nothing' },
    {
      flags: '--wait',
      summary: 'stay until it is filled, refused, rejected or cancelled, approval included',
    },
    { flags: '--wait-timeout <duration>', summary: 'longest stay with --wait (default: no limit)' },
    {
      flags: '--idempotency-key <key>',
      summary: 'key that makes a repetition harmless (default: a new one)',
    },
  ],
  async run(context, input) {
    const order = await orderBody(input, context.io)
    const body = { ...order, apikey: keyFor(order, context) }
    return input.flag('dryRun') ? dryRun(context, body) : placeOrder(context, input, body)
  },
}

/** A key in the order's file counts as kept: an explicit one wins over it. */
function keyFor(order: Row, context: Context): string {
  const inFile = textOf(order, 'apikey')
  const explicit = context.settings.apikey ?? context.io.env.SVC_API_KEY
  return inFile !== undefined && !explicit ? inFile : context.apiKey
}

async function placeOrder(context: Context, input: Input, body: Row): Promise<ExitStatus> {
  const key = input.text('idempotencyKey') ?? randomUUID()
  context.io.stderr.write(`idempotency key: ${key}\n`)
  const call = {
    method: 'POST',
    path: '/api/v1/placeorder',
    body,
    headers: { 'idempotency-key': key },
    changes: true,
    followUp: `Repeat it safely with --idempotency-key ${key}, or look: svc order journal --state unknown`,
  } as const
  const answer = await context.client().ask(call)
  const reference = textOf(answer.body, 'order_ref') ?? answer.orderRef
  const inDoubt = answer.code === 'outcome_unknown' && reference !== undefined && input.flag('wait')
  if (answer.status >= 400 && !inDoubt) throw failureOf(answer, call)
  if (!inDoubt) context.out.note(whatHappened(answer.body))
  if (!input.flag('wait')) {
    await showPlaced(context, answer)
    return EXIT.done
  }
  return followOrder(context, {
    orderId: textOf(answer.body, 'orderid') ?? reference,
    approvalId: textOf(answer.body, 'pending_order_id'),
    strategy: textOf(body, 'strategy') ?? 'cli',
    timeoutMs: input.duration('waitTimeout'),
  })
}

const PLACED: readonly Column[] = [
  { key: 'orderid', title: 'ORDER' },
  { key: 'pending_order_id', title: 'APPROVAL' },
  { key: 'mode', kind: 'status' },
  { key: 'message' },
  { key: 'order_ref', title: 'REFERENCE' },
]

async function showPlaced(context: Context, { body, orderRef }: Answer): Promise<void> {
  const queued = textOf(body, 'pending_order_id')
  const record = { ...body, ...(orderRef === undefined ? {} : { order_ref: orderRef }) }
  const shown = context.settings.format ? record : { ...record, mode: body.mode ?? 'live' }
  await context.out.record({
    record: shown,
    fields: PLACED,
    id: queued === undefined ? 'orderid' : 'pending_order_id',
  })
}

function whatHappened(body: Row): string {
  const queued = textOf(body, 'pending_order_id')
  if (queued !== undefined) return `Queued for approval. Next: svc approval approve ${queued}`
  const mode = body.mode === 'analyze' ? 'Simulated' : 'LIVE'
  return `${mode} order placed. Next: svc order status ${textOf(body, 'orderid') ?? ''}`
}

async function dryRun(context: Context, body: Row): Promise<ExitStatus> {
  const answer = await context.client().send({
    method: 'POST',
    path: '/api/v1/placeorder',
    body,
    headers: { 'x-dry-run': '1' },
    changes: false,
  })
  const checks = rowsOf(answer.body.checks)
  if (context.settings.format) {
    await context.out.record({ record: answer.body, fields: [], id: 'mode' })
  } else {
    await context.out.record({
      record: { ...rowOf(answer.body.order), ...answer.body },
      id: 'mode',
      fields: [
        { key: 'mode', kind: 'status' },
        ...['symbol', 'exchange', 'action'].map((key) => ({ key })),
        { key: 'quantity', kind: 'quantity' },
        ...['pricetype', 'product'].map((key) => ({ key })),
        { key: 'price', kind: 'money' },
        { key: 'last_price', title: 'LAST PRICE', kind: 'money' },
        { key: 'value', title: 'VALUE ₹', kind: 'money' },
        { key: 'margin_required', title: 'MARGIN ₹', kind: 'money' },
      ],
    })
    await context.out.list({
      rows: checks.map((check) => ({ ...check, ok: check.ok === true ? 'ok' : 'fail' })),
      columns: [{ key: 'ok', title: 'CHECK', kind: 'status' }, { key: 'rule' }, { key: 'message' }],
      id: 'rule',
      empty: 'No risk rule applies.',
    })
  }
  context.out.note('Dry run: nothing was sent.')
  return checks.every((check) => check.ok === true) ? EXIT.done : EXIT.refused
}
