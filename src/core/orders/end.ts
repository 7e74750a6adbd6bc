import { type ErrorFacts, factsOf } from '../errors/index.js'
import { type RiskRefusal, refusalCode } from '../risk/index.js'

export const UNKNOWN_OUTCOME =
  'The outcome is not known: the order may have reached the broker. Do not send it again; follow its reference.'

/**
 * The text of a change whose outcome is not known: its answer was lost, or the service stopped. A retry under
 * its key gets the same text.
 */
export const UNKNOWN_CHANGE =
  'The outcome is not known: the change may have been executed. Look at the account before sending it again.'

/** The text of an order that was never sent. Only a soon retry by its caller under the same key sends it. */
export const NOT_SENT = 'Not sent: the service stopped before it came to this order.'

/** The end of an order that the broker or the sandbox accepted. */
interface PlacedEnd {
  outcome: 'placed'
  /** Our reference: the row of the journal, or the id in the sandbox. */
  orderRef: string
  /** The id the broker or the sandbox gave the order or the trigger. */
  orderId: string
}

/**
 * `refused`: the gate, the broker or the sandbox refused it. `not_sent`: it was not sent, for another reason.
 */
export interface UnplacedEnd extends ErrorFacts {
  outcome: 'refused' | 'not_sent'
  orderRef: string
  message: string
  /** The rule of the risk gate that refused it. */
  rule?: string
  /** The sandbox keeps orders it rejects. */
  orderId?: string
  /** The service stopped before it sent the order, or kept it back. A soon retry under the same key sends it. */
  mayBeSent?: boolean
  /** The fault that prevented the sending, for the code that reports faults. Never stored. */
  fault?: unknown
}

/** The end of an order that may have reached the broker. Reconciliation finds out. */
interface DoubtfulEnd {
  outcome: 'in_doubt'
  orderRef: string
}

/** The end of the execution of one order. */
export type OrderEnd = PlacedEnd | UnplacedEnd | DoubtfulEnd

/** Returns the end of an order that the risk gate refused. */
export function refusedByGate(refusal: RiskRefusal, orderRef: string): UnplacedEnd {
  const { rule, message } = refusal
  return { outcome: 'refused', orderRef, code: refusalCode(refusal), message, rule }
}

/** Returns the end of an order for an error that proves that the order was not placed. */
export function endOfError(
  outcome: UnplacedEnd['outcome'],
  orderRef: string,
  error: ErrorFacts & { message: string },
): UnplacedEnd {
  return { outcome, orderRef, message: error.message, ...factsOf(error) }
}

/** Returns an end as the order's row stores it. */
export function storedEnd(end: OrderEnd): string {
  if (end.outcome === 'in_doubt') throw new Error('an order in doubt has no end to store yet')
  if (end.outcome === 'placed') return JSON.stringify({ outcome: end.outcome, orderId: end.orderId })
  const { outcome, code, message, rule, reason, brokerStatus, orderId } = end
  return JSON.stringify({ outcome, code, message, rule, reason, brokerStatus, orderId })
}

/** Returns whether a soon retry may send an order that was not sent. */
export function mayBeSent(end: OrderEnd): boolean {
  return 'mayBeSent' in end && end.mayBeSent === true
}

/** Returns the end of an order that was not sent because the service stopped, or for the reason given. */
export function endOfStop(orderRef: string, message = NOT_SENT): UnplacedEnd {
  return { outcome: 'not_sent', orderRef, code: 'unavailable', message, mayBeSent: true }
}

/** Reads an end that {@link storedEnd} wrote. */
export function endFrom(stored: string, orderRef: string): OrderEnd {
  const kept: StoredEnd = JSON.parse(stored)
  return { ...kept, orderRef }
}

type StoredEnd = Omit<PlacedEnd, 'orderRef'> | Omit<UnplacedEnd, 'orderRef'>
