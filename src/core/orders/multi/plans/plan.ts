import { exactQuantity } from '../../../money/index.js'
import type { TradingMode } from '../../../trading/index.js'
import {
  type ClosedResult,
  codeOf,
  failureIn,
  isWhole,
  type LegResult,
  markedWith,
  type OrderResult,
  refusal,
  type Shown,
  type SingleResult,
  shortfallOf,
} from '../../result.js'
import { hasPrice, type OrderPayload, sideOf } from '../../schema.js'

/** One order of a request, and the members that the answer shows beside its result. */
export interface PlannedOrder {
  shown: Shown
  order: OrderPayload
  /** It opens the other side of a position, so it is sent only if every piece before it was placed. */
  opens?: true | undefined
  /** All of it closes a position. A retry sends it also after proof that the broker never received it. */
  closes?: true | undefined
}

/** One entry of the results. */
export interface PlannedLeg {
  /** The name of the leg in messages. A leg without a name is named by its position in the request. */
  name?: string
  shown: Shown
  /** The reason why nothing is sent for it. */
  problem?: string
  orders: readonly PlannedOrder[]
  /** The totals of a leg that is split into several orders. */
  split?: { total_quantity: number; split_size: number }
  /** Its orders are pieces of one change of a position: a piece in doubt keeps back those after it. */
  inPieces?: true | undefined
}

/** The form of the result: a single order, a list of results, or a close. */
type Shape = 'single' | 'list' | 'close'

/**
 * The orders of a request, and the members of its answer. It is stored before the first order is sent, so
 * that the result can be rebuilt from the journal at any time.
 */
export interface BatchPlan {
  shape: Shape
  /** Members of the answer beside the results. */
  head: Shown
  legs: readonly PlannedLeg[]
}

/**
 * The order of sending, by positions in the plan: each wave is sent at once, after the results of the last
 * wave.
 */
export interface Pacing {
  waves: readonly (readonly number[])[]
  pauseMs: number
  /** Orders between two pauses. */
  perPause: number
}

/** A plan that is ready for execution. */
export interface ExecutionPlan {
  plan: BatchPlan
  pacing: Pacing
  /** False for orders that only reduce positions: they pass when trading is stopped. */
  gated: boolean
  /** True when a retry may send the orders that a crash left unsent. */
  resumable: boolean
  /** A stop of the service waits for its orders, as long as it can: they were computed from the positions of this moment. */
  finishes?: true | undefined
}

/** A stored plan. In Analyzer mode it has the ids of its orders, which are rows of the sandbox. */
export interface StoredPlan extends ExecutionPlan {
  orderIds?: readonly string[] | undefined
}

export function ordersOf(plan: BatchPlan): PlannedOrder[] {
  return plan.legs.flatMap((leg) => leg.orders)
}

/** Returns the plan with the terms of each order among the members that the answer shows: a preview has no order to look up. */
export function withTerms(plan: BatchPlan): BatchPlan {
  const legs = plan.legs.map((leg) => ({
    ...leg,
    orders: leg.orders.map((planned) => ({
      ...planned,
      shown: { ...planned.shown, ...termsOf(planned.order) },
    })),
  }))
  return { ...plan, legs }
}

function termsOf(order: OrderPayload): Shown {
  const { action, exchange, price, pricetype, product, quantity, symbol, trigger_price } = order
  return {
    ...{ symbol, exchange, product, action: sideOf(action), quantity, pricetype },
    ...(hasPrice(pricetype, 'price') && { price }),
    ...(hasPrice(pricetype, 'trigger') && { trigger_price }),
  }
}

/** Returns the pacing that sends each order alone, with a pause after each. */
export function oneByOne(count: number, pauseMs: number): Pacing {
  return { waves: Array.from({ length: count }, (_, index) => [index]), pauseMs, perPause: 1 }
}

/** The number of orders between two pauses, and the pause that keeps them below ten a second. */
export const WAVE = 10
export const WAVE_PAUSE_MS = 1000

/** Returns the pacing of one wave with all orders: the sandbox decides on them at once. */
export function atOnce(places: readonly number[]): Pacing {
  return { waves: places.length === 0 ? [] : [places], pauseMs: 0, perPause: places.length }
}

/** Returns the pacing that sends each order alone, as fast as brokers accept them. */
export function tenASecond(count: number): Pacing {
  return { ...oneByOne(count, WAVE_PAUSE_MS), perPause: WAVE }
}

