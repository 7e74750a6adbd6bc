import { toMoney, toRupees } from '../../../money/index.js'
import type { Severity } from '../../config/vocabulary.js'
import type { AckOutcome, OrderUpdate } from '../messages.js'
import type { LegState } from '../state/leg.js'
import type { OrderState } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { doubtText, eventOf, fillText, stopInDoubtText } from '../texts.js'
import { exitRefused } from './exits.js'
import { completeAttempts } from './requests/attempts.js'
import { settlePosition } from './settle.js'

/** An order of the run with the position and leg that own it. */
interface Owned {
  one: OrderState
  leg: LegState
  position: Position
}

/** Applies the answer to a dispatch. An order of another run changes nothing. */
export function applyAck(state: RunState, orderId: string, ack: AckOutcome): void {
  const owned = ownerOf(state, orderId)
  if (!owned) return
  const { one } = owned
  if (ack.outcome === 'accepted') {
    if (one.accept(ack.brokerOrderId)) tellPlaced(state, one)
  } else if (ack.outcome === 'refused') {
    const hasEnded = one.refuse(ack.reason, ack.sent)
    // An exit that the run cancelled before it was sent is not refused.
    if (hasEnded && (one.isEntry || !one.isUnwanted)) refused(state, owned, ack.stored !== false)
  } else {
    one.isAnswered = true
    one.isQueued = ack.outcome === 'queued'
    // The broker may have reported the order before the answer was given up.
    if (ack.outcome === 'unknown' && !one.isPlaced) one.isInDoubt = true
  }
  completeAttempts(state)
  settlePosition(state, owned.leg, owned.position)
}

/** Applies the broker's news of an order. Only an increase of the filled quantity fills. */
export function applyUpdate(state: RunState, update: OrderUpdate): void {
  const owned = ownerOf(state, update.orderId)
  if (!owned) return
  const { one, leg, position } = owned
  const before = one.status
  const isNewlyInDoubt = tellDoubt(state, one, update)
  const { hasFill, hasEnded } = one.apply(update)
  const isNewlyPlaced = isKnownToBroker(one, update) && one.accept(update.brokerOrderId ?? null)
  if (isNewlyPlaced) tellPlaced(state, one)
  if (hasFill) position.recount()
  if (one.filled > 0 && !one.isWorking && (hasFill || hasEnded)) tellFilled(state, one, position)
  // An exit that the run cancelled itself is not refused, and one that filled in part goes on at once.
  const isRefused = hasEnded && one.filled === 0 && !one.isUnwanted
  if (isRefused && (one.isEntry || !update.isUnsent)) refused(state, owned, true)
  const isNews = hasFill || hasEnded || isNewlyPlaced || isNewlyInDoubt || one.status !== before
  if (!isNews) return
  completeAttempts(state)
  settlePosition(state, leg, position)
}

function ownerOf(state: RunState, orderId: string): Owned | null {
  const one = state.orders.get(orderId)
  const position = one && state.positions.get(one.order.positionRef)
  const leg = position && state.leg(position.legId)
  return leg ? { one, leg, position } : null
}

/** An order that is rejected without a broker's id never reached the broker. A pending order may not have reached it yet. */
function isKnownToBroker(one: OrderState, { status }: OrderUpdate): boolean {
  return one.filled > 0 || (status !== 'pending' && (status !== 'rejected' || one.brokerOrderId !== null))
}

/** Reports once that the outcome of an order is unknown, and returns whether this is new. A later update ends the doubt. */
function tellDoubt(state: RunState, one: OrderState, { isInDoubt, status }: OrderUpdate): boolean {
  if (!isInDoubt) {
    if (status !== 'pending') one.isInDoubt = false
    return false
  }
  if (one.isInDoubt || !one.isWorking) return false
  one.isInDoubt = true
  one.isAnswered = true
  const { id, legId, kind, positionRef } = one.order
  const payload = { order_id: id, position_ref: positionRef, kind, broker_order_id: one.brokerOrderId }
  state.event(
    state.stop === null && state.ended === null
      ? eventOf('recovery_failed', doubtText(state.definition.runId, one), { legId, payload })
      : eventOf('run_stop_failed', stopInDoubtText([one]), { legId, payload }),
  )
  return true
}

function refused(state: RunState, { one, leg, position }: Owned, isStored: boolean): void {
  if (!one.isEntry) {
    exitRefused(state, leg, position, one)
    return
  }
  const { order } = one
  const reason = one.reason ?? one.status
  const payload = { order_id: order.id, position_ref: order.positionRef, reason }
  if (state.definition.kind === 'signal' && !one.isPlaced) {
    const message = `Signal ${order.action} ${order.quantity} ${order.symbol} rejected: ${reason}`
    state.event(eventOf('leg_entry_placed', message, { legId: leg.id, severity: 'warn', payload }))
  }
  state.event(
    eventOf('leg_entry_rejected', `Entry rejected on leg ${leg.id}: ${reason}`, {
      legId: leg.id,
      severity: isStored ? 'warn' : 'critical',
      payload,
    }),
  )
}

function tellPlaced(state: RunState, one: OrderState): void {
  const { id, legId, kind, action, quantity, symbol, positionRef } = one.order
  const payload = { order_id: id, broker_order_id: one.brokerOrderId, position_ref: positionRef }
  const order = `${action} ${quantity} ${symbol}`
  if (kind !== 'entry') {
    state.event(eventOf('leg_exit_placed', `Exit ${order} placed (${kind})`, { legId, payload }))
    return
  }
  const message = state.definition.kind === 'signal' ? `Signal ${order}` : `Entry ${order} placed`
  state.event(eventOf('leg_entry_placed', message, { legId, payload }))
}

function tellFilled(state: RunState, one: OrderState, position: Position): void {
  const { id, legId, positionRef } = one.order
  const fill = {
    order_id: id,
    position_ref: positionRef,
    quantity: one.filled,
    price: one.average === null ? null : toRupees(toMoney(one.average)),
    held: position.net,
  }
  const more = { legId, ...severityOf(one) }
  state.event(
    one.isEntry
      ? eventOf('leg_entry_filled', `Entry ${fillText(one)}`, { ...more, payload: fill })
      : eventOf('leg_exit_filled', `Exit ${fillText(one)}`, {
          ...more,
          payload: { ...fill, realized: toRupees(position.realized) },
        }),
  )
}

/** A fill without a price is critical: its position has no stop. */
function severityOf(one: OrderState): { severity?: Severity } {
  if (one.average === null) return { severity: 'critical' }
  return one.isChangedOutside ? { severity: 'warn' } : {}
}
