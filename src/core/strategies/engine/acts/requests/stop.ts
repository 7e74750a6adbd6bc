import { EXIT_KIND_OF_STOP, type StopReason } from '../../../config/vocabulary.js'
import type { ExitReport } from '../../messages.js'
import type { OrderState } from '../../state/order.js'
import type { RunState } from '../../state/run-state.js'
import { eventOf, stopRequestedText } from '../../texts.js'
import { pursueExit, reportOf } from '../exits.js'
import { answer, attempt, completeAttempts } from './attempts.js'

interface StopOptions {
  /** True if a person asked to close all legs. */
  closeAll?: boolean | undefined
  request?: string | undefined
}

/**
 * Stops the run: notes the intent first, cancels working entries and exits every position. The first reason counts. A later
 * request tries refused exits again at once.
 */
export function requestStop(
  state: RunState,
  reason: StopReason,
  { closeAll, request }: StopOptions = {},
): void {
  if (state.ended !== null) {
    answer(state, request, {})
    return
  }
  if (closeAll) state.event(eventOf('close_all_manual', 'Operator requested closure of all held legs'))
  const kept = tellStop(state, reason)
  const orders: OrderState[] = []
  const unfilled: ExitReport[] = []
  for (const leg of state.legs) {
    leg.wait = null
    for (const position of leg.positions) {
      if (position.isFlat) continue
      position.wantExit(EXIT_KIND_OF_STOP[kept])
      const exit = pursueExit(state, leg, position) ?? position.workingExit
      if (exit) orders.push(exit)
      else if (!position.isGone) unfilled.push(reportOf(leg, position))
    }
  }
  attempt(state, 'stop', request, orders, unfilled)
  completeAttempts(state)
}

/** Reports the first stop, and returns its reason. */
function tellStop(state: RunState, reason: StopReason): StopReason {
  if (state.stop !== null) return state.stop
  state.stop = reason
  state.emit({ type: 'stop_requested', reason, at: state.now })
  state.event(eventOf('run_stop_requested', stopRequestedText(reason), { payload: { reason } }))
  return reason
}
