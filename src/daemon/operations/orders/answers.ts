import { z } from 'zod'
import { amount, count, instructionShape, message, ok, simulated, text } from '../common/answers.js'

/** Answers of the order endpoints (docs/api.md, "Placing an order" and "Other orders"). */

export const queued = ok({
  message,
  mode: z.literal('semi_auto'),
  pending_order_id: count,
  warning: text.optional().meta({
    description: 'Why an approval would be refused now: the kill switch was on when the order was queued.',
  }),
}).meta({ description: 'The order waits for approval.' })

export const placed = ok({ orderid: text, mode: simulated }).meta({ description: 'The order was accepted.' })

const checks = z.array(z.strictObject({ rule: text, ok: z.boolean(), message: text.optional() }))
const previewed = {
  dry_run: z.literal(true),
  mode: z.enum(['live', 'analyze', 'semi_auto']),
}

export const dryRun = ok({
  ...previewed,
  order: z.looseObject({
    symbol: text,
    exchange: text,
    action: text,
    quantity: amount,
    pricetype: text,
    product: text,
    price: amount,
    ...instructionShape,
  }),
  last_price: amount.nullable(),
  value: amount.nullable(),
  margin_required: amount.nullable(),
  checks,
  notes: z
    .array(text)
    .optional()
    .meta({ description: 'Fields that have no effect, such as the price of a MARKET order.' }),
}).meta({ description: 'The result of a dry run (X-Dry-Run).' })

export const placeOrder = z.union([placed, queued, dryRun])

const outcome = {
  status: z.enum(['success', 'error']),
  orderid: text.optional(),
  message: text.optional(),
  order_ref: text.optional(),
  rule: text.optional(),
}
const part = z.strictObject({ order_num: count, quantity: amount, ...outcome })

export const noAction = ok({ message, mode: simulated }).meta({ description: 'No order was needed.' })

const rehearsedOrder = z.strictObject({
  symbol: text,
  exchange: text,
  product: text,
  batch_order: z.boolean().optional(),
  is_last_order: z.boolean().optional(),
  order_num: count.optional().meta({ description: 'The number of the part, of a split or in pieces.' }),
  action: text.optional(),
  quantity: amount.optional(),
  pricetype: text.optional(),
  price: amount.optional(),
  trigger_price: amount.optional(),
  ok: z.boolean().meta({ description: 'False if it would be refused.' }),
  rule: text.optional(),
  message: text.optional(),
  last_price: amount.nullable().optional(),
  value: amount.nullable(),
  margin_required: amount.nullable(),
  checks,
})

const rehearsed = <Order extends z.ZodType>(order: Order) =>
  ok({
    ...previewed,
    margin_required: amount
      .nullable()
      .meta({ description: 'The margin of the orders that would be placed, together.' }),
    orders: z.array(order),
  }).meta({
    description:
      'The result of a dry run (X-Dry-Run): each order after those before it. With an Idempotency-Key under which an answer is kept, that answer comes instead.',
  })

export const ordersDryRun = rehearsed(rehearsedOrder)

export const smartOrder = z.union([
  placed,
  ok({
    orderid: text,
    mode: simulated,
    total_quantity: amount,
    split_size: amount,
    results: z.array(part),
  }).meta({
    description:
      'The order closes a position above the freeze quantity, so it was sent in pieces. `orderid` is the first.',
  }),
  noAction,
  queued,
  ordersDryRun,
])

export const basketOrder = z.union([
  ok({
    mode: simulated,
    results: z.array(
      z.strictObject({
        symbol: text,
        exchange: text,
        product: text,
        batch_order: z.boolean().optional(),
        is_last_order: z.boolean().optional(),
        ...outcome,
      }),
    ),
  }),
  queued,
  ordersDryRun,
])

export const splitOrder = z.union([
  ok({ mode: simulated, total_quantity: amount, split_size: count, results: z.array(part) }),
  queued,
  ordersDryRun,
])

const option = {
  symbol: text,
  exchange: text,
  underlying: text,
  underlying_ltp: amount,
  offset: text,
  option_type: text,
}

export const optionsOrder = z.union([
  ok({ ...option, mode: simulated, orderid: text }),
  ok({ ...option, mode: simulated, total_quantity: amount, split_size: count, results: z.array(part) }),
  queued,
  ordersDryRun,
])

/** A leg of a dry run. Without a contract it has no symbol, and a message says why. */
const rehearsedLeg = rehearsedOrder.extend({
  leg: count,
  symbol: text.optional(),
  exchange: text.optional(),
  product: text.optional(),
  offset: text,
  option_type: text,
  mode: z.enum(['live', 'analyze']).optional(),
})

export const optionsMultiOrder = z.union([
  ok({
    underlying: text,
    underlying_ltp: amount,
    mode: simulated,
    results: z.array(
      z.strictObject({
        leg: count,
        symbol: text.optional(),
        exchange: text.optional(),
        product: text.optional(),
        offset: text,
        option_type: text,
        action: text,
        mode: z.enum(['live', 'analyze']).optional(),
        total_quantity: amount.optional(),
        split_size: count.optional(),
        split_results: z.array(part).optional(),
        ...outcome,
      }),
    ),
  }),
  queued,
  rehearsed(rehearsedLeg),
])

export const changedOrder = ok({ orderid: text, message: message.optional(), mode: simulated })

export const cancelledAll = ok({
  message,
  canceled_orders: z.array(text),
  failed_cancellations: z.array(z.strictObject({ orderid: text, message })),
  mode: simulated,
})

export const closedAll = ok({
  message,
  closed_positions: count.optional(),
  failed_closures: count.optional(),
  results: z
    .array(
      z.strictObject({
        symbol: text,
        exchange: text,
        product: text,
        total_quantity: amount.optional(),
        split_size: amount.optional(),
        split_results: z.array(part).optional(),
        ...outcome,
      }),
    )
    .optional(),
  mode: simulated,
})

export const changedGtt = ok({ trigger_id: text, mode: simulated })
export const placedGtt = z.union([changedGtt, queued])

export const gttBook = ok({
  mode: simulated,
  data: z.array(
    z.strictObject({
      trigger_id: text,
      trigger_type: z.enum(['single', 'two-leg']),
      status: text,
      symbol: text,
      exchange: text,
      trigger_prices: z.array(amount),
      last_price: amount.nullable(),
      legs: z.array(
        z.strictObject({ action: text, quantity: amount, price: amount, pricetype: text, product: text }),
      ),
      created_at: text,
      updated_at: text,
      expires_at: text.nullable(),
      strategy: text.optional(),
      margin_blocked: amount.optional(),
    }),
  ),
})
