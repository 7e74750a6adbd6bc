import type { BrokerClient } from '../../brokers/broker.js'
import { publicMessageOf } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import type { BrokerTimer } from '../broker-time.js'
import { WAVE, WAVE_PAUSE_MS } from '../multi/plans/plan.js'
import { WAITING } from '../schema.js'

/** The result of "cancel all". */
export interface Cancellations {
  message: string
  cancelled: readonly string[]
  failed: readonly { orderid: string; message: string }[]
}

/** Cancels every pending order at the broker, stops included. A failed cancel does not stop the others. */
export async function cancelAllAt(
  { orders }: BrokerClient,
  clock: Clock,
  exchange: BrokerTimer,
  orderSlot: () => Promise<void>,
): Promise<Cancellations> {
  const waiting = (await exchange.read(() => orders.list())).filter(({ status }) => WAITING.has(status))
  const cancelled: string[] = []
  const failed: { orderid: string; message: string }[] = []
  for (let from = 0; from < waiting.length; from += WAVE) {
    if (from > 0) await clock.sleep(WAVE_PAUSE_MS)
    const wave = waiting.slice(from, from + WAVE).map(async ({ orderId }) => {
      try {
        await exchange.read(async () => orders.prepareChange?.(orderId, 'cancel'))
        await orderSlot()
        await exchange.send(() => orders.cancel(orderId))
        cancelled.push(orderId)
      } catch (error) {
        failed.push({ orderid: orderId, message: publicMessageOf(error, 'Failed to cancel order') })
      }
    })
    await Promise.all(wave)
  }
  const message = `Canceled ${cancelled.length} orders. Failed to cancel ${failed.length} orders.`
  return { message, cancelled, failed }
}
