import { z } from 'zod'
import { type ListedStrategy, type RunService, strategyListView } from '../../../core/strategies/index.js'
import {
  ATM_OFFSETS,
  DIRECTIONS,
  EXPIRY_RANKS,
  LEG_EXCHANGES,
  LEG_SIDES,
  LOCK_MODES,
  OPTION_TYPES,
  POSITIONS,
  QUANTITY_MODES,
  REENTRY_EXITS,
  REENTRY_MODES,
  RISK_UNITS,
  RUN_MODES,
  SEGMENTS,
  SIGNAL_SEGMENTS,
  STRATEGY_KINDS,
  STRATEGY_PRODUCTS,
  STRATEGY_STATUSES,
  STRATEGY_TYPES,
  STRIKE_MODES,
  UNDERLYING_EXCHANGES,
  UNIVERSE_TABS,
  WEEK_DAYS,
} from '../../../core/strategies/schema.js'
import { amount, count, instant, ok, text } from '../common/answers.js'

/** The states of a run on a page. */
export const UNFINISHED_STATES = ['running', 'stop_pending', 'reserved'] as const

export const distance = amount.nullable()
export const risk = {
  sl_pts: distance,
  target_pts: distance,
  trail: z.strictObject({ x: amount, y: amount }).nullable(),
  risk_unit: z.enum(RISK_UNITS),
}
export const reentry = z.strictObject({ on: z.enum(REENTRY_EXITS), mode: z.enum(REENTRY_MODES), max: count })
export const batchLeg = z.strictObject({
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
export const signalLeg = z.strictObject({
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

export const time = text.nullable().meta({ description: 'HH:MM, in Indian time.' })
export const head = {
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
const last_finalized_run = z.strictObject({ id: count, pnl_realized: amount, stopped_at: instant }).nullable()
export const strategyShape = z.strictObject({ ...head, legs: z.array(z.union([batchLeg, signalLeg])) })
export const listedRow = z.strictObject({ ...head, last_finalized_run })
/** The configuration of a strategy, without its state. */
export const configShape = strategyShape.omit({
  id: true,
  live_enabled: true,
  webhook_locked: true,
  status: true,
  current_run_id: true,
  run_state: true,
  file_key: true,
  drifted: true,
  created_at: true,
  updated_at: true,
})
/** A strategy with its legs and everything that a list has. */
export const wholeStrategy = strategyShape.extend({ last_finalized_run })

export const strategyList = ok({ data: z.array(listedRow) })

/** Returns the row of a strategy in a list. */
export function listRow({ last, strategy }: ListedStrategy, runs: Pick<RunService, 'unfinished'>) {
  return strategyListView(strategy, runs.unfinished(strategy.id), last)
}
