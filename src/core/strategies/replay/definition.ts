import type { StrategyConfig } from '../config/schema.js'
import type { RunDefinition, RunLeg, RunRisk } from '../engine/index.js'

/** The parts of a definition that are not in the configuration. */
export interface RunFacts {
  runId: number
  legs: readonly RunLeg[]
  earlierRealized: number
  exitAt: number | null
}

/** Returns the definition of one replayed run. */
export function definitionOf(config: StrategyConfig, facts: RunFacts): RunDefinition {
  return {
    ...facts,
    strategyId: 1,
    strategyName: config.name,
    kind: config.strategy_kind,
    mode: 'sandbox',
    trigger: config.scheduler?.enabled ? 'scheduler' : config.strategy_kind === 'signal' ? 'webhook' : 'manual',
    risk: runRiskOf(config),
  }
}

function runRiskOf(config: StrategyConfig): RunRisk {
  const { lock_profit: lock } = config
  return {
    overallStop: config.overall_sl_mtm,
    overallTarget: config.overall_target_mtm,
    dailyLossLimit: config.daily_loss_limit_inr,
    lockProfit: lock && {
      mode: lock.mode,
      ifProfitReaches: lock.if_profit_reaches,
      lockProfit: lock.lock_profit,
      trailStep: lock.trail_step,
    },
    trailToEntry: config.trail_sl_to_entry,
  }
}
