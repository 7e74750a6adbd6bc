import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { NOT_SENT } from '../end.js'
import type { StoredKey } from '../journal/idempotency.js'
import type { OrderSource } from '../journal/journal.js'
import { isRecent } from '../journal/result.js'
import type { QueuePort } from '../ports.js'
import { notSent, type UnplacedResult } from '../result.js'

/** The services that check a retry of an Analyzer order. */
interface RetryParts {
  clock: Pick<Clock, 'since'>
  queue: Pick<QueuePort, 'shouldQueue'>
  ports: { mode(): TradingMode }
}

/**
 * Returns why a retry under a key must not execute an Analyzer order that a crash kept from the sandbox: the
 * retry is too late, or the user has changed the trading mode or the order mode since. Live orders pass the
 * same checks when they are sent. The caller asks the risk gate afterwards.
 */
export function retryObjection(
  { clock, queue, ports }: RetryParts,
  { createdAt, userId }: StoredKey,
  operation: string,
  source: OrderSource,
): UnplacedResult | undefined {
  if (!isRecent(createdAt, clock)) return notSent('unavailable', NOT_SENT)
  if (ports.mode() !== 'analyze') {
    return notSent('conflict', 'The mode was changed before the order was sent; it was not sent.')
  }
  if (queue.shouldQueue(userId, operation, source)) {
    return notSent('conflict', 'Orders need approval since before this one was sent; it was not sent.')
  }
  return undefined
}
