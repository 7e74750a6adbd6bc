import { toMoney } from '../../../money/index.js'
import type { StopReason, StrategyOrderKind } from '../../config/vocabulary.js'
import type { LegState } from '../state/leg.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { ALL_CLOSED, eventOf, NO_ENTRY } from '../texts.js'
import { judgeTotals } from './aggregate.js'
import { pursueExit } from './exits.js'
import { placeEntry } from './orders.js'

/** Does everything that follows from a fill or an end of an order of a position. */
export function settlePosition(state: RunState, leg: LegState, position: Position): void {
  leg.refresh()
  state.sumUp()
  if (state.isRestoring) return
  if (!position.isFlat) {
    position.isSettled = false
    // A late fill has opened the position again: the leg waits for its price once that has left.
    if (position === leg.newest) leg.wait = null
    if (state.ended !== null) tellReopened(state, leg, position)
  }
  judgeTotals(state, null)
  pursueExit(state, leg, position)
  if (!position.isFlat || position.isSettled) return
  position.isSettled = true
  if (!position.hasFills || position.isGone) return
  const kind = position.lastExit?.order.kind
  if (kind === undefined || state.stop !== null || state.ended !== null) return
  if (kind === 'exit_sl' || kind === 'exit_trail') moveStopsToEntry(state, leg)
  enterAgain(state, leg, position, kind)
}

/** Ends the run if nothing is held, nothing works and nothing is to come. */
export function finishIfFlat(state: RunState): void {
  if (!state.isFlat) return
  if (state.ended !== null) {
    if (state.isReopened) emitFinished(state, state.ended, true)
    state.isReopened = false
  } else if (state.stop !== null) {
    finish(state, state.stop, `Run stopped (${state.stop})`)
  } else if (isDone(state)) {
    const hasFills = state.legs.some((leg) => leg.positions.some((one) => one.hasFills))
    finish(state, hasFills ? 'manual' : 'error', hasFills ? ALL_CLOSED : NO_ENTRY)
  }
}

/** Returns whether a batch run has nothing left to do. A signal run only ends by a stop. */
export function isDone(state: RunState): boolean {
  return (
    state.definition.kind === 'batch' && state.hasStarted && state.legs.every(({ wait }) => wait === null)
  )
}

/** Ends the run. The amounts are final unless a fill comes late. */
export function finish(state: RunState, reason: StopReason, message: string): void {
  state.ended = reason
  emitFinished(state, reason, false)
  state.event(eventOf('run_stopped', message, { payload: { reason } }))
}

function emitFinished(state: RunState, reason: StopReason, isAgain: boolean): void {
  const { realized, sessionRealized, peak, trough } = state
  state.emit({ type: 'finished', reason, realized, sessionRealized, peak, trough, isAgain })
}

function tellReopened(state: RunState, leg: LegState, position: Position): void {
  if (state.isReopened || position.net === 0 || state.now >= leg.endsAt) return
  state.isReopened = true
  state.emit({ type: 'reopened', at: state.now })
  state.event(
    eventOf(
      'run_stop_failed',
      `A fill of ${position.held} ${position.contract.symbol} arrived after the run had stopped; the run squares it off`,
      { legId: leg.id, payload: { position_ref: position.ref, quantity: position.net } },
    ),
  )
}

/** Moves the stops of the other legs to their entries after a leg was stopped out. */
function moveStopsToEntry(state: RunState, stopped: LegState): void {
  if (!state.definition.risk.trailToEntry) return
  const moved = state.legs.filter(
    (leg) => leg !== stopped && leg.live && leg.live.net > 0 && leg.live.moveStopToEntry(leg.ltp),
  )
  if (moved.length === 0) return
  state.isTrailToEntryActive = true
  const message = `Stop on leg ${stopped.id} moved ${moved.length} other legs to entry`
  state.event(
    eventOf('trail_to_entry_activated', message, {
      legId: stopped.id,
      payload: { legs: moved.map(({ id }) => id) },
    }),
  )
  state.emit({ type: 'checkpoint' })
}

/** Enters a leg again at once, or lets it wait for the price of its first entry. */
function enterAgain(state: RunState, leg: LegState, position: Position, exit: StrategyOrderKind): void {
  if (!mayEnterAgain(state, leg, position, exit)) return
  if (leg.config.reentry?.mode === 'cost') leg.wait = waitOf(leg, position)
  else if (leg.mayOpen(position.side)) placeEntry(state, leg, position.side)
}

/** Returns whether the settings of a leg allow another entry after an exit of this kind. */
export function mayEnterAgain(
  { definition, now }: RunState,
  leg: LegState,
  position: Position,
  exit: StrategyOrderKind,
): boolean {
  const { reentry } = leg.config
  // The news of an exit may come after the end of the day, from a service that was down.
  if (now >= Math.min(definition.exitAt ?? Number.POSITIVE_INFINITY, leg.squareOff.at)) return false
  if (reentry === null || leg.isReentryOff || leg.isOver || position !== leg.newest) return false
  // A person has intervened.
  if (position.closedElsewhere > 0) return false
  if (leg.positions.length > reentry.max) return false
  if (exit === 'exit_target') return reentry.on !== 'sl'
  return (exit === 'exit_sl' || exit === 'exit_trail') && reentry.on !== 'target'
}

/** Returns the price at which a leg enters again: the average of its first entry. */
export function waitOf(leg: LegState, position: Position): LegState['wait'] {
  const price = leg.positions[0]?.entry ?? null
  const average = position.lastExit?.average ?? null
  if (price === null || average === null) return null
  return { price, isRise: toMoney(average) < price }
}
