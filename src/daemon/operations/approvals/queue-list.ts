import { z } from 'zod'
import {
  emptyStatistics,
  instrumentsOf,
  MAX_PAGE,
  type PendingOrderView,
} from '../../../core/approvals/index.js'
import { publicMessageOf, ServiceError } from '../../../core/errors/index.js'
import { type SymbolRef, symbolKey } from '../../../core/market/schema.js'
import { fields } from '../../../core/validation/index.js'
import { pendingOrderValues } from '../../audit/values.js'
import type { RunningService } from '../../daemon.js'
import type { Service } from '../../service.js'
import type { ActRequest } from '../audit-facts.js'
import { amount, count, instant, ok, text } from '../common/answers.js'
import { nullableText, ofHistory } from '../control/control-facts.js'
import { listedValue } from './approval-plan.js'
import { lastPrices } from './last-prices.js'
import { smartTrades } from './smart-trades.js'

export const queueQuery = z.object({
  status: z.string().optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= MAX_PAGE, `Must be between 1 and ${MAX_PAGE}.`)
    .optional(),
  before: fields.integer().optional(),
  /** False leaves out what may wait for the broker: last prices and present positions. */
  prices: fields.oneOf(['true', 'false']).optional(),
  ...ofHistory,
})

export const pendingOrder = z.strictObject({
  id: count,
  user_id: text,
  api_type: text,
  status: z.enum(['pending', 'approved', 'rejected']),
  created_at_ist: text,
  created_at: instant,
  strategy: text,
  symbol: text,
  exchange: text,
  action: text,
  quantity: amount,
  price: text,
  trigger_price: text,
  price_type: text,
  product_type: text,
  approved_at_ist: nullableText,
  approved_by: nullableText,
  rejected_at_ist: nullableText,
  rejected_by: nullableText,
  rejected_reason: nullableText,
  broker_order_id: nullableText,
  broker_status: z.enum(['complete', 'open', 'rejected']).nullable(),
  queued_mode: z.enum(['live', 'analyze']).nullable(),
  created_ltp: amount.nullable(),
  expires_at: instant.nullable(),
  execution: z.enum(['executing', 'in_doubt', 'done', 'partial', 'failed']).nullable(),
  order_ref: nullableText,
  execution_error: nullableText,
  raw_order_data: z.record(z.string(), z.unknown()),
  error: text.optional(),
  last_price: amount.nullable().optional(),
  value: amount.nullable().optional().meta({
    description:
      'About how much money the request moves, with each of its orders, in rupees; null while that is not known.',
  }),
  position_now: amount.optional().meta({
    description:
      'Smart orders: the signed net position now, which the order would change. Orders at the market count as filled.',
  }),
  trade_now: z
    .strictObject({ action: text, quantity: amount })
    .nullable()
    .optional()
    .meta({ description: 'Smart orders: what the order would send now; null if it would send nothing.' }),
})

export const pendingOrders = ok({
  data: z.strictObject({
    orders: z.array(pendingOrder),
    statistics: z.record(z.string(), count),
    total: count,
    next_before: count.optional(),
  }),
})

export function pendingOrderState({ service, username, params }: ActRequest<RunningService>) {
  return pendingOrderValues(service.approvals, username, Number(params.id))
}

/**
 * Returns a page of a user's queue with its statistics.
 * @throws ServiceError whose body has the same `data` as a success, with an empty list
 */
export async function queueOf(
  service: Service,
  user: string,
  { status, prices, ...page }: z.output<typeof queueQuery>,
) {
  const { approvals } = service
  try {
    const query = { status: status === undefined ? 'pending' : status || 'all', ...page }
    const { orders, total, nextBefore } = await approvals.list(user, query)
    const statistics = approvals.statistics(user)
    return {
      orders: prices === 'false' ? orders.map(withValue(service)) : await asOfNow(service, user, orders),
      statistics,
      total,
      ...(nextBefore === undefined ? {} : { next_before: nextBefore }),
    }
  } catch (error) {
    // A failure carries empty `data`, so that screens can still render.
    const message = `Failed to retrieve action center data: ${publicMessageOf(error)}`
    const { brokerStatus, code, reason } =
      error instanceof ServiceError ? error : new ServiceError('internal', '')
    const extra = { data: { orders: [], statistics: emptyStatistics(), total: 0 } }
    throw new ServiceError(code, message, { brokerStatus, reason, extra, cause: error })
  }
}

/** Returns one order of a user; undefined when there is none. */
export async function oneOf(
  { approvals }: Pick<Service, 'approvals'>,
  user: string,
  id: number,
): Promise<PendingOrderView | undefined> {
  const { orders } = await approvals.list(user, { status: 'all', before: id + 1, limit: 1 })
  return orders.find((order) => order.id === id)
}

/**
 * Adds the last price to each order, and position and trade of now to each smart order, so that the approver sees what
 * the order would cost and trade. The list is returned even when neither is available.
 */
async function asOfNow(service: Service, user: string, orders: PendingOrderView[]) {
  const waiting = orders.filter((order) => order.status === 'pending')
  const refs = [...waiting, ...waiting.flatMap(({ raw_order_data }) => instrumentsOf(raw_order_data))]
  const [prices, trades] = await Promise.all([lastPrices(service, refs), smartTrades(service, user, waiting)])
  return orders
    .map((order) => {
      const now = trades.get(order.id)
      return {
        ...order,
        last_price: prices.get(symbolKey(order)) ?? null,
        ...(now && { position_now: now.position, trade_now: now.trade }),
      }
    })
    .map(withValue(service, prices))
}

/** Returns a function that adds the value of a request, with each of its orders, at the last prices. */
function withValue(service: Pick<Service, 'hub' | 'instruments'>, prices?: ReadonlyMap<string, number>) {
  const priceNow = (ref: SymbolRef) => prices?.get(symbolKey(ref)) ?? service.hub.last(ref)?.ltp
  return <T extends Parameters<typeof listedValue>[1]>(order: T) => ({
    ...order,
    value: listedValue(service, order, priceNow),
  })
}
