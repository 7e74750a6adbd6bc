import { toMoney, toRupees } from '../../../money/index.js'
import type { LegState } from '../state/leg.js'
import type { OrderState } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { eventOf, fillText } from '../texts.js'
import type { AckOutcome, OrderUpdate } from '../types.js'
import { completeAttempts } from './attempts.js'
import { exitRefused } from './exits.js'
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
    if (one.refuse(ack.reason)) refused(state, owned, ack.stored !== false)
  } else {
    one.isAnswered = true
    one.isQueued = ack.outcome === 'queued'
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
  const { hasFill, hasEnded } = one.apply(update)
  const isNewlyPlaced = isKnownToBroker(one, update) && one.accept(update.brokerOrderId ?? null)
  if (isNewlyPlaced) tellPlaced(state, one)
  if (hasFill) position.recount()
  if (one.filled > 0 && !one.isWorking && (hasFill || hasEnded)) tellFilled(state, one, position)
  // An exit that the run cancelled itself is not refused, and one that filled in part goes on at once.
  if (hasEnded && one.filled === 0 && !one.isUnwanted) refused(state, owned, true)
  if (!hasFill && !hasEnded && !isNewlyPlaced && one.status === before) return
  completeAttempts(state)
  settlePosition(state, leg, position)
}

function ownerOf(state: RunState, orderId: string): Owned | null {
  const one = state.orders.get(orderId)
  const position = one && state.positions.get(one.order.positionRef)
  const leg = position && state.leg(position.legId)
  return leg ? { one, leg, position } : null
}

/** An order that is rejected without a broker's id never reached the broker. A pending one may not have yet. */
function isKnownToBroker(one: OrderState, { status }: OrderUpdate): boolean {
  return one.filled > 0 || (status !== 'pending' && (status !== 'rejected' || one.brokerOrderId !== null))
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
  state.event(
    one.isEntry
      ? eventOf('leg_entry_filled', `Entry ${fillText(one)}`, { legId, payload: fill })
      : eventOf('leg_exit_filled', `Exit ${fillText(one)}`, {
          legId,
          payload: { ...fill, realized: toRupees(position.realized) },
        }),
  )
}
