import type { TradingMode } from '../../risk/index.js'
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

/** One order of a request, and what the answer shows of it beside how it ended. */
export interface PlannedOrder {
  shown: Shown
  order: PlaceOrderPayload
}

/** One entry of the answer. */
export interface PlannedLeg {
  shown: Shown
  /** Why nothing is sent for it. */
  problem?: string
  orders: readonly PlannedOrder[]
  /** A leg in several orders shows them one by one, below these totals. */
  split?: { total_quantity: number; split_size: number }
}

/** How the ends of the orders become one answer. */
type Shape = 'single' | 'list' | 'close'

/**
 * What a request became: orders, and the frame of its answer. It is stored before the first order is sent, so
 * that the answer can be made up from the journal at any time.
 */
export interface BatchPlan {
  shape: Shape
  /** Members of the answer beside the results. */
  head: Shown
  legs: readonly PlannedLeg[]
}

/** When the orders go out, by their places in the plan: a wave together, the next when it has been answered. */
export interface Pacing {
  waves: readonly (readonly number[])[]
  pauseMs: number
  /** Orders between two pauses. */
  perPause: number
}

/** A plan that is about to be carried out. */
export interface ExecutionPlan {
  plan: BatchPlan
  pacing: Pacing
  /** False for orders that only reduce what is held: they pass when trading is stopped. */
  gated: boolean
  /**
   * Whether what a crash kept from being sent may still be sent when the caller asks again. Not where it was worked
   * out from the positions of that moment: they may be others by then.
   */
  resumable: boolean
}

/** A plan as it was stored, with the ids of its orders where these are rows of the sandbox. */
export interface StoredPlan extends ExecutionPlan {
  orderIds?: readonly string[] | undefined
}

export function ordersOf(plan: BatchPlan): PlannedOrder[] {
  return plan.legs.flatMap((leg) => leg.orders)
}

/** Every order alone, with a pause between each and the next. */
export function oneByOne(count: number, pauseMs: number): Pacing {
  return { waves: Array.from({ length: count }, (_, index) => [index]), pauseMs, perPause: 1 }
}

/** Orders sent to a broker between two pauses, and the pause that keeps them under ten a second. */
export const WAVE = 10
export const WAVE_PAUSE_MS = 1000

/** All orders at once, in this order: the sandbox takes them in one decision. */
export function atOnce(places: readonly number[]): Pacing {
  return { waves: places.length === 0 ? [] : [places], pauseMs: 0, perPause: places.length }
}

/** Every order alone, as fast as brokers take them. */
export function tenASecond(count: number): Pacing {
  return { ...oneByOne(count, WAVE_PAUSE_MS), perPause: WAVE }
}

/** The part of a pacing that concerns some places of the plan. */
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
  if (stillOpen === 0) return { ...common, message: ALL_CLOSED }
  const legs = legResults(plan, results)
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
