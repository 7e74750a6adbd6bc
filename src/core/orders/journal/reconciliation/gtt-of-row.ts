import type { BrokerGtt } from '../../../brokers/broker.js'
import { queuedGttPayload, toGttRequest } from '../../gtt/schema.js'
import type { JournalRow } from '../journal.js'

/** What the end of a GTT tells of it. */
export type EndedGtt = Pick<
  BrokerGtt,
  'triggerId' | 'type' | 'status' | 'triggerPrices' | 'triggeredOrderId' | 'rejectionReason'
>

/** Returns a GTT as it was placed, for one that the broker does not show: a later change of it is not known then. */
export function gttOfRow({ request, triggerId }: JournalRow): EndedGtt {
  const payload = queuedGttPayload.safeParse(JSON.parse(request)).data
  const gtt = payload && toGttRequest(payload)
  return {
    triggerId: triggerId ?? '',
    type: gtt?.type === 'OCO' ? 'two-leg' : 'single',
    status: 'active',
    triggerPrices: gtt?.legs.map(({ triggerPrice }) => triggerPrice) ?? [],
  }
}
