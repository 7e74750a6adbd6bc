import { ERROR_CODES, type ErrorCode, type ServiceError } from '../errors/index.js'
import { type RiskRefusal, refusalCode } from '../risk/index.js'

export const UNKNOWN_OUTCOME =
  'The outcome is not known: the order may have reached the broker. Do not send it again; follow its reference.'

/** An order that was never sent, and never will be unless its caller soon asks again under its key. */
export const NOT_SENT = 'Not sent: the service stopped before it came to this order.'

/** The broker or the sandbox took it. */
export interface PlacedEnd {
  outcome: 'placed'
  /** Our reference: the row of the journal, or the id in the sandbox. */
  orderRef: string
  /** The id the broker or the sandbox gave the order or the trigger. */
  orderId: string
}

/** `refused`: gate, broker or sandbox said no. `not_sent`: it never left, for another reason. */
export interface UnplacedEnd {
  outcome: 'refused' | 'not_sent'
  orderRef: string
  code: ErrorCode
  message: string
  /** The rule of the risk gate that refused it. */
  rule?: string
  /** The status a broker refused with, where it is not the usual one of the code. */
  brokerStatus?: number
  /** The sandbox keeps orders it rejects. */
  orderId?: string
  /** A stop of the service came before it was sent. Asked for again soon under its key, it is sent. */
  mayBeSent?: boolean
  /** The fault that kept it from being sent, for whoever answers for faults. Never stored. */
  fault?: unknown
}

/** It may have reached the broker. Reconciliation finds out. */
export interface DoubtfulEnd {
  outcome: 'in_doubt'
  orderRef: string
}

/** How the execution of one order ended. */
export type OrderEnd = PlacedEnd | UnplacedEnd | DoubtfulEnd

/** The refusal of the risk gate. */
export function refusedByGate(refusal: RiskRefusal, orderRef: string): UnplacedEnd {
  const { rule, message } = refusal
  return { outcome: 'refused', orderRef, code: refusalCode(refusal), message, rule }
}

/** An error that is certain, as the end of an order. */
export function endOfError(
  outcome: UnplacedEnd['outcome'],
  orderRef: string,
  { code, httpStatus, message }: Pick<ServiceError, 'code' | 'httpStatus' | 'message'>,
): UnplacedEnd {
  const own = httpStatus === ERROR_CODES[code].http ? {} : { brokerStatus: httpStatus }
  return { outcome, orderRef, code, message, ...own }
}

/** An end as it is kept beside its order. */
export function storedEnd(end: OrderEnd): string {
  if (end.outcome === 'in_doubt') throw new Error('an order in doubt has no end to store yet')
  if (end.outcome === 'placed') return JSON.stringify({ outcome: end.outcome, orderId: end.orderId })
  const { outcome, code, message, rule, brokerStatus, orderId } = end
  return JSON.stringify({ outcome, code, message, rule, brokerStatus, orderId })
}

/** The end of an order that a stop of the service kept from being sent. */
export function endOfStop(orderRef: string): UnplacedEnd {
  return { outcome: 'not_sent', orderRef, code: 'unavailable', message: NOT_SENT, mayBeSent: true }
}

/** Reads an end that {@link storedEnd} wrote, or the answer that earlier versions kept in its place. */
export function endFrom(stored: string, orderRef: string): OrderEnd {
  const kept: StoredEnd | EarlierAnswer = JSON.parse(stored)
  if ('outcome' in kept) return { ...kept, orderRef }
  const { body, code, status } = kept
  if (code === 'ok') return { outcome: 'placed', orderRef, orderId: body.orderid ?? body.trigger_id ?? '' }
  const message = body.message ?? ''
  const end = endOfError('refused', orderRef, { code, httpStatus: status, message })
  return { ...end, ...(body.rule !== undefined && { rule: body.rule }) }
}

type StoredEnd = Omit<PlacedEnd, 'orderRef'> | Omit<UnplacedEnd, 'orderRef'>

interface EarlierAnswer {
  status: number
  code: ErrorCode | 'ok'
  body: { message?: string; rule?: string; orderid?: string; trigger_id?: string }
}
