import {
  type Destination,
  instrumentsOf,
  modeChange,
  type NamedOrder,
  type PendingOrderView,
  valueIn,
  type WaitingOrder,
} from '../../../core/approvals/index.js'
import { type SymbolRef, symbolKey } from '../../../core/market/index.js'
import { formatMoney, orderValue, sumOfRupees, toMoney } from '../../../core/money/index.js'
import type { PlannedApproval, PlannedApprovalLeg, SmartTrade } from '../../../core/orders/index.js'
import type { Service } from '../../service.js'
import { lastPrices } from './last-prices.js'
import { smartTrades } from './smart-trades.js'

/** The orders whose legs a plan shows, unless the caller says otherwise. */
export const SHOWN_ORDERS = 20
/** The option orders beyond those whose contracts are looked up, to value them. */
const MOST_LOOKED_UP = 50
/** The most symbols that one read of prices takes, and the most reads. */
const SYMBOLS_A_READ = 200
const MOST_READS = 5

type Price = (ref: SymbolRef) => number | undefined

/** Returns what the approval of waiting requests would do now: of all, or of those with these ids. */
export async function approvalPlan(
  service: Service,
  user: string,
  { ids, details = SHOWN_ORDERS }: { ids?: readonly number[] | undefined; details?: number | undefined },
) {
  const { approvals, brokers, mode, orders } = service
  const shown: Awaited<ReturnType<typeof describe>>[] = []
  const others: WaitingOrder[] = []
  let newest = 0
  const plan = orders.approvalPlans.together()
  for await (const waiting of approvals.waiting(user, ids)) {
    newest = Math.max(newest, waiting.order.id)
    if (shown.length < details) {
      shown.push(await describe(waiting, await plan(waiting.order), service.executor.destination()))
    } else others.push(waiting)
  }
  const values = [...shown.map(({ value }) => value), ...(await orderValues(service, user, others))]
  const known = values.flatMap((value) => value ?? [])
  return {
    mode: mode(),
    broker: brokers.brokerId,
    orders: shown,
    totals: {
      orders: values.length,
      value: sumOfRupees(known),
      unknown: values.length - known.length,
      newest_id: newest === 0 ? null : newest,
    },
  }
}

/** Renders a plan: each leg with its prices, value, margin, drift and the verdicts of the risk rules. */
async function describe(
  { drift, order: { id, operation, payload }, priceThen, queuedMode }: WaitingOrder,
  { isOneOf, legs, margin, note, value }: PlannedApproval,
  destination: Destination,
) {
  const moved = await drift()
  const changed = modeChange(queuedMode, destination)
  const { strategy } = payload
  return {
    id,
    api_type: operation,
    strategy: typeof strategy === 'string' ? strategy : '',
    legs: legs.map((leg) => legBody(leg, priceThen)),
    queued_mode: queuedMode,
    ...(changed !== undefined && { mode_change: changed }),
    one_of: isOneOf,
    value: value ?? null,
    margin: margin ?? null,
    ...(note !== undefined && { note }),
    ...(moved && { refusal: moved.message }),
  }
}

function legBody(leg: PlannedApprovalLeg, priceThen: WaitingOrder['priceThen']) {
  const {
    action,
    checks,
    exchange,
    instructions,
    lastPrice,
    margin,
    price,
    pricetype,
    problem,
    product,
    quantity,
    symbol,
  } = leg
  const then = priceThen({ symbol, exchange })
  return {
    symbol,
    exchange,
    action,
    quantity,
    pricetype,
    product,
    price,
    trigger_price: leg.triggerPrice,
    ...(instructions !== undefined && { instructions }),
    last_price: lastPrice ?? null,
    queued_price: then ?? null,
    drift_percent:
      then && lastPrice !== undefined ? Math.round(((lastPrice - then) / then) * 10_000) / 100 : null,
    value: leg.value ?? null,
    margin: margin ?? null,
    ...(problem !== undefined && { problem }),
    checks: checks.map(({ message, ok, rule }) => ({ rule, ok, ...(message !== undefined && { message }) })),
  }
}

/** Returns the values of waiting requests, without the checks of their orders; undefined for those not known. */
async function orderValues(
  service: Service,
  user: string,
  waiting: readonly WaitingOrder[],
): Promise<(number | undefined)[]> {
  if (waiting.length === 0) return []
  const refs = new Map(
    waiting.flatMap(({ order }) => instrumentsOf(order.payload).map((ref) => [symbolKey(ref), ref] as const)),
  )
  const asked = waiting.map(({ order }) => {
    return { id: order.id, api_type: order.operation, raw_order_data: order.payload }
  })
  const [prices, trades] = await Promise.all([
    pricesOf(service, [...refs.values()]),
    smartTrades(service, user, asked),
  ])
  const looked = new Map<string, Promise<PlannedApproval>>()
  return Promise.all(
    waiting.map(async ({ order, priceThen }) => {
      const priceNow: Price = (ref) => prices.get(symbolKey(ref)) ?? priceThen(ref)
      const { operation, payload } = order
      const value = valueIn(operation, payload, quantityOf(trades.get(order.id)), worthBy(service, priceNow))
      if (value !== undefined || !operation.startsWith('options')) return value
      const key = JSON.stringify(payload)
      const plan = looked.get(key)
      if (!plan && looked.size === MOST_LOOKED_UP) return undefined
      const planned = plan ?? service.orders.approvalPlans.of(order)
      looked.set(key, planned)
      return (await planned).value
    }),
  )
}

async function pricesOf(service: Service, refs: readonly SymbolRef[]): Promise<ReadonlyMap<string, number>> {
  const prices = new Map<string, number>()
  for (let read = 0; read < MOST_READS && read * SYMBOLS_A_READ < refs.length; read += 1) {
    const some = refs.slice(read * SYMBOLS_A_READ, (read + 1) * SYMBOLS_A_READ)
    for (const [key, price] of await lastPrices(service, some)) prices.set(key, price)
  }
  return prices
}

const quantityOf = (known: SmartTrade | undefined) => known?.trade?.quantity

/** Returns the value of a queued request as a list shows it, at a price that is at hand. */
export function listedValue(
  service: Pick<Service, 'instruments'>,
  {
    api_type,
    created_ltp,
    raw_order_data,
    trade_now,
  }: PendingOrderView & { trade_now?: SmartTrade['trade'] },
  priceNow: Price,
): number | null {
  const price: Price = (ref) => priceNow(ref) ?? created_ltp ?? undefined
  return valueIn(api_type, raw_order_data, trade_now?.quantity, worthBy(service, price)) ?? null
}

const worthBy =
  ({ instruments }: Pick<Service, 'instruments'>, priceNow: Price) =>
  ({ price, quantity, ref }: NamedOrder): number | undefined => {
    const each = price ?? (ref && priceNow(ref))
    if (each === undefined || quantity === 0) return undefined
    const contractValue = ref && instruments.directory.find(ref.symbol, ref.exchange)?.contractValue
    return Number(formatMoney(orderValue(toMoney(each), quantity, contractValue)))
  }
