import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { eventOf, lostText } from '../texts.js'
import { completeAttempts } from './attempts.js'
import { takeAway } from './elsewhere.js'
import { finish } from './settle.js'

/**
 * Ends a run whose account is gone, for example because the sandbox was reset. Nothing is sent: an exit would open the
 * reverse in the new account.
 */
export function endWithoutPositions(state: RunState, why: string): void {
  if (state.ended !== null && !state.isReopened) return
  for (const order of state.orders.values()) order.end(why)
  const positions = state.legs.flatMap((leg) => leg.positions.filter(({ net }) => net !== 0))
  const held = positions.map(({ contract, net, ref }) => ({ ...contract, position_ref: ref, quantity: net }))
  for (const position of positions) lose(state, position)
  for (const leg of state.legs) {
    leg.wait = null
    leg.refresh()
  }
  state.sumUp()
  const text = lostText(state.definition.runId, why)
  state.event(eventOf('recovery_failed', text, { payload: { why, positions: held } }))
  if (state.ended === null) finish(state, 'recovery_failed', 'Run stopped (recovery_failed)')
  completeAttempts(state)
}

function lose(state: RunState, position: Position): void {
  if (position.net > 0) takeAway(state, position, position.net)
  else position.isGone = true
}
