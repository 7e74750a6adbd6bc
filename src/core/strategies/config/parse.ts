import type { z } from 'zod'
import { ServiceError } from '../../errors/index.js'
import { keysAt, nearestName } from '../../validation/index.js'
import { canonicalBatch, canonicalSignal } from './canonical.js'
import { type ConfigProblem, pathText } from './problem.js'
import { ruleProblems } from './rules.js'
import { batchStrategy, type StrategyConfig, signalStrategy } from './schema.js'
import type { StrategyKind } from './vocabulary.js'

/** The outcome of reading a configuration: the canonical form, or every fault found. */
export type ConfigResult =
  | { config: StrategyConfig; problems?: undefined }
  | { config?: undefined; problems: ConfigProblem[] }

/** Most faults that are reported, so that a request full of mistakes costs no more than one with a few. */
const MAX_PROBLEMS = 20
/** The part of an unknown name that is repeated in the answer. */
const MAX_NAME = 60

/** The fields that a strategy accepts. */
export const STRATEGY_FIELDS: readonly string[] = Object.keys(batchStrategy.shape)

/** Reads a configuration and returns its canonical form, which reads as itself. */
export function readStrategy(input: unknown): ConfigResult {
  return kindOf(input) === 'signal'
    ? read(signalStrategy, input, canonicalSignal)
    : read(batchStrategy, input, canonicalBatch)
}

function read<S extends z.ZodType>(
  schema: S,
  input: unknown,
  canonical: (parsed: z.output<S>) => StrategyConfig,
): ConfigResult {
  const parsed = schema.safeParse(input)
  if (!parsed.success) {
    const problems = parsed.error.issues.slice(0, MAX_PROBLEMS).map((issue) => problemOf(issue, schema))
    return { problems }
  }
  const config = canonical(parsed.data)
  const problems = ruleProblems(config)
  return problems.length > 0 ? { problems: problems.slice(0, MAX_PROBLEMS) } : { config }
}

/** Reads a configuration. @throws ServiceError `validation` with the first fault as message */
export function parseStrategy(input: unknown): StrategyConfig {
  const { config, problems } = readStrategy(input)
  if (config) return config
  throw invalidStrategy(problems)
}

/** Returns the error of a faulty configuration: the first sentence, and all of them by field. */
export function invalidStrategy(problems: readonly ConfigProblem[]): ServiceError {
  const errors: Record<string, string[]> = Object.create(null)
  for (const { path, message } of problems) {
    const field = path.length === 0 ? '_schema' : path.join('.')
    errors[field] = [...(errors[field] ?? []), message]
  }
  return new ServiceError('validation', problems[0]?.message ?? 'Invalid input.', { errors })
}

/** Returns the kind that a configuration asks for; batch if it names none that exists. */
export function kindOf(input: unknown): StrategyKind {
  if (typeof input !== 'object' || input === null || !('strategy_kind' in input)) return 'batch'
  const { strategy_kind: kind } = input
  return typeof kind === 'string' && kind.trim().toLowerCase() === 'signal' ? 'signal' : 'batch'
}

function problemOf(issue: z.core.$ZodIssue, schema: z.ZodType): ConfigProblem {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  const name = pathText(path) || 'The request'
  if (issue.code !== 'unrecognized_keys') return { path, message: `${name} ${issue.message}` }
  const shown = issue.keys.slice(0, MAX_PROBLEMS).map((key) => key.slice(0, MAX_NAME))
  const accepted = keysAt(schema, path)
  const meant = shown.map((key) => meantField(key, accepted)).find((one) => one !== undefined)
  return {
    path: [...path, ...issue.keys.slice(0, 1)],
    message: `${name} does not accept ${shown.join(', ')}. ${meant === undefined ? '' : `Did you mean ${meant}? `}Accepted fields: ${accepted.join(', ')}`,
  }
}

/** What traders, and other programs, call the fields of a leg. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  profit: 'target_pts',
  side: 'position',
  sl: 'sl_pts',
  stop: 'sl_pts',
  stoploss: 'sl_pts',
  takeprofit: 'target_pts',
  target: 'target_pts',
  tgt: 'target_pts',
  tp: 'target_pts',
  trailing: 'trail',
  tsl: 'trail',
}

/** Returns the accepted field that a wrong name most likely means: `sl`, `SL` and `stop_loss_points` mean `sl_pts`. */
function meantField(name: string, accepted: readonly string[]): string | undefined {
  const bare = name
    .toLowerCase()
    .replace(/[_\s-]/g, '')
    .replace(/(pts|points|percent|pct|price|value)$/, '')
  const other = Object.hasOwn(OTHER_NAMES, bare) ? OTHER_NAMES[bare] : undefined
  if (other !== undefined && accepted.includes(other)) return other
  return nearestName(name, accepted)
}
