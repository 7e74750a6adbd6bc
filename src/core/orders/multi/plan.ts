import type { TradingMode } from '../../trading/index.js'
import { failure, type OrderResult, success } from '../result.js'
import type { PlaceOrderPayload } from '../schema.js'

type Body = Record<string, unknown>

/** One order of a request, and what the answer shows of it beside how it ended. */
export interface PlannedOrder {
  shown: Body
  order: PlaceOrderPayload
}

/** One entry of the answer. */
export interface PlannedLeg {
  shown: Body
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
  head: Body
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

/** The answer to the whole request; `ends` are those of {@link ordersOf}, in that order. */
export function answerOf(
  plan: BatchPlan,
  batchRef: string,
  mode: TradingMode,
  ends: readonly OrderResult[],
): OrderResult {
  const answer = ANSWERS[plan.shape](plan, batchRef, mode, ends)
  return ends.some((end) => end.code === 'outcome_unknown') ? { ...answer, inDoubt: true } : answer
}

const ANSWERS: Readonly<Record<Shape, typeof answerOf>> = {
  single: (plan, batchRef, mode, [end]) => {
    if (!end) throw new Error(`batch ${batchRef} of a single order has none`)
    if (end.code === 'ok') return success({ ...plan.head, ...end.body }, end.orderRef)
    return mode === 'analyze' ? { ...end, body: { ...end.body, mode } } : end
  },
  list: (plan, batchRef, _mode, ends) => success({ ...plan.head, results: resultsOf(plan, ends) }, batchRef),
  close: closeAnswer,
}

function resultsOf(plan: BatchPlan, ends: readonly OrderResult[]): Body[] {
  let next = 0
  return plan.legs.map((leg) => {
    if (leg.problem !== undefined) return { ...leg.shown, status: 'error', message: leg.problem }
    const results = leg.orders.map((planned) => ({ ...planned.shown, ...ends[next++]?.body }))
    if (!leg.split) return { ...leg.shown, ...results[0] }
    const placed = results.some((result) => result.status === 'success')
    return { ...leg.shown, status: placed ? 'success' : 'error', ...leg.split, split_results: results }
  })
}

/** Names each position that stays open, with the reason; the public system answers success whatever happened. */
export function closeAnswer(
  plan: BatchPlan,
  batchRef: string | undefined,
  _mode: TradingMode,
  ends: readonly OrderResult[],
): OrderResult {
  const failed = ends.filter(({ code }) => code !== 'ok')
  const stayed = failed.length + plan.legs.filter((leg) => leg.problem !== undefined).length
  const counts = { closed_positions: ends.length - failed.length, failed_closures: stayed }
  if (stayed === 0) return success({ message: 'All Open Positions Squared Off', ...counts }, batchRef)
  const told = { ...counts, results: resultsOf(plan, ends) }
  const first = failed.find((end) => end.code === 'outcome_unknown') ?? failed[0]
  if (counts.closed_positions > 0 || !first) {
    const message = `Closed ${counts.closed_positions} positions (Failed to close ${stayed} positions)`
    return success({ message, ...told }, batchRef)
  }
  const { code, status } = first
  return failure(code === 'ok' ? 'internal' : code, status, 'Failed to close positions', told, batchRef)
}
