import { formatMoney, type Money } from '../../money/index.js'
import { EVENT_SEVERITY, type EventKind, type Severity } from '../config/vocabulary.js'
import type { Closure, RunEvent } from './messages.js'
import type { Side } from './risk/leg.js'
import type { LegState } from './state/leg.js'
import type { OrderState } from './state/order.js'
import type { Position } from './state/position.js'
import type { Claim } from './types.js'

/** The sentences of a run. */

export const ENTRY_UNFILLED =
  'The entry for this leg has been accepted but not filled, so there is no confirmed quantity to exit. Retry once it fills.'
export const EARLIER_WORKS =
  'An earlier order of this leg has been sent and its end is not known yet, so another entry could exceed the quantity of the leg. Retry once it has ended.'
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

/** The text of an order whose end nobody knows. The other legs of its run go on. */
export function doubtText(runId: number, one: OrderState): string {
  return `Run ${runId} remains open for manual reconciliation: ${endUnknownText(one)}`
}

/** The text of a stop that waits for orders whose end nobody knows. */
export function stopInDoubtText(orders: readonly OrderState[]): string {
  return `The stop waits: ${orders.map(endUnknownText).join('; ')}`
}

function endUnknownText({ order }: OrderState): string {
  const { action, id, legId, quantity, symbol } = order
  return `nobody knows how order ${id} (leg ${legId}, ${action} ${quantity} ${symbol}) ended. It is not sent again. If the broker does not tell, settle it: svc order settle ${id}`
}

export function outgoingRefusedText(one: OrderState): string {
  const how = one.brokerOrderId === null ? 'refused' : one.status
  const order = one.brokerOrderId === null ? '' : ` order ${one.brokerOrderId}`
  return `Outgoing exit${order} for leg ${one.order.legId} was ${how}. The old side is still held, remains managed, and is retryable.`
}

export function dayEndText({ contract, config, id, squareOff }: LegState): string {
  const why = squareOff.isClose
    ? `${contract.exchange} closes soon`
    : `positions of product ${config.product} in ${contract.symbol} end today`
  return `Leg ${id} is squared off: ${why}`
}

/** The text for a position that somebody else has closed: `10 SBIN of leg 1 …`. */
export function goneText(leg: LegState, { contract, held }: Position, hasExpired: boolean): string {
  const { symbol } = contract
  const why = hasExpired
    ? `${symbol} expired while the run held it`
    : `the run still held it at the square-off of product ${leg.config.product}, when the broker or the sandbox closes it`
  return `${held} ${symbol} of leg ${leg.id} are no longer the run's: ${why}. The run sends no exit, and its profit does not include this trade: compare it with the account.`
}

/** The text for a part of a position that somebody else has closed: `10 of 10 SBIN of leg 1 …`. */
export function elsewhereText(
  leg: LegState,
  { contract, held }: Position,
  { accountHolds, quantity }: Closure,
): string {
  const { product } = leg.config
  return `${quantity} of ${held} ${contract.symbol} of leg ${leg.id} are no longer the run's: somebody else has closed them, and the account holds ${accountHolds} of product ${product}. The run sends no exit for them, and its profit does not include this trade: compare it with the account.`
}

/** Somebody else has closed a position in the moment in which its exit was sent. */
export function reversedText(
  { legId, product, symbol }: Claim,
  { holds, quantity }: { holds: number; quantity: number },
): string {
  return `Somebody else has closed ${quantity} ${symbol} of leg ${legId} in the moment in which the run sent its exit: both were filled, and the account holds ${holds} of product ${product} now. No run owns them, and no run closes them: look at the account.`
}

/** The account shows fewer shares than its runs count on, and nobody's order has sold them. */
export function unexplainedText(
  { legId, product, symbol }: Claim,
  { holds, missing }: { holds: number; missing: number },
): string {
  return `The account shows ${missing} ${symbol} fewer than runs count on: it holds ${holds} of product ${product}, and no order of today explains it. Leg ${legId} keeps its quantity and its stop, but the broker may refuse the exit: look at the account.`
}

/** Says that the position of a contract cannot be found in the account, because the broker's list does not name it. */
export function unlistedText({ exchange, legId, symbol }: Claim): string {
  return `The instruments of the broker do not list ${exchange}:${symbol}, so nobody can tell whether the account still holds it. Leg ${legId} keeps its quantity and its stop, but the broker may refuse the exit: look at the account.`
}

/** The positions of a run as a person names them: `BUY 10 NSE:SBIN MIS`. */
export function heldText(claims: readonly Claim[]): string {
  return claims
    .map(({ exchange, product, quantity, symbol }) => {
      const side = quantity > 0 ? 'BUY' : 'SELL'
      return `${side} ${Math.abs(quantity)} ${exchange}:${symbol} ${product}`
    })
    .join(', ')
}

/** The text for positions that nothing protects, because their broker gets no orders. */
export function unprotectedText(broker: string, claims: readonly Claim[], nextStep: string): string {
  return `The session at ${broker} has ended. Unprotected: ${heldText(claims)}. No stop, target or exit is sent before the next one begins: ${nextStep}`
}

export function lostText(runId: number, why: string): string {
  return `Run ${runId} was ended without its positions: ${why}`
}

/** The answer to a start whose entries were all refused. */
export function entriesRefusedText(entries: readonly { legId: number; error: string | null }[]): string {
  const reasons = new Set(entries.map(({ error }) => error ?? 'unknown reason'))
  if (reasons.size === 1) return `Every entry order was rejected: ${[...reasons][0]}`
  const each = entries.map(({ legId, error }) => `leg ${legId}: ${error ?? 'unknown reason'}`)
  return `Every entry order was rejected. ${each.join('; ')}`
}

/** The result of an order in the words of an event: `filled 50 of 75 at 120.50`. */
export function fillText({ order, filled, average, isChangedOutside, isEntry }: OrderState): string {
  const price = average === null ? unknownPriceText(isEntry) : String(average)
  const quantity = filled === order.quantity ? String(filled) : `${filled} of ${order.quantity}`
  const note = isChangedOutside ? '; the order was changed outside the run' : ''
  return `${order.action} ${quantity} ${order.symbol} filled at ${price}${note}`
}

function unknownPriceText(isEntry: boolean): string {
  const asked = 'the service asks the broker for it'
  return isEntry
    ? `an unknown price (${asked}; until it is known, the position has no stop and no target)`
    : `an unknown price (${asked}; until it is known, the profit of the position is not counted)`
}

/** The end of the text of a limit that is judged although some profits are not known exactly. */
export function lastPricesText(symbols: readonly string[]): string {
  return `. For a minute ${symbols.join(', ')} had no current price or a fill without one: its last known profit counts`
}

export function restingText({ brokerOrderId, filled, order }: OrderState): string {
  const { action, legId, quantity, symbol } = order
  const id = brokerOrderId === null ? '' : ` ${brokerOrderId}`
  return `Leg ${legId} is not closed: exit order${id} (${action} ${quantity} ${symbol}) was placed and still rests at the broker, with ${filled} of ${quantity} filled. Look at it there.`
}
