import type { GttLeg } from '../../../orders/schema.js'
import { notSent } from '../http/outcomes.js'

/**
 * Refuses a trigger on the wrong side of the last price. Brokers decide by that price on which side a trigger waits, or fire it
 * at once, so a stop above the last price would wait for a rise.
 * @throws BrokerError `validation`, never sent
 */
export function requireReachable({ kind, triggerPrice }: GttLeg, lastPrice: number, broker: string): void {
  if (kind === 'stop' ? triggerPrice < lastPrice : triggerPrice > lastPrice) return
  const [field, side] = kind === 'stop' ? ['triggerprice_sl', 'below'] : ['triggerprice_tg', 'above']
  throw notSent(
    'validation',
    `${field} ${triggerPrice} must be ${side} the last price ${lastPrice} at ${broker}.`,
  )
}
