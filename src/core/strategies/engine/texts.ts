import { formatMoney, type Money } from '../../money/index.js'
import { EVENT_SEVERITY, type EventKind, type Severity } from '../config/vocabulary.js'
import type { Side } from './risk/leg.js'
import type { OrderState } from './state/order.js'
import type { RunEvent } from './types.js'

/** The sentences of a run. */

export const ENTRY_UNFILLED =
  'The entry for this leg has been accepted but not filled, so there is no confirmed quantity to exit. Retry once it fills.'
export const LEG_NOT_OPEN = 'That leg is not open'
export const NOT_ACTIVE = 'Run is not active'
export const SIGNAL_REFUSED = 'The signal was refused'
export const NO_LEG = 'No leg matches this signal'
export const ALL_CLOSED = 'All legs closed'
export const NO_ENTRY = 'No entry order was accepted'
export const NOT_DISPATCHED = 'Start failed before any entry dispatch'

/** Makes an event. Its severity is the usual one of its kind, unless the case is graver. */
export function eventOf(
  kind: EventKind,
  message: string,
  more: { legId?: number; severity?: Severity; payload?: Readonly<Record<string, unknown>> } = {},
): RunEvent {
  return {
    kind,
    severity: more.severity ?? EVENT_SEVERITY[kind],
    legId: more.legId ?? null,
    message,
    payload: more.payload ?? null,
  }
}

/** Formats a price with two decimals, or four if it has them. */
export function priceText(price: Money): string {
  return formatMoney(price, price % 100n === 0n ? 2 : 4)
}

export function stopHitText(side: Side, price: Money, stop: Money): string {
  const where = side > 0n ? 'at or below' : 'at or above'
  return `stop loss hit: last price ${priceText(price)} is ${where} the stop ${priceText(stop)} on a ${sideText(side)} position`
}

export function targetHitText(side: Side, price: Money, target: Money): string {
  const where = side > 0n ? 'at or above' : 'at or below'
  return `target hit: last price ${priceText(price)} is ${where} the target ${priceText(target)} on a ${sideText(side)} position`
}

function sideText(side: Side): string {
  return side > 0n ? 'long' : 'short'
}

export function stopRequestedText(reason: string): string {
  return `Stop requested (${reason}); exit orders are being attempted`
}

export function stopRefusedText(refused: number): string {
  return `Stop refused for ${refused} position(s); the run remains open, managed, and retryable`
}

export function exitsRefusedText(refused: number, all: number): string {
  return `${refused} of ${all} exit order(s) were refused. The run is still open and still managed; retry the stop.`
}

export function outgoingRefusedText(one: OrderState): string {
  const how = one.brokerOrderId === null ? 'refused' : one.status
  const order = one.brokerOrderId === null ? '' : ` order ${one.brokerOrderId}`
  return `Outgoing exit${order} for leg ${one.order.legId} was ${how}. The old side is still held, remains managed, and is retryable.`
}

/** The answer to a start whose entries were all refused. */
export function entriesRefusedText(entries: readonly { legId: number; error: string | null }[]): string {
  const reasons = new Set(entries.map(({ error }) => error ?? 'unknown reason'))
  if (reasons.size === 1) return `Every entry order was rejected: ${[...reasons][0]}`
  const each = entries.map(({ legId, error }) => `leg ${legId}: ${error ?? 'unknown reason'}`)
  return `Every entry order was rejected. ${each.join('; ')}`
}

/** The result of an order as an event tells it: `filled 50 of 75 at 120.50`. */
export function fillText({ order, filled, average }: OrderState): string {
  const price = average === null ? 'an unknown price' : String(average)
  const quantity = filled === order.quantity ? String(filled) : `${filled} of ${order.quantity}`
  return `${order.action} ${quantity} ${order.symbol} filled at ${price}`
}
