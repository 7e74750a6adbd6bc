import { z } from 'zod'
import { ACTIONS } from '../../../core/orders/schema.js'
import {
  ATM_OFFSETS,
  DIRECTIONS,
  EVENT_KINDS,
  EXIT_OWNERS,
  EXPIRY_RANKS,
  LEG_EXCHANGES,
  LEG_SIDES,
  LEG_STATUSES,
  LOCK_MODES,
  OPTION_TYPES,
  ORDER_KINDS,
  ORDER_STATUSES,
  POSITIONS,
  QUANTITY_MODES,
  REENTRY_EXITS,
  REENTRY_MODES,
  RISK_UNITS,
  RUN_MODES,
  RUN_TRIGGERS,
  SEGMENTS,
  SEVERITIES,
  SIGNAL_SEGMENTS,
  STOP_REASONS,
  STRATEGY_KINDS,
  STRATEGY_PRODUCTS,
  STRATEGY_STATUSES,
  STRATEGY_TYPES,
  STRIKE_MODES,
  TICK_SOURCES,
  UNDERLYING_EXCHANGES,
  UNIVERSE_TABS,
  WEBHOOK_RESULTS,
  WEEK_DAYS,
} from '../../../core/strategies/schema.js'
import { amount, count, instant, message, ok, text } from '../common/answers.js'
import { plannedAction, storedVersion } from '../common/files.js'

/** Answers of strategies. */

/** The states of a run on a page. */
const UNFINISHED_STATES = ['running', 'stop_pending', 'reserved'] as const
export const SHOWN_STATES = [...UNFINISHED_STATES, 'finished'] as const

const distance = amount.nullable()
const risk = {
  sl_pts: distance,
  target_pts: distance,
  trail: z.strictObject({ x: amount, y: amount }).nullable(),
  risk_unit: z.enum(RISK_UNITS),
}
const reentry = z.strictObject({ on: z.enum(REENTRY_EXITS), mode: z.enum(REENTRY_MODES), max: count })
const batchLeg = z.strictObject({
  id: count,
  segment: z.enum(SEGMENTS),
  position: z.enum(POSITIONS),
  lots: count,
  option_type: z.enum(OPTION_TYPES).nullable(),
  strike_mode: z.enum(STRIKE_MODES).nullable(),
  atm_offset: z.enum(ATM_OFFSETS).nullable(),
  strike: amount.nullable(),
  expiry: z.enum(EXPIRY_RANKS).nullable(),
  ...risk,
  reentry: reentry.nullable(),
})
const signalLeg = z.strictObject({
  id: count,
  symbol: text,
  exchange: z.enum(LEG_EXCHANGES),
  segment: z.enum(SIGNAL_SEGMENTS),
  side: z.enum(LEG_SIDES),
  qty: count,
  qty_mode: z.enum(QUANTITY_MODES),
  expiry: z.enum(EXPIRY_RANKS).nullable(),
  ...risk,
})

const time = text.nullable().meta({ description: 'HH:MM, in Indian time.' })
const head = {
  id: count,
  name: text,
  strategy_kind: z.enum(STRATEGY_KINDS),
  direction: z.enum(DIRECTIONS),
  universe_tab: z.enum(UNIVERSE_TABS),
  underlying: text,
  underlying_exchange: z.enum(UNDERLYING_EXCHANGES),
  strategy_type: z.enum(STRATEGY_TYPES),
  entry_time: time,
  exit_time: time,
  product: z.enum(STRATEGY_PRODUCTS),
  pricetype: z.literal('MARKET'),
  overall_sl_mtm: amount.nullable(),
  overall_target_mtm: amount.nullable(),
  daily_loss_limit_inr: amount.nullable(),
  lock_profit: z
    .strictObject({
      mode: z.enum(LOCK_MODES),
      if_profit_reaches: amount,
      lock_profit: amount,
      trail_step: amount.nullable(),
    })
    .nullable(),
  trail_sl_to_entry: z.boolean(),
  scheduler: z
    .strictObject({
      enabled: z.boolean(),
      days: z.array(z.enum(WEEK_DAYS)),
      start_time: time,
      auto_stop_time: time,
      default_mode: z.enum(RUN_MODES),
    })
    .nullable(),
  webhook_ip_allowlist: z.array(text),
  live_enabled: z.boolean(),
  webhook_locked: z.boolean(),
  status: z.enum(STRATEGY_STATUSES),
  current_run_id: count.nullable(),
  run_state: z
    .enum(UNFINISHED_STATES)
    .nullable()
    .meta({ description: 'reserved: a person must look at the run and release it.' }),
  file_key: text.nullable().meta({ description: 'The id of the strategy in its file.' }),
  drifted: z.boolean().meta({ description: 'True if it was changed by hand since it was applied.' }),
  created_at: instant,
  updated_at: instant,
}
const strategy = z.strictObject({ ...head, legs: z.array(z.union([batchLeg, signalLeg])) })
const listed = z.strictObject({
  ...head,
  last_finalized_run: z.strictObject({ id: count, pnl_realized: amount, stopped_at: instant }).nullable(),
})

