import type { ErrorCode } from '../../errors/index.js'
import type { BrokerTimer } from '../broker-time.js'
import { type OrderEnd, UNKNOWN_OUTCOME } from '../end.js'
import type { TimedOrder } from '../ports.js'
import type { ClaimedOrder } from './claimed-order.js'

/** The codes of refusals by this service at the moment of the sandbox's decision: nothing was decided. */
const VETOES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['kill_switch', 'request_expired'])

/** Returns whether the sandbox itself gave an answer, and not a veto before it. */
export const isVeto = (code: string): boolean => [...VETOES].some((veto) => veto === code)

/** Returns the timing of an order, or undefined when it reached neither a broker nor the sandbox. */
export function timingOf(
  { entry, order }: ClaimedOrder,
  end: OrderEnd,
  timer: BrokerTimer,
): TimedOrder | undefined {
  const { broker, operation, orderRef, source, userId } = entry
  if (!timer.reached || end.outcome === 'not_sent') return undefined
  if (end.outcome === 'refused' && isVeto(end.code)) return undefined
  const orderId = ('orderId' in end ? end.orderId : undefined) ?? orderRef
  const error = end.outcome === 'in_doubt' ? UNKNOWN_OUTCOME : 'message' in end ? end.message : undefined
  const { responseMs, rttMs, totalMs, validationMs } = timer.durations()
  // Every order passes here. The members are written out because a spread costs ten times as much.
  return {
    operation,
    userId,
    source,
    broker,
    orderId,
    symbol: order.symbol,
    totalMs,
    validationMs,
    rttMs,
    responseMs,
    error,
  }
}