/** Returns the part of a pacing for some positions of the plan. */
export function pacingOf({ waves, ...pause }: Pacing, places: ReadonlySet<number>): Pacing {
  const left = waves.map((wave) => wave.filter((place) => places.has(place)))
  return { ...pause, waves: left.filter((wave) => wave.length > 0) }
}

/** Returns the result of the whole request; `results` are those of {@link ordersOf}, in that order. */
export function resultOfPlan(
  plan: BatchPlan,
  batchRef: string,
  mode: TradingMode,
  results: readonly SingleResult[],
): OrderResult {
  const legs = legResults(plan, results)
  if (plan.shape === 'close') {
    const isNamed = Object.keys(plan.head).length > 0
    return { ...resultOfClose(legs, LIVE_CLOSE, isNamed), orderRef: batchRef }
  }
  if (plan.shape === 'list') return { outcome: 'executed', shown: plan.head, legs, orderRef: batchRef }
  const [leg] = legs
  if (leg?.split) return resultOfPieces(leg, batchRef, mode)
  const [only] = results
  if (!only) throw new Error(`batch ${batchRef} of a single order has none`)
  return codeOf(only) === 'ok' ? { ...only, shown: plan.head } : markedWith(mode, only)
}

/** The sentences of the answers to a close; each mode has its own. */
interface CloseTexts {
  allClosed(count: number): string
  /** No position was closed, and an order for one failed. */
  noneClosed: string | undefined
}

export const LIVE_CLOSE: CloseTexts = {
  allClosed: () => 'All Open Positions Squared Off',
  noneClosed: 'Failed to close positions',
}
export const SIMULATED_CLOSE: CloseTexts = {
  allClosed: (count) => (count === 0 ? 'No open positions to close' : `Closed ${count} positions`),
  noneClosed: undefined,
}

/**
 * Returns the result of a close. If a position stays open or was closed in pieces, it names each position with its orders,
 * or with the reason. The public system answers success in every case; a close that leaves something open is none.
 * @param isNamed true for a close of one position: the result names its order
 */
export function resultOfClose(legs: readonly LegResult[], texts: CloseTexts, isNamed = false): ClosedResult {
  const closed = legs.filter(isWhole).length
  const stillOpen = legs.length - closed
  const isPlain = stillOpen === 0 && !isNamed && legs.every(({ split }) => split === undefined)
  const orderIds = legs.flatMap(({ orders }) => orders.flatMap(({ result }) => idOf(result)))
  const common = { outcome: 'closed', closed, stillOpen, orderIds, ...(!isPlain && { legs }) } as const
  if (stillOpen === 0) return { ...common, message: texts.allClosed(closed) }
  const failed = failureIn(legs)
  const counts = `Closed ${closed} positions (Failed to close ${stillOpen} positions)`
  const message = closed === 0 && failed ? (texts.noneClosed ?? counts) : counts
  const [problem] = legs.flatMap((leg) => leg.problem ?? [])
  return { ...common, message, failure: failed ?? refusal('conflict', problem ?? message) }
}

function idOf(result: OrderResult): readonly string[] {
  return 'orderId' in result && result.orderId !== undefined ? [result.orderId] : []
}

/** Returns the result of one order that was sent in pieces. */
function resultOfPieces(leg: LegResult, batchRef: string, mode: TradingMode): OrderResult {
  const failure = failureIn([leg])
  const message = shortfallOf(leg)
  const placed = leg.orders.flatMap(({ result }) =>
    'orderId' in result && codeOf(result) === 'ok' ? [result] : [],
  )
  const orderId = placed[0]?.orderId
  return markedWith(mode, {
    outcome: 'sliced',
    legs: [leg],
    orderRef: batchRef,
    ...(orderId !== undefined && { orderId }),
    ...(failure && { failure }),
    ...(message !== undefined && { message }),
  })
}

/** Returns the results of each leg; `results` are those of {@link ordersOf}, in that order. */
export function legResults(plan: BatchPlan, results: readonly SingleResult[]): LegResult[] {
  const rest = results.values()
  return plan.legs.map(({ shown, problem, split, orders }) => {
    let left = 0
    const ended = orders.flatMap(({ order, shown: shownOfOrder }) => {
      const { value: result } = rest.next()
      if (!result) return []
      if (codeOf(result) !== 'ok') left = exactQuantity(left + order.quantity)
      return [{ shown: shownOfOrder, result }]
    })
    return {
      shown,
      ...(problem !== undefined && { problem }),
      ...(split && { split, ...(left > 0 && { left }) }),
      orders: ended,
    }
  })
}
