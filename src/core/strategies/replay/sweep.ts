import { ServiceError } from '../../errors/index.js'
import { fromMoney, type Money, toMoney } from '../../money/index.js'
import { isObject } from '../../validation/index.js'
import { parseStrategy } from '../config/parse.js'
import type { StrategyConfig } from '../config/schema.js'
import type { ReplaySummary } from './results/report.js'

/** A field of the configuration and the values that a sweep tries. */
export interface Setting {
  /** As the user wrote it: `leg1.sl`. */
  name: string
  /** The leg, or null for a field of the strategy. */
  legId: number | null
  /** The field: `sl_pts`, `trail.x`. */
  path: readonly string[]
  values: readonly (number | string)[]
}

/** One choice of values. */
export interface Combination {
  values: Readonly<Record<string, number | string>>
  config: StrategyConfig
}

export const MAX_COMBINATIONS = 10_000
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['sl', 'sl_pts'],
  ['target', 'target_pts'],
  ['overall_sl', 'overall_sl_mtm'],
  ['overall_target', 'overall_target_mtm'],
  ['daily_loss_limit', 'daily_loss_limit_inr'],
])
/** Fields that decide which strategy it is. */
const FIXED: ReadonlySet<string> = new Set(['legs', 'id', 'name', 'strategy_kind'])
const LEG = /^leg([1-9]|10)\.(.+)$/
const PATH = /^[a-z_]+(\.[a-z_]+)*$/
const RANGE = /^(-?\d{1,9}(?:\.\d{1,4})?)\.\.(-?\d{1,9}(?:\.\d{1,4})?):(-?\d{1,9}(?:\.\d{1,4})?)$/
const NUMBER = /^-?\d{1,12}(\.\d{1,4})?$/

/**
 * Reads a setting: `leg1.sl=30`, `leg1.sl=10,20,30`, `leg1.sl=10..40:5` (both ends included) or
 * `entry_time=09:20,09:30`.
 * @throws ServiceError `validation`
 */
export function parseSetting(text: string): Setting {
  const at = text.indexOf('=')
  const [name, value] = at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  const [, leg, inner] = LEG.exec(name) ?? []
  const field = inner ?? name
  if (at < 0 || value === '' || !PATH.test(field)) {
    throw refused(`--set ${text} is not FIELD=VALUES, such as leg1.sl=10..40:5 or entry_time=09:20,09:30`)
  }
  const path = (SHORT_NAMES.get(field) ?? field).split('.')
  if (path.some((part) => FIXED.has(part) || part in Object.prototype))
    throw refused(`--set ${name}: this field is fixed`)
  return { name, legId: leg === undefined ? null : Number(leg), path, values: sweptValues(name, value) }
}

function sweptValues(name: string, text: string): (number | string)[] {
  const [, from, to, step] = RANGE.exec(text) ?? []
  if (from === undefined || to === undefined || step === undefined) {
    if (text.includes('..')) {
      throw refused(
        `--set ${name}: ${text} is not a range FROM..TO:STEP, such as 10..40:5; its numbers have at most 9 digits and 4 decimals`,
      )
    }
    return [...new Set(text.split(',').map((one) => wordOrNumber(name, one.trim())))]
  }
  const [first, last, by] = [toMoney(from), toMoney(to), toMoney(step)]
  if (by <= 0n) throw refused(`--set ${name}: the step must be above 0`)
  if (last < first) throw refused(`--set ${name}: ${to} is below ${from}`)
  if ((last - first) / by >= BigInt(MAX_COMBINATIONS)) throw tooMany()
  const values: number[] = []
  for (let value: Money = first; value <= last; value += by) values.push(fromMoney(value))
  return values
}

function wordOrNumber(name: string, text: string): number | string {
  if (text === '') throw refused(`--set ${name}: a value is empty`)
  return NUMBER.test(text) ? Number(text) : text
}

/**
 * Returns every combination of the values, the last setting changing fastest.
 * @throws ServiceError `validation` for more than {@link MAX_COMBINATIONS}, and for a value that the strategy refuses
 */
export function combinationsOf(config: StrategyConfig, settings: readonly Setting[]): Combination[] {
  const names = settings.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw refused(`--set names ${twice} twice`)
  let chosen: Record<string, number | string>[] = [{}]
  for (const { name, values } of settings) {
    if (chosen.length * values.length > MAX_COMBINATIONS) throw tooMany()
    chosen = chosen.flatMap((one) => values.map((value) => ({ ...one, [name]: value })))
  }
  return chosen.map((values) => ({ values, config: changed(config, settings, values) }))
}

const tooMany = () => refused(`The settings have more than ${MAX_COMBINATIONS} combinations`)

function changed(
  config: StrategyConfig,
  settings: readonly Setting[],
  values: Readonly<Record<string, number | string>>,
): StrategyConfig {
  const draft: unknown = structuredClone(config)
  for (const setting of settings) place(draft, setting, values[setting.name])
  try {
    return parseStrategy(draft)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const chosen = settings.map(({ name }) => `${name}=${values[name]}`).join(' ')
    throw refused(`--set ${chosen}: ${error.message}`)
  }
}

/** Puts a value into the draft. Unknown fields are for the schema to refuse. */
function place(draft: unknown, { legId, name, path }: Setting, value: unknown): void {
  let target: unknown = legId === null ? draft : legOf(draft, legId)
  if (!isObject(target)) throw refused(`--set ${name}: the strategy has no leg ${legId}`)
  for (const part of path.slice(0, -1)) {
    const inner: unknown = target[part]
    if (!isObject(inner)) throw refused(`--set ${name}: the strategy has no ${part}`)
    target = inner
    if (!isObject(target)) return
  }
  if (isObject(target)) target[path.at(-1) ?? ''] = value
}

function legOf(draft: unknown, legId: number): unknown {
  const legs = isObject(draft) && Array.isArray(draft.legs) ? draft.legs : []
  return legs.find((leg: unknown) => isObject(leg) && leg.id === legId)
}

/** The figures that a sweep can be ranked by. The best comes first. */
export const RANKS = {
  pnl: ({ pnl }) => pnl,
  // A drawdown is 0 or negative.
  drawdown: ({ max_drawdown }) => max_drawdown,
  win_rate: ({ win_rate }) => win_rate,
  profit_factor: ({ losses, pnl, profit_factor }) =>
    profit_factor ?? (losses === 0 && pnl > 0 ? Number.POSITIVE_INFINITY : null),
  average_trade: ({ average_trade }) => average_trade,
  worst_trade: ({ worst_trade }) => worst_trade,
} as const satisfies Readonly<Record<string, (summary: ReplaySummary) => number | null>>
export type Rank = keyof typeof RANKS

/** Sorts results, the best first. Equal ones keep their order; those without the figure come last. */
export function ranked<T extends { summary: ReplaySummary }>(results: readonly T[], rank: Rank): T[] {
  const figure = ({ summary }: T) => RANKS[rank](summary) ?? Number.NEGATIVE_INFINITY
  return results.toSorted((a, b) => {
    const [left, right] = [figure(a), figure(b)]
    return left === right ? 0 : right - left
  })
}

const refused = (message: string) => new ServiceError('validation', message)
