import { EXIT_KIND_OF_STOP } from '../../config/vocabulary.js'
import type { LegState } from '../state/leg.js'
import type { RunState } from '../state/run-state.js'
import { eventOf } from '../texts.js'
import { pursueExit } from './exits.js'
import { requestStop } from './stop.js'

/** Returns the next moment at which a run acts by itself; infinity if there is none. */
export function nextMoment(state: RunState): number {
  if (state.stop !== null || state.ended !== null || !state.hasStarted) return Number.POSITIVE_INFINITY
  const moments = state.legs.flatMap(({ config, isExpired }) =>
    isExpired || config.squareOffAt === null ? [] : [config.squareOffAt],
  )
  return Math.min(state.definition.exitAt ?? Number.POSITIVE_INFINITY, ...moments)
}

/** Squares the run off at its exit time, and legs whose contract expires today. */
export function actOnTime(state: RunState): void {
  const { exitAt } = state.definition
  if (exitAt !== null && state.now >= exitAt) {
    state.event(eventOf('eod_squareoff', 'Exit time reached: the run is squared off'))
    requestStop(state, 'eod')
    return
  }
  const expiring = state.legs.filter(
    ({ config, isExpired }) => !isExpired && config.squareOffAt !== null && state.now >= config.squareOffAt,
  )
  for (const leg of expiring) noteExpiry(state, leg)
  if (expiring.length === 0) return
  const others = state.legs.filter((leg) => !leg.isExpired && (!leg.isFlat || leg.wait !== null))
  const isAll = state.definition.kind === 'batch' && others.length === 0
  if (isAll && !state.isFlat) {
    requestStop(state, 'expiry')
    return
  }
  for (const leg of expiring) {
    for (const position of leg.positions) {
      if (position.isFlat) continue
      position.wantExit(EXIT_KIND_OF_STOP.expiry)
      pursueExit(state, leg, position)
    }
  }
}

function noteExpiry(state: RunState, leg: LegState): void {
  leg.isExpired = true
  const isIdle = leg.isFlat && leg.wait === null
  leg.wait = null
  if (isIdle) return
  const message = `Leg ${leg.id} is squared off because ${leg.contract.symbol} expires`
  state.event(eventOf('expiry_squareoff', message, { legId: leg.id }))
}

/** Tries again: cancels that did not work, and exits that are still wanted. */
export function retry(state: RunState): void {
  for (const order of state.orders.values()) {
    if (order.isUnwanted && order.isWorking) state.emit({ type: 'cancel', orderId: order.order.id })
  }
  for (const leg of state.legs) {
    for (const position of leg.positions) if (!position.isFlat) pursueExit(state, leg, position)
  }
}
