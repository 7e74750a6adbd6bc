/** The words of strategies. Each set is closed: anything else is refused. */

export const STRATEGY_KINDS = ['batch', 'signal'] as const
export type StrategyKind = (typeof STRATEGY_KINDS)[number]

/** The sides a signal strategy accepts. */
export const DIRECTIONS = ['both', 'long_only', 'short_only'] as const
export type Direction = (typeof DIRECTIONS)[number]

export const STRATEGY_TYPES = ['intraday', 'positional'] as const
export type StrategyType = (typeof STRATEGY_TYPES)[number]

export const UNIVERSE_TABS = ['weekly_monthly', 'monthly_only', 'stocks_fno', 'mcx'] as const
export type UniverseTab = (typeof UNIVERSE_TABS)[number]

export const STRATEGY_PRODUCTS = ['CNC', 'NRML', 'MIS'] as const
export type StrategyProduct = (typeof STRATEGY_PRODUCTS)[number]

/** The exchange of a strategy's underlying. */
export const UNDERLYING_EXCHANGES = [
  'NSE',
  'BSE',
  'NFO',
  'BFO',
  'CDS',
  'BCD',
  'MCX',
  'NCDEX',
  'NCO',
  'NSE_INDEX',
  'BSE_INDEX',
] as const
export type UnderlyingExchange = (typeof UNDERLYING_EXCHANGES)[number]

/** The exchange of a contract that a strategy trades. */
export const LEG_EXCHANGES = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD', 'NCDEX', 'NCO'] as const
export type LegExchange = (typeof LEG_EXCHANGES)[number]

/** The mode of one run. It does not depend on the mode of the service. */
export const RUN_MODES = ['live', 'sandbox'] as const
export type RunMode = (typeof RUN_MODES)[number]

export const STRATEGY_STATUSES = ['stopped', 'running', 'paused', 'errored'] as const
export type StrategyStatus = (typeof STRATEGY_STATUSES)[number]

