import type { Clock } from '../../time/index.js'
import { NOT_SENT } from '../end.js'
import type { OrderSource } from '../journal/entry.js'
import type { OrderPorts, QueuePort } from '../ports.js'
import { notSent, type UnplacedResult } from '../result.js'
import { needsApproval, switchedSince } from './last-check.js'
import type { StartedKey } from './pipeline.js'

/** How long the unsent orders of a request may still be sent. */
export const RESUME_WITHIN_MS = 15 * 60_000

/** The services that check a retry. */
interface Services {
  clock: Pick<Clock, 'since'>
  queue: Pick<QueuePort, 'shouldQueue'>
  ports: Pick<OrderPorts, 'mode'>
}

/**
 * Returns whether the unsent orders of a request may still be sent: a late retry would meet another market. Nobody knows
 * the age of a request that lies ahead, so it is not recent.
 */
export function isRecent(createdAt: number, clock: Pick<Clock, 'since'>): boolean {
  return clock.since(createdAt, Number.POSITIVE_INFINITY) <= RESUME_WITHIN_MS
}

/**
 * Returns why a retry under a key must not execute what a crash left unsent: the retry is too late, or the user has changed
 * the trading mode or the order mode since. The caller asks the risk gate afterwards. A single live order passes the same
 * checks when it is sent, so that its row keeps their refusal.
 */
export function retryObjection(
  { clock, queue, ports }: Services,
  { createdAt, mode, userId }: StartedKey,
  operation: string,
  source: OrderSource,
): UnplacedResult | undefined {
  if (!isRecent(createdAt, clock)) return notSent('unavailable', NOT_SENT)
  const begun = mode === 'analyze' ? 'analyze' : 'live'
  const switched = switchedSince({ mode: begun }, { mode: ports.mode() }, 'the order')
  if (switched) return notSent(switched.code, switched.message)
  if (!queue.shouldQueue(userId, operation, source)) return undefined
  const { code, message } = needsApproval('the order')
  return notSent(code, message)
}
