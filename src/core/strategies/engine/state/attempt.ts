import type { ExitOwner } from '../../config/vocabulary.js'
import type { EntryReport, ExitReport } from '../messages.js'
import type { OrderState } from './order.js'

/** The orders of one request, until the broker has answered for all of them. */
export interface Attempt {
  kind: 'start' | 'signal' | 'stop' | 'close_leg'
  request: string | undefined
  orders: OrderState[]
  /** Reports of positions that have no exit order yet. */
  unfilled: ExitReport[]
}

const IN_DOUBT = 'The broker has not confirmed this order. It counts as working until it is settled.'

export function entryReport(one: OrderState): EntryReport {
  const { order } = one
  return {
    legId: order.legId,
    ok: one.status !== 'rejected',
    acknowledged: one.isPlaced,
    symbol: order.symbol,
    brokerOrderId: one.brokerOrderId,
    error: errorOf(one),
  }
}

export function exitReport(one: OrderState, exitOwner: ExitOwner): ExitReport {
  const { order } = one
  return {
    legId: order.legId,
    ok: one.status !== 'rejected',
    positionRef: order.positionRef,
    exitOwner,
    error: errorOf(one),
    symbol: order.symbol,
    brokerOrderId: one.brokerOrderId,
  }
}

function errorOf(one: OrderState): string | null {
  if (one.status === 'rejected') return one.reason
  return one.isPlaced || one.isQueued || !one.isWorking ? null : IN_DOUBT
}
