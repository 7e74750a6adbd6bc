import type { StrategyConfig } from '../config/schema.js'
import type { RunDefinition, RunLeg } from '../engine/index.js'
import { runRisk } from '../resolve/index.js'

/** The parts of a definition that are not in the configuration. */
export interface RunFacts {
  runId: number
  legs: readonly RunLeg[]
  earlierRealized: number
  exitAt: number | null
  /** The Indian date of the start, `YYYY-MM-DD`. */
  date: string
}

/** Returns the definition of one replayed run. */
export function definitionOf(config: StrategyConfig, facts: RunFacts): RunDefinition {
  const isScheduled = config.scheduler?.enabled === true
  return {
    ...facts,
    strategyId: 1,
    strategyName: config.name,
    kind: config.strategy_kind,
    mode: 'sandbox',
    trigger: isScheduled ? 'scheduler' : config.strategy_kind === 'signal' ? 'webhook' : 'manual',
    risk: runRisk(config),
  }
}
