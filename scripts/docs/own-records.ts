import { z } from 'zod'
import type {
  FundRecord,
  HoldingRecord,
  OrderRecord,
  PositionRecord,
  TradeRecord,
} from '../../src/client/answers/records.js'
import type { RequestRow } from '../../src/views/logs/request.js'

/* The records that the command line makes itself: those of the account are the same in either mode. */

const text = z.string()
const number = z.number()
const time = z.string().meta({ format: 'date-time' })
const mode = z.enum(['live', 'analyze'])
const optional = number
  .optional()
  .meta({ description: 'The multiplier of the contract; absent where it is 1.' })

const order = z.strictObject({
  orderid: text.meta({ description: 'Empty for a refusal that never became an order.' }),
  timestamp: time,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  pricetype: text,
  quantity: number,
  filled_quantity: number,
  pending_quantity: number,
  price: number,
  trigger_price: number,
  average_price: number,
  order_status: text,
  rejection_reason: text,
  request_id: text.optional().meta({
    description: 'Of a refusal that never became an order: svc why explains it. Absent of an order.',
  }),
  disclosed_quantity: number
    .optional()
    .meta({ description: 'The units that the market sees; absent where it sees all.' }),
  contract_value: optional,
  mode,
}) satisfies z.ZodType<OrderRecord>

const placedOrder = z.strictObject({
  status: z.literal('success'),
  orderid: text.optional().meta({ description: 'Null while the order waits for approval.' }),
  pending_order_id: z
    .int()
    .optional()
    .meta({ description: 'The approval that the order waits for; otherwise null.' }),
  mode: z.enum(['live', 'analyze', 'semi_auto']),
  message: text.optional(),
  warning: text
    .optional()
    .meta({ description: 'Why an approval would be refused when the order was queued.' }),
  order_ref: text.optional().meta({ description: 'The reference of the order in this service.' }),
})

const basketOrder = z.looseObject({
  symbol: text,
  exchange: text,
  product: text.optional(),
  status: z.enum(['success', 'error']).meta({ description: 'An error with an order_ref is in doubt.' }),
  orderid: text.optional(),
  order_ref: text.optional(),
  rule: text.optional(),
  message: text.optional(),
})

const basket = z.union([
  z.looseObject({
    status: z
      .enum(['success', 'error'])
      .meta({ description: 'Error if every order was refused, and nothing was sent.' }),
    message: text.optional(),
    rule: text.optional(),
    mode: text
      .optional()
      .meta({ description: 'analyze for orders that are simulated; absent of live ones.' }),
    results: z.array(basketOrder),
  }),
  z.strictObject({
    status: z.literal('success'),
    message: text,
    mode: z.literal('semi_auto'),
    pending_order_id: z.int(),
    warning: text.optional(),
  }),
])

const trade = z.strictObject({
  orderid: text,
  timestamp: time,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  quantity: number,
  average_price: number,
  trade_value: number,
  mode,
}) satisfies z.ZodType<TradeRecord>

const position = z.strictObject({
  symbol: text,
  exchange: text,
  product: text,
  quantity: number,
  average_price: number,
  ltp: number,
  pnl: number,
  pnlpercent: number
    .nullable()
    .meta({ description: 'In percent of the value at entry; null for a closed position.' }),
  contract_value: optional,
  warning: text.optional(),
  mode,
}) satisfies z.ZodType<PositionRecord>

const holding = z.strictObject({
  symbol: text,
  exchange: text,
  product: text,
  quantity: number,
  average_price: number,
  ltp: number,
  current_value: number,
  pnl: number,
  pnlpercent: number,
  mode,
}) satisfies z.ZodType<HoldingRecord>

const fund = z.strictObject({
  availablecash: number,
  utiliseddebits: number,
  collateral: number,
  m2mrealized: number,
  m2munrealized: number,
  totalpnl: number,
  mode,
}) satisfies z.ZodType<FundRecord>

/** What an order tells beside its row in the list; null where it is not known. */
const followed = {
  order_ref: text.nullable().optional(),
  state: text.nullable().optional().meta({ description: 'Of the journal, in Live mode.' }),
  strategy: text.nullable().optional(),
  instructions: z.unknown().optional(),
}

const orderShown = order.extend(followed)

const quote = z.strictObject({
  symbol: text,
  exchange: text,
  ltp: number,
  change: number.optional(),
  change_percent: number.optional(),
  bid: number,
  ask: number,
  open: number,
  high: number,
  low: number,
  prev_close: number,
  volume: number,
  oi: number,
  bid_qty: number.optional(),
  ask_qty: number.optional(),
})

const tick = z.strictObject({
  symbol: text,
  exchange: text,
  mode: z.union([z.literal(1), z.literal(2), z.literal(3)]).meta({ description: 'ltp, quote or depth.' }),
  ltp: number,
  timestamp: time,
  ltt: time.optional(),
  change: number.optional(),
  change_percent: number.optional(),
  bid_price: number.optional(),
  ask_price: number.optional(),
  bid_size: number.optional(),
  ask_size: number.optional(),
  volume: number.optional(),
  open: number.optional(),
  high: number.optional(),
  low: number.optional(),
  close: number.optional(),
  oi: number.optional(),
  open_interest: number.optional(),
  last_trade_quantity: number.optional(),
  last_quantity: number.optional(),
  avg_trade_price: number.optional(),
  average_price: number.optional(),
  total_buy_quantity: number.optional(),
  total_sell_quantity: number.optional(),
  totalbuyqty: number.optional(),
  totalsellqty: number.optional(),
  depth: z.unknown().optional(),
})

const bar = z.strictObject({
  timestamp: time.meta({ description: 'The start of the bar.' }),
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
  oi: number.optional(),
})

const ban = z.strictObject({
  ip_address: text,
  ban_reason: text,
  ban_count: number,
  banned_at: time,
  expires_at: time.nullable(),
  created_by: text,
  is_permanent: z.boolean(),
})

const context = z.strictObject({
  name: text,
  url: text,
  color: text.nullable(),
  id: text.nullable(),
  current: z.boolean().optional(),
  signed_in: z.boolean().optional(),
  api_key: z.boolean().optional(),
})

const contextStatus = z.strictObject({
  context: text,
  state: text.meta({ description: 'ready, the state that the daemon says, or the code of the failure.' }),
  mode: text.nullable(),
  order_mode: text.nullable(),
  broker: text.nullable(),
  broker_session: text.nullable(),
  pnl: number.nullable().meta({ description: 'Rupees, of the day.' }),
  pending_approvals: z.int().nullable(),
  kill_switch: z.boolean().nullable(),
  url: text.nullable(),
  problem: text.nullable(),
})

const requestEntry = z.strictObject({
  id: number,
  time,
  api_type: text,
  symbol: text,
  strategy: text,
  status: text,
  answer: text.meta({ description: 'The answer in words.' }),
  request_data: z.record(z.string(), z.unknown()),
  response_data: z.record(z.string(), z.unknown()),
}) satisfies z.ZodType<RequestRow>

const pnlMinute = z.strictObject({ time, pnl: number, drawdown: number })

export const OWN_RECORDS = {
  order: orderShown,
  'placed-order': placedOrder,
  trade,
  position,
  holding,
  fund,
  quote,
  tick,
  bar,
  ban,
  basket,
  context,
  'context-status': contextStatus,
  'request-entry': requestEntry,
  'pnl-minute': pnlMinute,
}