const run = z.strictObject({
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

const order = z.strictObject({
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

const event = z.strictObject({
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

const webhookEvent = z.strictObject({
  id: count,
  strategy_id: count.nullable(),
  action: text.nullable(),
  mode: text.nullable(),
  payload: z.unknown(),
  ip: text,
  user_agent: text,
  received_at: instant,
  result: z.enum(WEBHOOK_RESULTS),
  error: text.nullable(),
})

const checkpoint = z.strictObject({
  id: count,
  run_id: count,
  ts: instant,
  pnl_realized: amount,
  pnl_unrealized: amount,
  pnl_total: amount,
  pnl_peak: amount,
  pnl_trough: amount,
  lock_floor: amount.nullable(),
  trail_to_entry_active: z.boolean(),
  leg_state: z.unknown(),
})

const exit = z.strictObject({
  leg_id: count,
  ok: z.boolean(),
  position_ref: text,
  exit_owner: z.enum(EXIT_OWNERS),
  error: text.nullable(),
  symbol: text,
  broker_order_id: text.nullable(),
})
const startedLeg = z.strictObject({
  leg_id: count,
  ok: z.boolean(),
  acknowledged: z.boolean(),
  symbol: text,
  broker_order_id: text.nullable(),
  error: text.nullable(),
})

const webhook_token = text.meta({ description: 'The webhook token. It is shown only now.' })

export const strategyList = ok({ data: z.array(listed) })
export const strategyShown = ok({ data: strategy })
export const strategyCreated = ok({ data: strategy, webhook_token, message })
export const strategyStatus = ok({ data: strategy, run: run.nullable() })
export const tokenRotated = ok({ webhook_token, message })
export const liveSet = ok({ live_enabled: z.boolean() })
export const locked = ok({
  webhook_locked: z.literal(true),
  run_stopped: z.boolean(),
  stop_pending: z.boolean(),
  exits: z.array(exit),
  message,
})
export const unlocked = ok({ webhook_locked: z.literal(false), message })
export const started = ok({ run_id: count, mode: z.enum(RUN_MODES), legs: z.array(startedLeg) })
export const stopped = ok({ run_id: count.nullable(), stop_pending: z.boolean(), exits: z.array(exit) })
export const legClosed = ok({ run_id: count, leg_id: count, run_stopped: z.boolean(), exits: z.array(exit) })
export const released = ok({ run_id: count, message })
export const runList = ok({ data: z.array(run) })
export const orderList = ok({ data: z.array(order) })
export const eventList = ok({ data: z.array(event) })
export const webhookEventList = ok({ data: z.array(webhookEvent) })
export const checkpointList = ok({ data: z.array(checkpoint) })

const liveLeg = z.strictObject({
  leg_id: count,
  symbol: text,
  exchange: text,
  position: z.enum(POSITIONS).nullable(),
  lots: amount.nullable(),
  qty: count,
  status: z.enum(LEG_STATUSES),
  entry_status: z.enum(ORDER_STATUSES).nullable(),
  exit_kind: z.enum(ORDER_KINDS).nullable(),
  ltp: amount.nullable(),
  entry_avg: amount.nullable(),
  mtm: amount,
  realized_pnl: amount,
  effective_sl: amount.nullable(),
  effective_target: amount.nullable(),
  trail_active: z.boolean(),
  favorable_points: amount,
  tick_source: z.enum(TICK_SOURCES),
  outgoing_qty: count,
  waiting_to_reenter: z.boolean(),
})
const liveRun = z.strictObject({
  strategy_id: count,
  run_id: count,
  mode: z.enum(RUN_MODES),
  state: z.enum(['running', 'stop_pending', 'finished']),
  stop_reason: z.enum(STOP_REASONS).nullable(),
  mtm_realized: amount,
  mtm_unrealized: amount,
  mtm_total: amount,
  peak: amount,
  trough: amount,
  lock_armed: z.boolean(),
  lock_floor: amount.nullable(),
  trail_to_entry_active: z.boolean(),
  tick_source_degraded: z.boolean(),
  partial: z.boolean(),
  legs: z.array(liveLeg),
})
const shownRun = z.strictObject({
  id: count,
  mode: z.enum(RUN_MODES),
  state: z.enum(SHOWN_STATES).meta({ description: 'reserved: unfinished, and not restored after a start.' }),
  pnl: amount,
  drawdown: amount.meta({ description: 'How far the profit is below its highest value.' }),
})

/** The page of all strategies, and the page of one. */
export const strategiesPage = ok({
  data: z.strictObject({
    strategies: z.array(
      z.strictObject({
        id: count,
        name: text,
        strategy_kind: head.strategy_kind,
        underlying: text,
        status: head.status,
        live_enabled: z.boolean(),
        webhook_locked: z.boolean(),
        run: shownRun.nullable().meta({ description: 'The current run, otherwise the last one.' }),
      }),
    ),
    total: count,
    next_before: count.optional(),
  }),
})
export const strategyPage = ok({
  data: z.strictObject({
    strategy,
    run: z.strictObject({ ...shownRun.shape, row: run }).nullable(),
    live: liveRun.nullable().meta({ description: 'The state of the run, while it is in memory.' }),
    runs: z.array(run),
    orders: z.array(order).meta({ description: 'The newest orders of the run, newest first.' }),
    events: z.array(event),
  }),
})

const planned = {
  key: text,
  name: text,
  action: plannedAction,
  strategy_id: count.nullable(),
  drifted: z.boolean(),
  is_running: z.boolean().meta({ description: 'A running strategy is neither changed nor deleted.' }),
  stored: storedVersion,
  changes: z.array(
    z.strictObject({
      kind: z.enum(['added', 'removed', 'changed']),
      path: text,
      before: z.unknown().optional(),
      after: z.unknown().optional(),
    }),
  ),
}
export const strategyPlan = ok({ data: z.array(z.strictObject(planned)) })
export const strategiesApplied = ok({
  data: z.array(z.strictObject({ ...planned, webhook_token: webhook_token.nullable() })),
})
