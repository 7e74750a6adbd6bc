import { z } from 'zod'
import { contractValue, journalFields } from '../account/book-schemas.js'
import { amount, count, instant, message, ok, text } from '../common/answers.js'

/** Answers of the approval queue, modes, risk, journal and broker. */

const nullableText = text.nullable()
export const pendingOrder = z.strictObject({
  id: count,
  user_id: text,
  api_type: text,
  status: z.enum(['pending', 'approved', 'rejected']),
  created_at_ist: text,
  created_at: instant,
  strategy: text,
  symbol: text,
  exchange: text,
  action: text,
  quantity: amount,
  price: text,
  trigger_price: text,
  price_type: text,
  product_type: text,
  approved_at_ist: nullableText,
  approved_by: nullableText,
  rejected_at_ist: nullableText,
  rejected_by: nullableText,
  rejected_reason: nullableText,
  broker_order_id: nullableText,
  broker_status: z.enum(['complete', 'open', 'rejected']).nullable(),
  queued_mode: z.enum(['live', 'analyze']).nullable(),
  created_ltp: amount.nullable(),
  expires_at: instant.nullable(),
  execution: z.enum(['executing', 'in_doubt', 'done', 'partial', 'failed']).nullable(),
  order_ref: nullableText,
  execution_error: nullableText,
  raw_order_data: z.record(z.string(), z.unknown()),
  error: text.optional(),
  last_price: amount.nullable().optional(),
  value: amount.nullable().optional().meta({
    description:
      'About how much money the request moves, with each of its orders, in rupees; null while that is not known.',
  }),
  position_now: amount
    .optional()
    .meta({ description: 'Smart orders: the signed net position now, which the order would change.' }),
})

export const pendingOrders = ok({
  data: z.strictObject({
    orders: z.array(pendingOrder),
    statistics: z.record(z.string(), count),
    total: count,
    next_before: count.optional(),
  }),
})
const check = z.strictObject({ rule: text, ok: z.boolean(), message: text.optional() })
const plannedLeg = z.strictObject({
  symbol: text,
  exchange: text,
  action: text,
  quantity: amount,
  pricetype: text,
  product: text,
  price: amount,
  trigger_price: amount,
  last_price: amount.nullable(),
  queued_price: amount.nullable().meta({ description: 'The last price when the request was queued.' }),
  drift_percent: amount.nullable(),
  value: amount.nullable(),
  margin: amount.nullable(),
  problem: text.optional().meta({ description: 'Why nothing would be sent for this leg.' }),
  checks: z.array(check),
})
export const approvalPlanData = z.strictObject({
  mode: z.enum(['live', 'analyze']),
  broker: text,
  orders: z.array(
    z.strictObject({
      id: count,
      api_type: text,
      strategy: text,
      legs: z.array(plannedLeg),
      one_of: z.boolean().meta({ description: 'A GTT: only one of its legs is ever sent.' }),
      value: amount.nullable(),
      margin: amount.nullable().meta({ description: 'Of all legs together.' }),
      note: text.optional().meta({ description: 'Why nothing would be sent.' }),
      refusal: text.optional().meta({ description: 'Why the drift of its prices forbids the approval now.' }),
    }),
  ),
  totals: z.strictObject({
    orders: count,
    value: amount.meta({ description: 'Of every order whose value is known, shown or not.' }),
    unknown: count.meta({ description: 'The orders whose value is not known.' }),
    newest_id: count.nullable(),
  }),
})
export const approvalPlan = ok({ data: approvalPlanData })
export const pendingCount = z.strictObject({ count })

const warning = { status: z.literal('warning'), message, error: text }
const executionError = text.optional().meta({ description: 'The orders that were not placed, with reasons.' })
export const approved = ok({
  message,
  broker_order_id: text.nullish(),
  execution_error: executionError,
})
/** The answer for an approved order that the broker or the sandbox refused, or whose outcome is unknown. */
export const notExecuted = z.strictObject({
  ...warning,
  execution_error: executionError,
  order_ref: text.optional(),
})

const failedApproval = { order_id: count, error: text }

export const approvedAll = z.union([
  z.strictObject({ status: z.literal('info'), message }),
  z.strictObject({
    status: z.enum(['success', 'warning', 'error']),
    message,
    approved_count: count,
    executed_count: count,
    failed_executions: z.array(z.strictObject(failedApproval)),
    in_doubt: z
      .array(z.strictObject({ ...failedApproval, order_ref: nullableText }))
      .optional()
      .meta({ description: 'Orders that may be at the broker: follow them, do not send them again.' }),
    partly_executed: z
      .array(z.strictObject(failedApproval))
      .optional()
      .meta({ description: 'Executed in part: some orders of the request were not placed.' }),
  }),
])

