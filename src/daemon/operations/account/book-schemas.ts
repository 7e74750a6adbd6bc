import { z } from 'zod'
import { ORDER_STATES } from '../../../core/orders/index.js'
import { ACTIONS, ORDER_STATUSES } from '../../../core/orders/schema.js'
import { amount, count, instant, instructionShape, ok, simulated, text } from '../common/answers.js'

/* The rows of the account, as its books and the screens of other areas show them (docs/api.md, "Account"). */

const instructions = z.strictObject(instructionShape).optional().meta({
  description:
    'The order instructions, such as validity or iceberg legs. Absent for a plain order of the day.',
})

const orderFields = {
  symbol: text,
  exchange: text,
  action: z.enum(ACTIONS),
  quantity: amount,
  price: amount,
  trigger_price: amount,
  pricetype: text,
  product: text,
  orderid: text,
  order_status: z.enum(ORDER_STATUSES),
  average_price: amount,
  filled_quantity: amount,
  pending_quantity: amount,
  disclosed_quantity: amount.optional().meta({
    description:
      'Units that the market sees of the order. Absent where it sees all of it, and in Analyzer mode.',
  }),
  rejection_reason: text,
  timestamp: text.meta({ description: 'YYYY-MM-DD HH:MM:SS, Indian time.' }),
  strategy: text
    .optional()
    .meta({ description: 'Present for orders of this service, not in the live order book.' }),
  instructions,
}
const order = z.strictObject(orderFields)
/** In rows of contracts that are worth another number of units than one. */
export const contractValue = amount.optional().meta({
  description: 'Multiplier of the contract: quantity × price × this is the value. Absent where it is 1.',
})

export const orderbook = ok({
  data: z.strictObject({
    orders: z.array(order.extend({ contract_value: contractValue })),
    statistics: z.strictObject({
      total_buy_orders: count,
      total_sell_orders: count,
      total_completed_orders: count,
      total_open_orders: count,
      total_rejected_orders: count,
      total_trigger_pending_orders: count.optional(),
    }),
  }),
  mode: simulated,
})

export const journalFields = {
  order_ref: text,
  state: z.enum(ORDER_STATES),
  strategy: text,
  instructions,
  api_type: text,
  source: text,
  mode: z.enum(['live', 'analyze']),
  broker: text,
  symbol: text,
  exchange: text,
  action: text,
  quantity: amount,
  product: text,
  orderid: text.nullable(),
  trigger_id: text.nullable(),
  approval_id: count.nullable(),
  reason: text.nullable(),
  lookups: count,
  settled_by: z.enum(['tag', 'matched', 'not_shown', 'person']).nullable(),
  created_at: instant,
  updated_at: instant,
}

const {
  symbol: _s,
  exchange: _e,
  action: _a,
  quantity: _q,
  product: _p,
  orderid: _o,
  ...bookOnly
} = orderFields

export const orderStatus = z.union([
  ok({
    data: order.extend({ order_ref: text.optional(), state: z.enum(ORDER_STATES).optional() }).meta({
      description: 'Of a live order that this service sent, also its reference, its state and its strategy.',
    }),
    mode: simulated,
  }),
  ok({ data: z.strictObject({ ...z.strictObject(bookOnly).partial().shape, ...journalFields }) }).meta({
    description:
      "When asked by the reference of this service: the journal's view of the order, with the row of the order book if known.",
  }),
])

export const trade = z.strictObject({
  symbol: text,
  exchange: text,
  product: text,
  action: z.enum(ACTIONS),
  quantity: amount,
  average_price: amount,
  trade_value: amount,
  orderid: text,
  timestamp: text,
  tradeid: text.optional(),
  price: amount.optional(),
  strategy: text.optional(),
  contract_value: contractValue,
})
export const tradebook = ok({ data: z.array(trade), mode: simulated })

const profit = { unrealized_pnl: amount, today_realized_pnl: amount, total_pnl_today: amount }
const totals = {
  total_pnl: amount,
  total_unrealized_pnl: amount,
  total_today_realized_pnl: amount,
  total_pnl_today: amount,
}

const livePosition = {
  symbol: text,
  exchange: text,
  product: text,
  quantity: amount.meta({ description: 'Negative for a short position.' }),
  pnl: amount,
  average_price: amount,
  ltp: amount,
}
const warning = text.optional().meta({
  description:
    'Why the contract cannot be traded: its size is not settled, so the quantity is the count of the broker.',
})
export const simulatedPosition = { ...livePosition, ...profit, pnlpercent: amount, lot_size: amount }

const sizedPosition = z.strictObject({ ...simulatedPosition, contract_value: contractValue })

export const positionbook = z.union([
  ok({ data: z.array(z.strictObject({ ...livePosition, warning, contract_value: contractValue })) }),
  ok({ data: z.array(sizedPosition), ...totals, mode: z.literal('analyze') }),
])

export const holding = z.strictObject({
  symbol: text,
  exchange: text,
  quantity: amount,
  product: text,
  average_price: amount,
  ltp: amount,
  pnl: amount,
  pnlpercent: amount,
  current_value: amount.optional(),
  settlement_date: text.optional(),
})

export const holdings = ok({
  data: z.strictObject({
    holdings: z.array(holding),
    statistics: z.strictObject({
      totalholdingvalue: amount,
      totalinvvalue: amount,
      totalprofitandloss: amount,
      totalpnlpercentage: amount,
    }),
  }),
  mode: simulated,
})

const rupees = z
  .string()
  .meta({ pattern: '^-?\\d+\\.\\d{2}$', description: 'Rupees as text with two decimals.' })

export const funds = z.union([
  ok({
    data: z.strictObject({
      availablecash: rupees,
      collateral: rupees,
      m2munrealized: rupees,
      m2mrealized: rupees,
      utiliseddebits: rupees,
    }),
  }),
  ok({
    data: z.strictObject({
      availablecash: amount,
      collateral: amount,
      m2munrealized: amount,
      m2mrealized: amount,
      total_realized_pnl: amount,
      today_realized_pnl: amount,
      utiliseddebits: amount,
      grossexposure: amount,
      totalpnl: amount,
      last_reset: text,
      reset_count: count,
    }),
    mode: z.literal('analyze'),
  }),
])

export const openPosition = ok({ quantity: amount, mode: simulated })

export const pnlSymbols = ok({
  data: z.array(
    z.strictObject({ symbol: text, exchange: text, product: text, quantity: amount, pnl: amount, ...profit }),
  ),
  ...totals,
  mode: z.literal('analyze'),
})

const marginPart = amount.nullable().meta({ description: 'null where the broker does not say.' })
export const margin = ok({
  data: z.strictObject({
    total_margin_required: amount,
    span_margin: marginPart,
    exposure_margin: marginPart,
  }),
})
