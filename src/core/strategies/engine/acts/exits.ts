import { fromMoney } from '../../../money/index.js'
import { EXIT_KIND_OF_STOP, type ExitKind } from '../../config/vocabulary.js'
import type { ExitReport, RunEvent } from '../messages.js'
import { exitReport } from '../state/attempt.js'
import type { LegState } from '../state/leg.js'
import type { OrderState } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { ENTRY_UNFILLED, eventOf, goneText, outgoingRefusedText } from '../texts.js'
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
 * Takes the next step of a wanted exit: cancels the working entry and places one exit of the held quantity, or of as much as
 * the exchange accepts in one order: the rest follows when that is filled. A position has one working exit at a time, so
 * that exits never fill more than is held. Returns the exit it placed.
 */
export function pursueExit(state: RunState, leg: LegState, position: Position): OrderState | null {
  if (state.now >= leg.endsAt) {
    giveUp(state, leg, position)
    return null
  }
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
  if (position.net === 0 || position.isPausedAt(state.elapsed)) return null
  // The exchange is closed and has refused it: the next try comes at the opening. A wrong calendar costs one refusal.
  if (position.wasRefused && state.closed.has(position.contract.exchange)) return null
  return place(state, leg, position, kind, Math.min(position.held, leg.largestOrder))
}

/**
 * Gives up a position that the account no longer holds: the broker or the sandbox has closed it, or its contract has
 * ended. An exit would open the reverse, so the run only cancels the orders that still work.
 */
export function giveUp(state: RunState, leg: LegState, position: Position): void {
  for (const order of position.orders) cancel(state, order)
  if (position.net === 0 || position.isGone) return
  position.isGone = true
  leg.refresh()
  state.sumUp()
  state.event(goneEvent(leg, position))
}

function goneEvent(leg: LegState, position: Position): RunEvent {
  const { entry, net, ref } = position
  const { symbol } = position.contract
  const hasExpired = leg.endsAt === leg.config.expiresAt
  const payload = {
    position_ref: ref,
    symbol,
    exchange: position.contract.exchange,
    quantity: net,
    entry_average: entry === null ? null : fromMoney(entry),
  }
  return eventOf(hasExpired ? 'expiry_squareoff' : 'eod_squareoff', goneText(leg, position, hasExpired), {
    legId: leg.id,
    severity: 'critical',
    payload,
  })
}

/** Handles the refusal of an exit. The position stays managed. */
export function exitRefused(state: RunState, leg: LegState, position: Position, exit: OrderState): void {
  const isOutgoing = leg.isOutgoing(position)
  const isKept = isOutgoing || state.stop !== null || state.ended !== null || position.isExitAccepted
  position.noteRefusal(state.elapsed, { isKept, isSent: exit.isSent })
  const reason = exit.reason ?? exit.status
  if (position.reportedRefusal === reason) return
  position.reportedRefusal = reason
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
