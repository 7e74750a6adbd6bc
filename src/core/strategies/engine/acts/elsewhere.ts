import { fromMoney } from '../../../money/index.js'
import type { Closure } from '../messages.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { elsewhereText, eventOf, lostText } from '../texts.js'
import { completeAttempts } from './requests/attempts.js'
import { finish, settlePosition } from './settle.js'

/** Takes away the parts of positions that somebody else has closed. An exit of them would open the reverse. */
export function applyClosures(state: RunState, closures: readonly Closure[]): void {
  for (const closure of closures) applyClosure(state, closure)
}

function applyClosure(state: RunState, closure: Closure): void {
  const position = state.positions.get(closure.positionRef)
  const leg = position && state.leg(position.legId)
  if (!leg || position.isGone) return
  const quantity = Math.min(closure.quantity, Math.max(position.net, 0))
  if (quantity <= 0) return
  const { contract, entry, ref } = position
  const payload = {
    ...contract,
    position_ref: ref,
    product: leg.config.product,
    quantity,
    account_holds: closure.accountHolds,
    entry_average: entry === null ? null : fromMoney(entry),
  }
  const message = elsewhereText(leg, position, { ...closure, quantity })
  takeAway(state, position, quantity)
  state.event(eventOf('leg_close_manual', message, { legId: leg.id, severity: 'critical', payload }))
  settlePosition(state, leg, position)
}

/** Reduces a position, and stores the closed part with its entry. */
function takeAway(state: RunState, position: Position, quantity: number): void {
  position.closeElsewhere(quantity)
  const entry = position.orders.find(({ isEntry }) => isEntry)
  if (!entry) return
  state.emit({ type: 'closed_elsewhere', orderId: entry.order.id, quantity: position.closedElsewhere })
}

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