export const analyzeMode = z.strictObject({ analyze_mode: z.boolean() })
export const changedAnalyzeMode = z.strictObject({
  success: z.literal(true),
  analyze_mode: z.boolean(),
  message,
})

const riskView = z.strictObject({
  rules: z.record(z.string(), z.unknown()),
  defaults: z.record(z.string(), z.unknown()),
  kill_switch: z.strictObject({
    on: z.boolean(),
    reason: text,
    by: text,
    since: instant.nullable(),
    stored: z.boolean(),
  }),
})
export const risk = ok({ data: riskView })
const reservedRun = z.strictObject({ strategy_id: count, run_id: count, reason: text })
export const killSwitch = ok({
  message,
  data: riskView,
  reserved_runs: z.array(reservedRun).meta({
    description: 'Runs of strategies that the service does not manage; a person must look at them.',
  }),
})

const journalRow = z.strictObject(journalFields)
/** The position of the next page; null at the end of the list. */
const nextPage = nullableText
export const journal = ok({ data: z.array(journalRow), next_before: nextPage })

const pastFields = {
  orderid: text,
  timestamp: instant,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  quantity: amount,
  average_price: amount,
  strategy: text,
}
const tradingMode = z.enum(['live', 'analyze'])
export const orderHistory = ok({
  mode: tradingMode,
  data: z.array(
    z.strictObject({
      ...pastFields,
      pricetype: text,
      filled_quantity: amount,
      price: amount,
      trigger_price: amount,
      order_status: z.enum([
        'open',
        'trigger pending',
        'complete',
        'cancelled',
        'rejected',
        'unknown',
        'lapsed',
      ]),
      rejection_reason: text,
    }),
  ),
  next_before: nextPage,
})
export const tradeHistory = ok({
  mode: tradingMode,
  data: z.array(z.strictObject({ ...pastFields, contract_value: contractValue })),
  next_before: nextPage,
})
export const journalEntry = ok({
  data: z.strictObject({
    ...journalFields,
    events: z.array(z.strictObject({ at: instant, from: nullableText, to: text, detail: nullableText })),
  }),
})

export const brokers = ok({
  data: z.array(
    z.strictObject({
      id: text,
      name: text,
      active: z.boolean(),
      available: z.boolean(),
      exchanges: z.array(text),
      credential_fields: z.array(
        z.strictObject({ name: text, label: text, secret: z.boolean(), required: z.boolean() }),
      ),
      capabilities: z
        .strictObject({
          products: z.array(text),
          price_types: z.array(text),
          order_updates: z.enum(['push', 'poll', 'none']),
          streaming: z.strictObject({ modes: z.array(count), depthLevels: z.array(count) }).nullable(),
          tag_lookup: z.enum(['authoritative', 'book']),
        })
        .nullable(),
    }),
  ),
})
export const sessionFields = {
  state: z.enum(['signed_in', 'expired', 'refused', 'signed_out']),
  reason: nullableText,
  since: instant.nullable(),
  until: instant.nullable(),
  next_step: nullableText,
}
const sessionView = z.strictObject(sessionFields)
const brokerView = z.strictObject({
  broker: text,
  available: z.boolean(),
  connected: z.boolean(),
  reason: nullableText,
  session: sessionView,
  failed_call: z
    .strictObject({ call: text, message: text, at: instant.nullable(), failing_since: instant.nullable() })
    .nullable(),
  session_expires_at: instant.nullable(),
  instruments: z.strictObject({
    state: text,
    count,
    broker: nullableText,
    source: nullableText,
    loaded_at: instant.nullable(),
    last_error: nullableText,
  }),
  feed: z.strictObject({
    state: z.enum(['disconnected', 'idle', 'closed', 'live', 'lost']),
    age_ms: amount.nullable(),
    attempts: count,
    losses: count,
    symbols: count,
    stale: count,
    ticks: count,
  }),
  in_doubt: count,
})
export const brokerStatus = ok({ data: brokerView })
export const usedBroker = ok({ message, data: brokerView })
export const synced = ok({
  message,
  data: z.strictObject({
    count,
    skipped: count,
    rejected: z.array(z.strictObject({ line: count, reason: text })),
  }),
})
export const faults = ok({ data: z.array(z.record(z.string(), z.unknown())) })