export const RUN_TRIGGERS = ['manual', 'webhook', 'scheduler'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

/** The reason for a new version of a strategy. */
export const STRATEGY_VERSION_ORIGINS = ['edit', 'apply', 'rollback'] as const
export type StrategyVersionOrigin = (typeof STRATEGY_VERSION_ORIGINS)[number]

export const STOP_REASONS = [
  'manual',
  'scheduler',
  'overall_sl',
  'overall_target',
  'lock_profit',
  'eod',
  'expiry',
  'daily_loss_limit',
  'tick_stale',
  'recovery_failed',
  'error',
] as const
export type StopReason = (typeof STOP_REASONS)[number]

export const EXIT_KINDS = [
  'exit_sl',
  'exit_target',
  'exit_trail',
  'exit_overall_sl',
  'exit_overall_target',
  'exit_lock_profit',
  'exit_eod',
  'exit_expiry',
  'exit_daily_loss_limit',
  'exit_close_all',
  'exit_leg_manual',
  'exit_recovery',
  'exit_signal',
] as const
export type ExitKind = (typeof EXIT_KINDS)[number]

export const ORDER_KINDS = ['entry', ...EXIT_KINDS] as const
export type StrategyOrderKind = (typeof ORDER_KINDS)[number]

/** The kind of the exit orders of a stop. */
export const EXIT_KIND_OF_STOP: Readonly<Record<StopReason, ExitKind>> = {
  manual: 'exit_close_all',
  scheduler: 'exit_close_all',
  overall_sl: 'exit_overall_sl',
  overall_target: 'exit_overall_target',
  lock_profit: 'exit_lock_profit',
  eod: 'exit_eod',
  expiry: 'exit_expiry',
  daily_loss_limit: 'exit_daily_loss_limit',
  tick_stale: 'exit_close_all',
  recovery_failed: 'exit_close_all',
  error: 'exit_close_all',
}

export const ORDER_STATUSES = ['pending', 'open', 'complete', 'cancelled', 'rejected'] as const
export type StrategyOrderStatus = (typeof ORDER_STATUSES)[number]

export const LEG_STATUSES = ['configured', 'open', 'closed', 'rejected'] as const
export type LegStatus = (typeof LEG_STATUSES)[number]

/** `live` is the current position of a leg, `superseded` the outgoing side of a flip. */
export const EXIT_OWNERS = ['live', 'superseded'] as const
export type ExitOwner = (typeof EXIT_OWNERS)[number]

export const TICK_SOURCES = ['ws', 'polling', 'stale'] as const
export type TickSource = (typeof TICK_SOURCES)[number]

export const SEGMENTS = ['options', 'futures', 'cash'] as const
export type Segment = (typeof SEGMENTS)[number]

export const POSITIONS = ['B', 'S'] as const
export type Position = (typeof POSITIONS)[number]

export const OPTION_TYPES = ['CE', 'PE'] as const

export const STRIKE_MODES = ['atm', 'strike'] as const

export const ATM_OFFSETS = [
  'ATM',
  'ITM1',
  'ITM2',
  'ITM3',
  'ITM4',
  'ITM5',
  'OTM1',
  'OTM2',
  'OTM3',
  'OTM4',
  'OTM5',
] as const

export const EXPIRY_RANKS = ['weekly', 'next_week', 'monthly', 'next_month', 'current', 'next'] as const

export const RISK_UNITS = ['points', 'percent'] as const
export type RiskUnit = (typeof RISK_UNITS)[number]

/** The sides a signal leg accepts. */
export const LEG_SIDES = ['long', 'short', 'both'] as const
export type LegSide = (typeof LEG_SIDES)[number]

export const SIGNAL_SEGMENTS = ['cash', 'futures'] as const satisfies readonly Segment[]
export type SignalSegment = (typeof SIGNAL_SEGMENTS)[number]

export const QUANTITY_MODES = ['lots', 'units'] as const
export type QuantityMode = (typeof QUANTITY_MODES)[number]

export const SIGNALS = ['long_entry', 'long_exit', 'short_entry', 'short_exit'] as const
export type Signal = (typeof SIGNALS)[number]

export const BATCH_ACTIONS = ['start', 'stop'] as const

/** The exits after which a batch leg enters again. */
export const REENTRY_EXITS = ['sl', 'target', 'any'] as const
export type ReentryExit = (typeof REENTRY_EXITS)[number]

/** `asap` enters when the exit is filled, `cost` when the price crosses the first entry's average. */
export const REENTRY_MODES = ['asap', 'cost'] as const
export type ReentryMode = (typeof REENTRY_MODES)[number]

export const LOCK_MODES = ['lock', 'lock_and_trail'] as const
export type LockMode = (typeof LOCK_MODES)[number]

/** In the order of a week, which is also the order they are stored in. */
export const WEEK_DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

export const WEBHOOK_RESULTS = [
  'ok',
  'rejected_token',
  'rejected_locked',
  'rejected_ip',
  'rejected_payload',
  'rejected_invalid_action',
  'rejected_live_disabled',
  'rejected_dedupe',
  'rejected_cooling_off',
  'rejected_engine_error',
  'rate_limited',
] as const
export type WebhookResult = (typeof WEBHOOK_RESULTS)[number]

/** The reasons an accepted signal has no effect. */
export const SIGNAL_NOTES = [
  'already_long',
  'already_short',
  'flip_pending',
  'no_matching_position',
  'outside_entry_window',
  'outside_trading_window',
] as const
export type SignalNote = (typeof SIGNAL_NOTES)[number]

/** The reasons a leg resolves to no contract. */
export const RESOLVER_FAILURES = [
  'invalid_rank',
  'invalid_instrument_type',
  'expiry_lookup_failed',
  'no_expiry',
  'invalid_underlying',
  'invalid_underlying_exchange',
  'no_underlying_contract',
  'quote_failed',
  'no_ltp',
  'invalid_segment',
  'invalid_lots',
  'invalid_lotsize',
  'contract_not_found',
  'invalid_strike_mode',
  'invalid_strike',
  'invalid_offset',
  'no_strikes',
  'no_atm_strike',
  'offset_out_of_range',
  'invalid_leg',
  'resolver_error',
] as const
export type ResolverFailure = (typeof RESOLVER_FAILURES)[number]

export const SEVERITIES = ['info', 'warn', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Every kind of event with its usual severity. An event may have a graver one. */
export const EVENT_SEVERITY = {
  strategy_created: 'info',
  strategy_updated: 'info',
  webhook_token_rotated: 'info',
  live_enabled: 'warn',
  live_disabled: 'info',
  webhook_locked: 'critical',
  webhook_unlocked: 'info',
  run_started: 'info',
  run_paused: 'info',
  run_resumed: 'info',
  run_stop_requested: 'info',
  run_stopped: 'info',
  run_stop_failed: 'critical',
  flip_outgoing_exit_rejected: 'critical',
  close_all_manual: 'info',
  leg_entry_placed: 'info',
  leg_entry_filled: 'info',
  leg_entry_rejected: 'warn',
  leg_exit_placed: 'info',
  leg_exit_filled: 'info',
  leg_exit_rejected: 'critical',
  leg_close_manual: 'info',
  leg_expiry_fallback: 'warn',
  order_ack_unrecorded: 'critical',
  leg_sl_hit: 'warn',
  leg_target_hit: 'warn',
  leg_trail_armed: 'info',
  leg_trail_advanced: 'info',
  overall_sl_hit: 'warn',
  overall_target_hit: 'warn',
  lock_profit_armed: 'info',
  lock_profit_floor_advanced: 'info',
  lock_profit_triggered: 'warn',
  trail_to_entry_activated: 'warn',
  eod_squareoff: 'warn',
  expiry_squareoff: 'warn',
  tick_source_switched_to_polling: 'warn',
  tick_source_switched_to_ws: 'info',
  tick_source_stale: 'critical',
  recovery_succeeded: 'info',
  recovery_failed: 'critical',
} as const satisfies Readonly<Record<string, Severity>>

export type EventKind = keyof typeof EVENT_SEVERITY

export const EVENT_KINDS = Object.keys(EVENT_SEVERITY) as [EventKind, ...EventKind[]]
