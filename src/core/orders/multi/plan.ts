import type { TradingMode } from '../../trading/index.js'
import {
  type ClosedResult,
  codeOf,
  type LegResult,
  markedWith,
  type OrderResult,
  type Shown,
  type SingleResult,
} from '../result.js'
import type { PlaceOrderPayload } from '../schema.js'

/** One order of a request, and the members that the answer shows beside its result. */
export interface PlannedOrder {
  shown: Shown
  order: PlaceOrderPayload
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
  /**
   * True when a retry may send the orders that a crash left unsent. False when the orders were computed from
   * the positions at that time: the positions may have changed since.
   */
  resumable: boolean
}

/** A stored plan. In Analyzer mode it has the ids of its orders, which are rows of the sandbox. */
export interface StoredPlan extends ExecutionPlan {
  orderIds?: readonly string[] | undefined
}

export function ordersOf(plan: BatchPlan): PlannedOrder[] {
  return plan.legs.flatMap((leg) => leg.orders)
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
  if (plan.shape === 'close') return resultOfClose(plan, batchRef, results)
  if (plan.shape === 'list') {
    return { outcome: 'executed', shown: plan.head, legs: legResults(plan, results), orderRef: batchRef }
  }
  const [only] = results
  if (!only) throw new Error(`batch ${batchRef} of a single order has none`)
  return codeOf(only) === 'ok' ? { ...only, shown: plan.head } : markedWith(mode, only)
}

export const ALL_CLOSED = 'All Open Positions Squared Off'

/**
 * Returns the result of a close. It names each position that stays open, with the reason; the public system
 * answers success in every case.
 */
export function resultOfClose(
  plan: BatchPlan,
  batchRef: string | undefined,
  results: readonly SingleResult[],
): ClosedResult {
  const failed = results.flatMap((result) =>
    result.outcome === 'placed' || result.outcome === 'previewed' ? [] : [result],
  )
  const closed = results.length - failed.length
  const stillOpen = failed.length + plan.legs.filter((leg) => leg.problem !== undefined).length
  const common = { outcome: 'closed', closed, stillOpen, orderRef: batchRef } as const
  const legs = legResults(plan, results)
  // A close of one position names its order.
  const isNamed = Object.keys(plan.head).length > 0
  if (stillOpen === 0) return { ...common, message: ALL_CLOSED, ...(isNamed && { legs }) }
  const failure = failed.find(({ outcome }) => outcome === 'in_doubt') ?? failed[0]
  if (closed > 0 || !failure) {
    const message = `Closed ${closed} positions (Failed to close ${stillOpen} positions)`
    return { ...common, message, legs }
  }
  return { ...common, message: 'Failed to close positions', legs, failure }
}

function legResults(plan: BatchPlan, results: readonly SingleResult[]): LegResult[] {
  const rest = results.values()
  return plan.legs.map(({ shown, problem, split, orders }) => ({
    shown,
    ...(problem !== undefined && { problem }),
    ...(split && { split }),
    orders: orders.flatMap((planned) => {
      const { value: result } = rest.next()
      return result ? [{ shown: planned.shown, result }] : []
    }),
  }))
}
