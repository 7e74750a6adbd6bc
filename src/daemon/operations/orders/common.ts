import { TOOL_STRATEGY } from '../tool-facts.js'

/* What the rows of order operations share. */

/** The refusals of an order that do not come from the validation of the request. */
export const REFUSALS = [
  'not_found',
  'refused',
  'risk_refused',
  'kill_switch',
  'price_stale',
  'not_received',
  'conflict',
  'broker_rejected',
  'broker_missing',
  'broker_protocol',
  'outcome_unknown',
  'request_expired',
  'storage_full',
] as const
export const CHANGE_REFUSALS = ['refused', 'forbidden', 'not_found', ...REFUSALS.slice(6)] as const
export const HEADERS = ['Idempotency-Key', 'X-Request-Timeout', 'X-Only-Mode'] as const

/** How the audit trail gets an order. */
export const FROM_JOURNAL = {
  unrecorded: 'The order is recorded from the journal or the simulated account, which make it durable.',
} as const
/** How the audit trail gets a change of an order. */
export const AFTER_ANSWER = {
  unrecorded: 'Recorded after the answer, so that the order path does not wait.',
} as const

export const TOOL = { scope: 'write:orders', toolset: 'orders' } as const
export const TOOL_DEFAULTS = { strategy: TOOL_STRATEGY }
export const SINGLE = { exchange: 'NSE', product: 'MIS', ...TOOL_DEFAULTS }
export const PRICE_TYPE = { price_type: 'pricetype' }
export const SPLIT = { ...PRICE_TYPE, split_size: 'splitsize' }
export const CHECKS =
  'The order passes the risk gate, the kill switch and the approval queue like any other; an answer with pending_order_id means that a person decides.'
export const NOT_WAITING =
  'Refused in Live mode while the orders of assistants wait for approval (queue_writes).'

/* The requests of the examples. */

export const LINE = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'MARKET',
  product: 'MIS',
}
export const LIMIT = { ...LINE, pricetype: 'LIMIT', product: 'CNC', price: 900 }
export const UNDERLYING = {
  strategy: 'example',
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiry_date: '23NOV26',
}
export const STRATEGY = { strategy: 'example' }
export const GTT = {
  ...STRATEGY,
  trigger_type: 'SINGLE',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  pricetype: 'LIMIT',
  price: 700,
  triggerprice_sl: 705,
}
