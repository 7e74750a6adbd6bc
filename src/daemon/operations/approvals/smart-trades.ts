import type { PendingOrderView } from '../../../core/approvals/index.js'
import type { SmartTrade } from '../../../core/orders/index.js'
import { within } from '../../../core/time/index.js'
import type { Service } from '../../service.js'

type Queued = Pick<PendingOrderView, 'id' | 'api_type' | 'raw_order_data'>

/** How long the approver's list waits for the positions. */
const PATIENCE_MS = 1000

/**
 * Returns what each queued smart order would trade now, by the order's id. An order whose trade is not known in time is
 * left out.
 */
export async function smartTrades(
  service: Pick<Service, 'clock' | 'orders'>,
  userId: string,
  orders: readonly Queued[],
): Promise<ReadonlyMap<number, SmartTrade>> {
  const smart = orders.filter(({ api_type }) => api_type === 'smartorder')
  if (smart.length === 0) return new Map()
  const { clock, orders: path } = service
  const requests = smart.map(({ raw_order_data }) => raw_order_data)
  const known =
    (await within(
      clock,
      PATIENCE_MS,
      path.smartTrades.of(userId, requests).catch(() => []),
    )) ?? []
  return new Map(
    smart.flatMap(({ id }, index) => {
      const trade = known[index]
      return trade === undefined ? [] : [[id, trade] as const]
    }),
  )
}
