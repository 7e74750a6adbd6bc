import type { Signal, SignalNote } from '../../../config/vocabulary.js'
import type { Side } from '../../risk/leg.js'
import type { LegState } from '../../state/leg.js'
import type { OrderState } from '../../state/order.js'
import type { Position } from '../../state/position.js'
import type { RunState } from '../../state/run-state.js'
import { EARLIER_WORKS, ENTRY_UNFILLED, NO_LEG, SIGNAL_REFUSED } from '../../texts.js'
import { pursueExit } from '../exits.js'
import { place, placeEntry } from '../orders.js'
import { answer, attempt, completeAttempts } from './attempts.js'

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
  if (!leg) return { error: state.definition.unusable?.find((one) => one.legId === legId)?.why ?? NO_LEG }
  const side = signal === 'long_entry' || signal === 'long_exit' ? 1n : -1n
  return signal === 'long_entry' || signal === 'short_entry'
    ? enter(state, leg, side)
    : exit(state, leg, side)
}

function enter(state: RunState, leg: LegState, side: Side): Outcome {
  if (leg.isOver) return { note: 'outside_trading_window' }
  const { live } = leg
  const found = live && foundBy(live, side)
  if (found === 'same_side') {
    if (live?.takeBackExit()) state.emit({ type: 'checkpoint' })
    return { note: side > 0n ? 'already_long' : 'already_short' }
  }
  if (found === 'unfilled') return { error: ENTRY_UNFILLED }
  if (!leg.mayOpen(side))
    return live && live.side !== side ? { note: 'flip_pending' } : { error: EARLIER_WORKS }
  if (!live || found === 'leaving') return { orders: [placeEntry(state, leg, side)] }
  // A leg has one outgoing side at a time.
  if (leg.outgoing.length > 0) return { note: 'flip_pending' }
  live.wantExit('exit_signal')
  const next = leg.open(state.ids.position(), side)
  // The exit goes first: the new side may need the margin of the old one.
  const exits = exitOf(state, leg, live)
  return { orders: [...exits, place(state, leg, next, 'entry', leg.config.quantity)] }
}

/**
 * Returns how an entry signal finds the position of its leg:
 * - `same_side`: on the side of the signal, and no exit of it works. Another entry would double it.
 * - `leaving`: on its way out. The other side may open behind it: nothing fills beyond the quantity of the leg then.
 * - `unfilled`: the entry of the other side works, so there is no quantity to exit yet.
 * - `other_side`: held on the other side. The signal flips it.
 */
function foundBy(live: Position, side: Side): 'same_side' | 'leaving' | 'unfilled' | 'other_side' {
  const isLeaving = live.intent !== null
  // An exit that was refused leaves the position held.
  const isHeld = live.net !== 0 && !live.workingExit
  if (live.side === side && (!isLeaving || isHeld)) return 'same_side'
  if (isLeaving) return 'leaving'
  return live.net === 0 ? 'unfilled' : 'other_side'
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
