import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { BrokerTimer } from '../broker-time.js'
import type { TypeStore } from '../journal/type-store.js'
import { certainRefusal } from '../place/live-sender.js'
import type { PriceType } from '../schema.js'

interface Services {
  types: Pick<TypeStore, 'begin'>
  log: Pick<Logger, 'error'>
  /** Knows whether the change has left. */
  exchange: Pick<BrokerTimer, 'begun'>
}

/**
 * Sends the change of an order, and stores the type that it asks for: before it is sent, because its answer may be lost, and
 * again with its outcome. While that is not known, the order counts as having either type.
 * @param orderRef undefined for an order that was not placed here
 * @throws what `send` throws
 */
export async function withRecordedType<T>(
  { exchange, log, types }: Services,
  { asked, orderRef }: { orderRef: string | undefined; asked: PriceType },
  send: () => Promise<T>,
): Promise<T> {
  const change = orderRef === undefined ? undefined : await types.begin(orderRef, asked)
  if (!change) return send()
  /** The outcome at the broker is certain, whether it can be stored or not: both types then stay. */
  const stored = (settling: Promise<void>) =>
    settling.catch((error: unknown) =>
      log.error('changed_type_not_recorded', { order_ref: orderRef, error: messageOf(error) }),
    )
  let answer: T
  try {
    answer = await send()
  } catch (error) {
    if (!exchange.begun || certainRefusal(error, '')) await stored(change.notMade())
    throw error
  }
  await stored(change.made())
  return answer
}
