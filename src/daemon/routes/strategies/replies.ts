import { ServiceError } from '../../../core/errors/index.js'
import type { ClosedLeg, StartedRun, StoppedRun, StrategyExit } from '../../../core/strategies/index.js'

const success = { status: 'success' } as const

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

export function exitView(exit: StrategyExit) {
  return {
    leg_id: exit.legId,
    ok: exit.ok,
    position_ref: exit.positionRef,
    exit_owner: exit.exitOwner,
    error: exit.error,
    ...(exit.symbol !== undefined && { symbol: exit.symbol }),
    ...(exit.brokerOrderId !== undefined && { broker_order_id: exit.brokerOrderId }),
  }
}
