import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { ACTIONS } from '../../../core/orders/schema.js'
import type { ClosedLeg, ExitReport, StartedRun, StoppedRun } from '../../../core/strategies/index.js'
import {
  EVENT_KINDS,
  EXIT_OWNERS,
  LEG_EXCHANGES,
  ORDER_KINDS,
  ORDER_STATUSES,
  RUN_MODES,
  RUN_TRIGGERS,
  SEVERITIES,
  STOP_REASONS,
  STRATEGY_PRODUCTS,
} from '../../../core/strategies/schema.js'
import { amount, count, instant, message, ok, text } from '../common/answers.js'

export const runRow = z.strictObject({
  id: count,
  strategy_id: count,
  mode: z.enum(RUN_MODES),
  broker: text,
  started_at: instant,
  stopped_at: instant.nullable(),
  stop_reason: z.enum(STOP_REASONS).nullable(),
  stop_requested_at: instant.nullable(),
  stop_requested_reason: z.enum(STOP_REASONS).nullable(),
  reserved_at: instant.nullable().meta({ description: 'Since when a person must look at the run.' }),
  reserved_reason: text.nullable(),
  pnl_realized: amount,
  pnl_peak: amount,
  pnl_trough: amount,
  trigger_source: z.enum(RUN_TRIGGERS),
  webhook_event_id: count.nullable(),
  resolved_expiries: z.record(text, z.unknown()),
})

export const orderRow = z.strictObject({
  id: count,
  run_id: count,
  leg_id: count,
  kind: z.enum(ORDER_KINDS),
  position_ref: text,
  exit_owner: z.enum(EXIT_OWNERS),
  order_ref: text,
  pending_order_id: count.nullable(),
  broker_order_id: text.nullable(),
  symbol: text,
  exchange: z.enum(LEG_EXCHANGES),
  action: z.enum(ACTIONS),
  qty: count,
  product: z.enum(STRATEGY_PRODUCTS),
  pricetype: text,
  price: amount,
  trigger_price: amount,
  status: z.enum(ORDER_STATUSES),
  placed_at: instant,
  filled_at: instant.nullable(),
  avg_fill_price: amount.nullable(),
  filled_qty: count,
  reject_reason: text.nullable(),
})

export const eventRow = z.strictObject({
  id: count,
  run_id: count.nullable(),
  strategy_id: count,
  ts: instant,
  kind: z.enum(EVENT_KINDS),
  severity: z.enum(SEVERITIES),
  leg_id: count.nullable(),
  message,
  payload: z.record(text, z.unknown()).nullable(),
})

export const exitRow = z.strictObject({
  leg_id: count,
  ok: z.boolean(),
  position_ref: text,
  exit_owner: z.enum(EXIT_OWNERS),
  error: text.nullable(),
  symbol: text,
  broker_order_id: text.nullable(),
})
export const startedLeg = z.strictObject({
  leg_id: count,
  ok: z.boolean(),
  acknowledged: z.boolean(),
  symbol: text,
  broker_order_id: text.nullable(),
  error: text.nullable(),
})
export const started = ok({ run_id: count, mode: z.enum(RUN_MODES), legs: z.array(startedLeg) })
export const stopped = ok({
  run_id: count.nullable(),
  mode: z.enum(RUN_MODES),
  stop_pending: z.boolean(),
  exits: z.array(exitRow),
})
export const legClosed = ok({
  run_id: count,
  mode: z.enum(RUN_MODES),
  leg_id: count,
  run_stopped: z.boolean(),
  exits: z.array(exitRow),
})
export const runList = ok({ data: z.array(runRow) })
export const orderList = ok({ data: z.array(orderRow) })
export const eventList = ok({ data: z.array(eventRow) })

export function startedReply({ runId, mode, legs }: StartedRun) {
  return {
    ...success,
    run_id: runId,
    mode,
    legs: legs.map((leg) => ({
      leg_id: leg.legId,
      ok: leg.ok,
      acknowledged: leg.acknowledged,
      symbol: leg.symbol,
      broker_order_id: leg.brokerOrderId,
      error: leg.error,
    })),
  }
}

/** Returns the reply of a stop. @throws ServiceError `conflict` with the exits if some were refused */
export function stoppedReply({ runId, mode, stopPending, exits, refused }: StoppedRun) {
  const facts = { run_id: runId, mode, stop_pending: stopPending, exits: exits.map(exitView) }
  if (refused === null) return { ...success, ...facts }
  throw new ServiceError('conflict', refused, { extra: facts })
}

export function closedReply({ runId, mode, legId, runStopped, exits }: ClosedLeg) {
  const facts = { run_id: runId, mode, leg_id: legId, run_stopped: runStopped }
  return { ...success, ...facts, exits: exits.map(exitView) }
}

export function exitView(exit: ExitReport) {
  return {
    leg_id: exit.legId,
    ok: exit.ok,
    position_ref: exit.positionRef,
    exit_owner: exit.exitOwner,
    error: exit.error,
    symbol: exit.symbol,
    broker_order_id: exit.brokerOrderId,
  }
}

export const success = { status: 'success' } as const
