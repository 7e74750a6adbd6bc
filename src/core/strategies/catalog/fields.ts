import { ServiceError } from '../../errors/index.js'
import { kindOf, STRATEGY_FIELDS, type StrategyConfig } from '../config/index.js'

/** Returns the fields with a patch laid over them, not yet validated. @throws ServiceError `validation` */
export function mergedFields(before: StrategyConfig, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  if (Object.keys(patch).length === 0) throw new ServiceError('validation', 'Nothing to update')
  if (kindOf({ ...before, ...patch }) === before.strategy_kind) return { ...before, ...patch }
  const message = 'strategy_kind cannot be changed'
  throw new ServiceError('validation', message, { errors: { strategy_kind: [message] } })
}

/** Returns the names of the fields that differ, sorted. */
export function changedFields(before: StrategyConfig, after: StrategyConfig): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return STRATEGY_FIELDS.filter(
    (field) => JSON.stringify(old.get(field)) !== JSON.stringify(now.get(field)),
  ).toSorted()
}

/** Returns the columns of a strategy that hold its configuration. */
export function columnsOf(config: StrategyConfig) {
  return { name: config.name, config: JSON.stringify(config) }
}
