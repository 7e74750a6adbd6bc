import { existsSync } from 'node:fs'
import type { StrategyConfig } from '../../../../core/strategies/replay/index.js'
import type { Context } from '../../../framework/context.js'
import { usageError } from '../../../framework/errors.js'
import { loadStrategies } from '../files/load.js'
import { findId } from '../find.js'

const FILE = /\.(ya?ml|json)$/i

/** Returns the configuration of a strategy file, or of a strategy of the daemon. */
export async function configOf(context: Context, word: string): Promise<StrategyConfig> {
  if (FILE.test(word) || existsSync(word)) return fromFile(word)
  const { parseStrategy, STRATEGY_FIELDS } = await import('../../../../core/strategies/replay/index.js')
  const id = await findId(context, word)
  const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
  const fields = new Set(STRATEGY_FIELDS)
  return parseStrategy(Object.fromEntries(Object.entries(data).filter(([name]) => fields.has(name))))
}

async function fromFile(path: string): Promise<StrategyConfig> {
  const { strategies, findings } = await loadStrategies([path])
  if (findings.length > 0) {
    const { unreadable } = await import('../../flow/files/load.js')
    throw await unreadable(findings)
  }
  const [one, another] = strategies
  if (!one || another) throw usageError(`${path} must be one strategy file.`)
  return one.config
}
