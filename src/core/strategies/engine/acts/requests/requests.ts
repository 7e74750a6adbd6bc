import type { LegState } from '../../state/leg.js'
import type { RunState } from '../../state/run-state.js'
import { ENTRY_UNFILLED, eventOf, LEG_NOT_OPEN, NOT_ACTIVE } from '../../texts.js'
import { pursueExit, reportOf } from '../exits.js'
import { placeEntry } from '../orders.js'
import { answer, attempt, completeAttempts } from './attempts.js'

/** Starts the run. A batch run opens all its legs, the long ones first. A run that was stopped before opens nothing. */
export function start(state: RunState, request?: string): void {
  if (state.stop !== null || state.ended !== null) {
    answer(state, request, { error: NOT_ACTIVE })
    return
  }
  if (state.hasStarted) {
    answer(state, request, {})
    return
  }
  state.hasStarted = true
  const { kind, mode, trigger, legs } = state.definition
  const message =
    kind === 'batch' ? `Run started in ${mode} mode (${trigger})` : `Signal run opened in ${mode} mode`
  state.event(eventOf('run_started', message, { payload: { mode, trigger_source: trigger } }))
  if (kind === 'signal') {
    answer(state, request, {})
    return
  }
  const ordered = [...legs].sort((a, b) => Number(a.position === 'S') - Number(b.position === 'S'))
  const orders = ordered.flatMap(({ id, position }) => {
    const leg = state.leg(id)
    return leg ? [placeEntry(state, leg, position === 'S' ? -1n : 1n)] : []
  })
  attempt(state, 'start', request, orders)
}

/** Closes one leg because a person asks. The leg does not enter again. */
export function closeLeg(state: RunState, legId: number, request?: string): void {
  if (state.stop !== null || state.ended !== null) {
    answer(state, request, { error: NOT_ACTIVE })
    return
  }
  const leg = state.leg(legId)
  if (!leg || (leg.isFlat && leg.wait === null)) {
    answer(state, request, { error: LEG_NOT_OPEN })
    return
  }
  const open = leg.positions.filter((one) => !one.isFlat)
  if (open.length > 0 && open.every(({ net }) => net === 0)) {
    answer(state, request, { error: ENTRY_UNFILLED })
    return
  }
  const message = `Operator requested closure of leg ${legId}`
  state.event(eventOf('leg_close_manual', message, { legId }))
  endReentry(state, leg)
  const orders = open.flatMap((position) => {
    position.wantExit(position.intent ?? 'exit_leg_manual')
    const exit = pursueExit(state, leg, position) ?? position.workingExit
    return exit ? [exit] : []
  })
  const unfilled = open.filter(({ net, workingExit }) => net === 0 && !workingExit)
  attempt(
    state,
    'close_leg',
    request,
    orders,
    unfilled.map((position) => reportOf(leg, position)),
  )
  completeAttempts(state)
}

function endReentry(state: RunState, leg: LegState): void {
  leg.wait = null
  if (leg.config.reentry === null) return
  leg.isReentryOff = true
  state.emit({ type: 'checkpoint' })
}
