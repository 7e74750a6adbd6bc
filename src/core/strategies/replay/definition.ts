import type { SignalConfig, StrategyConfig } from '../config/schema.js'
import type { RunDefinition, RunLeg } from '../engine/index.js'
import { runRisk } from '../resolve/index.js'
import type { WebhookInstruments } from '../webhook/index.js'
import { type AcceptedSignal, checkSignal, type SignalRules } from '../webhook/signal.js'
import type { RecordedSignal } from './recorded/signals.js'

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

/** Decides about a recorded signal as the webhook does. A row that names no leg is for the only one. */
export function admit(
  { exchange, legId, signal, symbol, time }: RecordedSignal,
  config: SignalConfig,
  instruments: WebhookInstruments,
): AcceptedSignal | { refusal: string } {
  const [only, another] = config.legs
  const isUnnamed = legId === null && symbol === null && another === undefined
  const request = { action: signal, legId: isUnnamed ? only?.id : legId, symbol, exchange }
  const result = checkSignal(request, rulesOf(config), { instruments, now: time })
  return 'leg' in result ? result : { refusal: result.message }
}

function rulesOf(config: SignalConfig): SignalRules {
  return {
    direction: config.direction,
    strategyType: config.strategy_type,
    product: config.product,
    entryTime: config.entry_time,
    exitTime: config.exit_time,
    legs: config.legs.map(({ qty_mode: qtyMode, ...leg }) => ({ ...leg, qtyMode })),
  }
}
