import { EXIT_KIND_OF_STOP, type ExitKind } from '../../config/vocabulary.js'
import { exitReport } from '../state/attempt.js'
import type { LegState } from '../state/leg.js'
import type { OrderState } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { ENTRY_UNFILLED, eventOf, outgoingRefusedText } from '../texts.js'
import type { ExitReport } from '../types.js'
import { cancel, place } from './orders.js'

/** Returns the kind of the exit that a position needs now. Null if it may stay. */
export function wantedExit(state: RunState, leg: LegState, position: Position): ExitKind | null {
  if (position.net < 0) return 'exit_recovery'
  const over = state.stop ?? state.ended
  if (over !== null) return EXIT_KIND_OF_STOP[over]
  if (position.intent !== null) return position.intent
  if (!leg.isOutgoing(position)) return null
  return state.definition.kind === 'signal' ? 'exit_signal' : 'exit_recovery'
}

/**
 * Exits a position as far as it is wanted: cancels its working entry and places one exit of the held quantity. A position
 * has one working exit at a time, so that exits never fill more than is held. Returns the exit it placed.
 */
export function pursueExit(state: RunState, leg: LegState, position: Position): OrderState | null {
  const kind = wantedExit(state, leg, position)
  if (kind === null) return null
  for (const order of position.orders) if (order.isEntry) cancel(state, order)
  const working = position.workingExit
  if (working) {
    // A fill of an older exit came late. The working exit would sell more than is held.
    if (working.remaining > position.held || working.order.action !== position.exitAction)
      cancel(state, working)
    return null
  }
  if (position.net === 0 || state.now < position.retryAt) return null
  return place(state, leg, position, kind, position.held)
}

/** Handles the refusal of an exit. The position stays managed. */
export function exitRefused(state: RunState, leg: LegState, position: Position, exit: OrderState): void {
  const isOutgoing = leg.isOutgoing(position)
  const isKept = isOutgoing || state.stop !== null || state.ended !== null
  position.noteRefusal(state.now, isKept)
  const reason = exit.reason ?? exit.status
  if (position.toldRefusal === reason) return
  position.toldRefusal = reason
  const payload = { order_id: exit.order.id, position_ref: position.ref, reason }
  state.event(
    isOutgoing
      ? eventOf('flip_outgoing_exit_rejected', outgoingRefusedText(exit), { legId: leg.id, payload })
      : eventOf('leg_exit_rejected', `Exit rejected on leg ${leg.id}: ${reason}`, { legId: leg.id, payload }),
  )
}

/** Returns the report of a position: of its working exit, or the reason it has none. */
export function reportOf(leg: LegState, position: Position): ExitReport {
  const exitOwner = leg.isOutgoing(position) ? 'superseded' : 'live'
  const exit = position.workingExit ?? (position.net === 0 ? undefined : position.lastExit)
  if (exit) return exitReport(exit, exitOwner)
  return {
    legId: leg.id,
    ok: position.net !== 0,
    positionRef: position.ref,
    exitOwner,
    error: position.net === 0 ? ENTRY_UNFILLED : null,
    symbol: position.contract.symbol,
    brokerOrderId: position.workingEntry?.brokerOrderId ?? null,
  }
}
