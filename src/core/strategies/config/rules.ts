import { isCashExchange } from './canonical.js'
import { type BatchLeg, MAX_LOTS, MAX_SIGNAL_LOTS, type SignalLeg } from './legs.js'
import { type ConfigProblem, type Path, pathText } from './problem.js'
import type { StrategyConfig } from './schema.js'

/** A field and the end of a sentence that begins with its name. */
type Finding = readonly [field: string, rule: string]
type Rule<T> = (part: T, config: StrategyConfig) => Finding | false | null

/** Returns the faults of a configuration whose fields are each valid. */
export function ruleProblems(config: StrategyConfig): ConfigProblem[] {
  const legs =
    config.strategy_kind === 'batch'
      ? config.legs.flatMap((leg, i) => broken(['legs', i], BATCH_LEG_RULES, leg, config))
      : config.legs.flatMap((leg, i) => broken(['legs', i], SIGNAL_LEG_RULES, leg, config))
  return [...broken([], STRATEGY_RULES, config, config), ...legs, ...repeatedIds(config.legs)]
}

function broken<T>(path: Path, rules: readonly Rule<T>[], part: T, config: StrategyConfig): ConfigProblem[] {
  return rules.flatMap((rule) => {
    const found = rule(part, config)
    return found ? [problem([...path, ...found[0].split('.')], found[1])] : []
  })
}

function repeatedIds(legs: readonly { id: number }[]): ConfigProblem[] {
  return legs.flatMap(({ id }, i) =>
    legs.findIndex((leg) => leg.id === id) < i
      ? [problem(['legs', i, 'id'], `must be unique; ${id} is the id of another leg`)]
      : [],
  )
}

function problem(path: Path, rule: string): ConfigProblem {
  return { path, message: `${pathText(path)} ${rule}` }
}

const STRATEGY_RULES: readonly Rule<StrategyConfig>[] = [
  ({ strategy_type, entry_time }) =>
    strategy_type === 'intraday' &&
    entry_time === null && ['entry_time', 'is required for an intraday strategy'],
  ({ strategy_type, exit_time }) =>
    strategy_type === 'intraday' &&
    exit_time === null && ['exit_time', 'is required for an intraday strategy'],
  ({ strategy_type, entry_time, exit_time }) =>
    strategy_type === 'intraday' &&
    entry_time !== null &&
    exit_time !== null &&
    entry_time >= exit_time && ['entry_time', 'must be earlier than exit_time'],
  ({ lock_profit }) =>
    lock_profit?.if_profit_reaches === 0 && ['lock_profit.if_profit_reaches', 'must be above 0'],
  ({ lock_profit: lock }) =>
    lock !== null &&
    lock.lock_profit > lock.if_profit_reaches && [
      'lock_profit.lock_profit',
      'must not be above if_profit_reaches',
    ],
  ({ lock_profit }) =>
    lock_profit?.mode === 'lock_and_trail' &&
    lock_profit.trail_step === null && ['lock_profit.trail_step', 'must be above 0 with mode lock_and_trail'],
  ({ scheduler }) =>
    scheduler !== null &&
    new Set(scheduler.days).size < scheduler.days.length && ['scheduler.days', 'must name each day once'],
  ({ scheduler }) =>
    scheduler?.enabled === true &&
    scheduler.days.length === 0 && ['scheduler.days', 'is required for an enabled scheduler'],
  ({ scheduler }) =>
    scheduler?.enabled === true &&
    scheduler.start_time === null && ['scheduler.start_time', 'is required for an enabled scheduler'],
  ({ scheduler }) =>
    scheduler?.enabled === true &&
    scheduler.auto_stop_time === null && ['scheduler.auto_stop_time', 'is required for an enabled scheduler'],
  ({ scheduler }) =>
    scheduler?.enabled === true &&
    scheduler.start_time !== null &&
    scheduler.auto_stop_time !== null &&
    scheduler.start_time >= scheduler.auto_stop_time && [
      'scheduler.start_time',
      'must be earlier than auto_stop_time',
    ],
]

/** Levels that both kinds of leg have. */
type Levels = Pick<BatchLeg, 'sl_pts' | 'target_pts' | 'trail' | 'risk_unit'>

