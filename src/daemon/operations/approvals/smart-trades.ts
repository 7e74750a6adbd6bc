import { z } from 'zod'
import type { PendingOrderView } from '../../../core/approvals/index.js'
import { EXCHANGES } from '../../../core/instruments/index.js'
import { ORDER_PRODUCTS, type PositionRef } from '../../../core/orders/schema.js'
import { within } from '../../../core/time/index.js'
import type { Service } from '../../service.js'

type Queued = Pick<PendingOrderView, 'id' | 'api_type' | 'raw_order_data'>

/** How long the approver's list waits for the positions. */
const PATIENCE_MS = 1000

/**
 * Returns the signed net position that each queued smart order would change, by the order's id. An order
 * whose position is not known in time is left out.
 */
export async function positionsNow(
  { account, clock }: Service,
  userId: string,
  orders: readonly Queued[],
): Promise<ReadonlyMap<number, number>> {
  const smart = orders.flatMap((order) => {
    const ref = order.api_type === 'smartorder' ? positionOf(order) : undefined
    return ref ? [{ id: order.id, ref }] : []
  })
  if (smart.length === 0) return new Map()
  const refs = smart.map(({ ref }) => ref)
  const asked = account.netQuantities(userId, refs).catch(() => [])
  const held = (await within(clock, PATIENCE_MS, asked)) ?? []
  return new Map(
    smart.flatMap(({ id }, index) => {
      const quantity = held[index]
      return quantity === undefined ? [] : [[id, quantity] as const]
    }),
  )
}

/** The position in a stored request, which has more members than these. */
const position = z.object({
  symbol: z.string(),
  exchange: z.enum(EXCHANGES),
  product: z.enum(ORDER_PRODUCTS),
})

function positionOf({ raw_order_data: request }: Queued): PositionRef | undefined {
  return position.safeParse(request).data
}
