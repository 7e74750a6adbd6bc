import { ServiceError } from '../../../core/errors/index.js'
import {
  type ClosedLeg,
  type ExitReport,
  type ListedStrategy,
  type StartedRun,
  type StoppedRun,
  type StrategyRuns,
  strategyListView,
} from '../../../core/strategies/index.js'

const success = { status: 'success' } as const

/** Returns the row of a strategy in a list. */
export function listRow({ last, strategy }: ListedStrategy, runs: Pick<StrategyRuns, 'unfinished'>) {
  return strategyListView(strategy, runs.unfinished(strategy.id), last)
}

export function startedReply({ runId, mode, legs }: StartedRun) {
  return {
    ...success,
    run_id: runId,
    mode,
    legs: legs.map((leg) => ({
      leg_id: leg.legId,
      ok: leg.ok,
      acknowledged: leg.acknowledged,
      symbol: leg.symbol,
      broker_order_id: leg.brokerOrderId,
      error: leg.error,
    })),
  }
}

/** Returns the reply of a stop. @throws ServiceError `conflict` with the exits if some were refused */
export function stoppedReply({ runId, stopPending, exits, refused }: StoppedRun) {
  const facts = { run_id: runId, stop_pending: stopPending, exits: exits.map(exitView) }
  if (refused === null) return { ...success, ...facts }
  throw new ServiceError('conflict', refused, { extra: facts })
}

export function closedReply({ runId, legId, runStopped, exits }: ClosedLeg) {
  return { ...success, run_id: runId, leg_id: legId, run_stopped: runStopped, exits: exits.map(exitView) }
}

export function exitView(exit: ExitReport) {
  return {
    leg_id: exit.legId,
    ok: exit.ok,
    position_ref: exit.positionRef,
    exit_owner: exit.exitOwner,
    error: exit.error,
    symbol: exit.symbol,
    broker_order_id: exit.brokerOrderId,
  }
}
