import type { Signal, SignalNote } from '../../config/vocabulary.js'
import type { Side } from '../risk/leg.js'
import type { LegState } from '../state/leg.js'
import type { OrderState } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { ENTRY_UNFILLED, NO_LEG, SIGNAL_REFUSED } from '../texts.js'
import { answer, attempt, completeAttempts } from './attempts.js'
import { pursueExit } from './exits.js'
import { place, placeEntry } from './orders.js'

/** The orders of a signal, or the reason it has none. */
type Outcome = { orders: OrderState[] } | { note: SignalNote } | { error: string }

/** Opens, closes or flips the position of one leg. A signal that changes nothing is accepted with a note. */
export function applySignal(state: RunState, legId: number, signal: Signal, request?: string): void {
  const outcome = outcomeOf(state, legId, signal)
  if (!('orders' in outcome)) {
    answer(state, request, outcome)
    return
  }
  attempt(state, 'signal', request, outcome.orders)
  completeAttempts(state)
}

function outcomeOf(state: RunState, legId: number, signal: Signal): Outcome {
  if (state.stop !== null || state.ended !== null || state.definition.kind !== 'signal') {
    return { error: SIGNAL_REFUSED }
  }
  const leg = state.leg(legId)
  if (!leg) return { error: NO_LEG }
  const side = signal === 'long_entry' || signal === 'long_exit' ? 1n : -1n
  return signal === 'long_entry' || signal === 'short_entry'
    ? enter(state, leg, side)
    : exit(state, leg, side)
}

function enter(state: RunState, leg: LegState, side: Side): Outcome {
  if (leg.isExpired) return { note: 'outside_trading_window' }
  const { live } = leg
  if (!live) return { orders: [placeEntry(state, leg, side)] }
  const isLeaving = live.intent !== null
  if (!isLeaving) {
    if (live.side === side) return { note: side > 0n ? 'already_long' : 'already_short' }
    if (live.net === 0) return { error: ENTRY_UNFILLED }
  }
  // A leg has one outgoing side at a time.
  if (leg.outgoing.length > 0) return { note: 'flip_pending' }
  if (!isLeaving) live.wantExit('exit_signal')
  const next = leg.open(state.ids.position(), side)
  // The exit goes first: the new side may need the margin of the old one.
  const exits = exitOf(state, leg, live)
  return { orders: [...exits, place(state, leg, next, 'entry', leg.config.quantity)] }
}

function exit(state: RunState, leg: LegState, side: Side): Outcome {
  const position = [leg.live, ...leg.outgoing].find((one) => one?.side === side && !one.workingExit)
  if (!position) return { note: 'no_matching_position' }
  if (position.net === 0) return { error: ENTRY_UNFILLED }
  position.wantExit(position.intent ?? 'exit_signal')
  return { orders: exitOf(state, leg, position) }
}

function exitOf(state: RunState, leg: LegState, position: Position): OrderState[] {
  const exit = pursueExit(state, leg, position)
  return exit ? [exit] : []
}
