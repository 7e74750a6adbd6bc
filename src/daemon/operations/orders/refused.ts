import { z } from 'zod'
import { ORDER_OPERATION_NAMES, placesOrders } from '../../../core/orders/index.js'
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
    'Lists the orders that were asked for and refused before they became any: by the risk gate, a rule or an unknown symbol.',
    {
      body: refusedPayload,
      example: {},
      answer: ok({ mode: z.enum(['live', 'analyze']), data: z.array(refusedOrder) }),
      errors: ['validation'],
      latencyKind: 'ORDERBOOK',
      run: async ({ clock, mode: modeNow, requests }, { body: { limit, since, until } }, { username }) => {
        const from = since ?? sessionStart(clock.now())
        const mode = modeNow()
        const data = (await requests.refused(username, { since: from, until, mode, limit })).flatMap(ordersIn)
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
  return lines.flatMap((line) => (isObject(line) ? [orderIn(row, operation, { ...request, ...line })] : []))
}

function orderIn(row: AskedRow, operation: string, asked: Readonly<Record<string, unknown>>) {
  const word = (name: string) => textOf(asked[name])
  const number = (name: string) => Number(textOf(asked[name])) || 0
  return {
    timestamp: new Date(row.at).toISOString(),
    request_id: row.requestId,
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
    code: row.code ?? '',
    rule: row.rule,
    reason: row.message ?? '',
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
