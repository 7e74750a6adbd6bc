import { z } from 'zod'
import {
  KEY_REUSED,
  ORDER_OPERATION_NAMES,
  OrderHistory,
  placesOrders,
  type UnsentOrder,
} from '../../../core/orders/index.js'
import type { AskedRow } from '../../../core/telemetry/index.js'
import { sessionStart } from '../../../core/time/index.js'
import { fields, isObject } from '../../../core/validation/index.js'
import { amount, instant as instantText, ok, text } from '../common/answers.js'
import { instant } from '../common/payloads.js'
import { keyed } from '../running.js'

const MOST = 500

const refusedPayload = z.strictObject({
  since: instant.optional().meta({ description: 'The beginning of the session by default.' }),
  until: instant.optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= MOST, `Must be between 1 and ${MOST}.`)
    .default(MOST),
})

const refusedOrder = z.strictObject({
  timestamp: instantText,
  request_id: text.meta({ description: 'svc why explains it.' }),
  order_ref: text.nullable().meta({
    description: 'Our reference, if it was stored before its refusal: the history of orders has it, too.',
  }),
  operation: text,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  pricetype: text,
  quantity: amount,
  price: amount,
  trigger_price: amount,
  strategy: text,
  code: text,
  rule: text.nullable(),
  reason: text,
})

/** What was refused before it became an order, which no book of orders has. */
export const REFUSED_OPERATIONS = {
  'POST /api/v1/refusedorders': keyed('Orders', 'api')(
    'Lists the orders that were asked for and refused before they were sent: by the risk gate, a rule or an unknown symbol, whoever asked for them.',
    {
      body: refusedPayload,
      example: {},
      answer: ok({ mode: z.enum(['live', 'analyze']), data: z.array(refusedOrder) }),
      errors: ['validation'],
      latencyKind: 'ORDERBOOK',
      run: async (service, { body: { limit, since, until } }, { username }) => {
        const { clock, databases, journal, requests } = service
        const period = { since: since ?? sessionStart(clock.now()), until, limit }
        const mode = service.mode()
        const asked = (await requests.refused(username, { ...period, mode })).flatMap(ordersIn)
        const stored =
          mode === 'live'
            ? (await new OrderHistory(databases.svc, journal).unsent(username, period)).map(unsentOrder)
            : []
        const data = [...asked, ...stored].sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
        return { status: 'success', mode, data: data.slice(0, limit) }
      },
    },
  ),
}

/** Returns the orders that a refused request asked for. */
function ordersIn(row: AskedRow): z.input<typeof refusedOrder>[] {
  const name = row.path.split('/').at(-1) ?? ''
  const operation = ORDER_OPERATION_NAMES.find((one) => one === name)
  const request: unknown = JSON.parse(row.request ?? '{}')
  if (operation === undefined || !placesOrders(operation) || !isObject(request)) return []
  const several = [request.orders, request.legs].find((list) => Array.isArray(list))
  const lines: unknown[] = Array.isArray(several) ? several : [request]
  const { at, code, message, requestId, rule } = row
  // Not the order was refused, but the key. The one that had it first has an outcome of its own.
  if (message === KEY_REUSED) return []
  const facts = { at, requestId, orderRef: null, operation, code: code ?? '', rule, reason: message ?? '' }
  return lines.flatMap((line) => (isObject(line) ? [orderIn(facts, { ...request, ...line })] : []))
}

/** Returns an order of the journal that was not sent. */
function unsentOrder({ createdAt: at, end, operation, orderRef, reason, request }: UnsentOrder) {
  const refusal = end !== undefined && 'code' in end ? end : undefined
  const [code, rule] = [refusal?.code ?? 'refused', refusal?.rule ?? null]
  const facts = { at, requestId: orderRef, orderRef, operation, code, rule, reason: reason ?? '' }
  return orderIn(facts, Object(JSON.parse(request)))
}

interface RefusalFacts {
  at: number
  requestId: string
  orderRef: string | null
  operation: string
  code: string
  rule: string | null
  reason: string
}

function orderIn(
  { at, code, operation, orderRef, reason, requestId, rule }: RefusalFacts,
  asked: Readonly<Record<string, unknown>>,
) {
  const word = (name: string) => textOf(asked[name])
  const number = (name: string) => Number(textOf(asked[name])) || 0
  return {
    timestamp: new Date(at).toISOString(),
    request_id: requestId,
    order_ref: orderRef,
    operation,
    symbol: word('symbol') || word('underlying'),
    exchange: word('exchange'),
    action: word('action').toUpperCase(),
    product: word('product') || 'MIS',
    pricetype: word('pricetype') || 'MARKET',
    quantity: number('quantity'),
    price: number('price'),
    trigger_price: number('trigger_price'),
    strategy: word('strategy'),
    code,
    rule,
    reason,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