const LEVEL_RULES: readonly Rule<Levels>[] = [
  ({ risk_unit, sl_pts }) =>
    risk_unit === 'percent' &&
    (sl_pts ?? 0) > 100 && ['sl_pts', 'must be at most 100 with risk_unit percent'],
  ({ risk_unit, target_pts }) =>
    risk_unit === 'percent' &&
    (target_pts ?? 0) > 100 && ['target_pts', 'must be at most 100 with risk_unit percent'],
  ({ risk_unit, trail }) =>
    risk_unit === 'percent' &&
    (trail?.x ?? 0) > 100 && ['trail.x', 'must be at most 100 with risk_unit percent'],
  ({ risk_unit, trail }) =>
    risk_unit === 'percent' &&
    (trail?.y ?? 0) > 100 && ['trail.y', 'must be at most 100 with risk_unit percent'],
  ({ trail }) => trail?.x === 0 && trail.y > 0 && ['trail.x', 'must be above 0 when y is'],
  ({ trail, sl_pts }) =>
    (trail?.y ?? 0) > 0 && sl_pts === null && ['trail', 'with y moves the stop loss, so sl_pts is required'],
]

const BATCH_LEG_RULES: readonly Rule<BatchLeg>[] = [
  ...LEVEL_RULES,
  ({ segment }, { universe_tab }) =>
    segment === 'cash' &&
    universe_tab !== 'stocks_fno' && ['segment', 'cash is only for universe_tab stocks_fno'],
  ({ segment, position }, { product }) =>
    segment === 'cash' &&
    position === 'S' &&
    product !== 'MIS' && [
      'position',
      `S is refused: cash cannot be held short overnight, and product ${product} carries the position. Use MIS for an intraday short.`,
    ],
  ({ segment, lots }) =>
    segment !== 'cash' && lots > MAX_LOTS && ['lots', `must be a whole number from 1 to ${MAX_LOTS}`],
  ({ segment, option_type }) =>
    segment === 'options' && option_type === null && ['option_type', 'is required for options'],
  ({ segment, strike_mode, strike }) =>
    segment === 'options' &&
    strike_mode === 'strike' &&
    strike === null && ['strike', 'is required for strike_mode strike'],
  ({ segment, strike_mode, strike }) =>
    segment === 'options' &&
    strike_mode === 'atm' &&
    strike !== null && ['strike', 'is for strike_mode strike'],
  ({ strike_mode, atm_offset }) =>
    strike_mode === 'strike' && atm_offset !== null && ['atm_offset', 'is for strike_mode atm'],
  ...(['option_type', 'strike_mode', 'atm_offset', 'strike'] as const).map(
    (field): Rule<BatchLeg> =>
      (leg) =>
        leg.segment !== 'options' && leg[field] !== null && [field, 'is for options only'],
  ),
  ({ segment, expiry }) => segment !== 'cash' && expiry === null && ['expiry', `is required for ${segment}`],
  ({ segment, expiry }) => segment === 'cash' && expiry !== null && ['expiry', 'is not for cash'],
  ({ reentry, sl_pts, trail }) =>
    reentry?.on === 'sl' && sl_pts === null && trail === null && ['reentry.on', 'sl needs sl_pts or a trail'],
  ({ reentry, target_pts }) =>
    reentry?.on === 'target' && target_pts === null && ['reentry.on', 'target needs target_pts'],
]

const SIGNAL_LEG_RULES: readonly Rule<SignalLeg>[] = [
  ...LEVEL_RULES,
  ({ segment, exchange }) =>
    (segment === 'cash') !== isCashExchange(exchange) && [
      'segment',
      `must be ${isCashExchange(exchange) ? 'cash' : 'futures'} on ${exchange}`,
    ],
  ({ side }, { direction }) =>
    ((direction === 'long_only' && side === 'short') || (direction === 'short_only' && side === 'long')) && [
      'side',
      `${side} does not fit direction ${direction}`,
    ],
  ({ segment, qty_mode }) =>
    segment === 'cash' && qty_mode === 'lots' && ['qty_mode', 'lots is for derivatives'],
  ({ qty_mode, qty }) =>
    qty_mode === 'lots' &&
    qty > MAX_SIGNAL_LOTS && ['qty', `must be a whole number from 1 to ${MAX_SIGNAL_LOTS} lots`],
  ({ segment, expiry }) => segment === 'cash' && expiry !== null && ['expiry', 'is for futures only'],
]
