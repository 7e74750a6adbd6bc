import { type ErrorCode, type ErrorFacts, factsOf, type ServiceError } from '../errors/index.js'
import { exactQuantity } from '../money/index.js'
import type { TradingMode } from '../trading/index.js'
import { type OrderEnd, UNKNOWN_OUTCOME } from './end.js'
import type { OrderPayload } from './schema.js'

/** Members that an answer shows as they are, under their public names. */
export type Shown = Readonly<Record<string, unknown>>

interface Common {
  /** Our reference of the order or of the whole request. */
  orderRef?: string
  /** Present when the request ran in Analyzer mode and its answer says so. */
  mode?: 'analyze'
  /** A crash or a stop left some of several orders unsent. A retry in time sends them. */
  unfinished?: true
  shown?: Shown
}

/** An order or a GTT that the broker or the sandbox accepted. */
interface PlacedResult extends Common {
  outcome: 'placed'
  orderId: string
  /** The id is that of a trigger. */
  isGtt?: true
}

/** A request that certainly changed nothing. {@link OrderEnd} explains the two outcomes. */
export interface UnplacedResult extends Common, ErrorFacts {
  outcome: 'refused' | 'not_sent'
  message: string
  /** The rule of the risk gate that refused it. */
  rule?: string
  /** The sandbox keeps orders it rejects. */
  orderId?: string
  isGtt?: true
}

/** A request that may have reached the broker. */
interface InDoubtResult extends Common {
  outcome: 'in_doubt'
  message: string
  /** A change of several calls failed after its first one, and the message says what is done: no other result will follow. */
  isHalfDone?: true
}

/** The effect an order would have. */
interface OrderPreview {
  mode: TradingMode | 'semi_auto'
  order: OrderPayload
  lastPrice: number | undefined
  /** The value of the order in rupees; undefined without a price. */
  value: number | undefined
  margin: number | undefined
  /** The verdict of every risk rule, and of the rules of the instrument. */
  checks: readonly { rule: string; ok: boolean; message?: string | undefined }[]
  /** The fields of the request that have no effect, one sentence each. */
  notes: readonly string[]
}

/** An order that was previewed and not sent. A dry run of a workflow gives it an id. */
export interface PreviewedResult extends Common {
  outcome: 'previewed'
  preview: OrderPreview
  orderId?: string
}

/** The orders of one request, previewed in the order in which they would be sent. */
export interface PreviewedOrders {
  previews: readonly (PreviewedResult | UnplacedResult)[]
  /** The margin of those that would be placed, together; undefined when it is not known. */
  margin: number | undefined
}

/** A request of several orders that was previewed and not sent. */
export interface RehearsedResult extends Common {
  outcome: 'rehearsed'
  preview: { mode: TradingMode | 'semi_auto'; margin: number | undefined }
  legs: readonly LegResult[]
}

/** The result of one order. */
export type SingleResult = PlacedResult | UnplacedResult | InDoubtResult | PreviewedResult

/** The results of one leg of a request: none when it had a problem, several when it was split. */
export interface LegResult {
  shown: Shown
  /** The reason why nothing was sent for it. */
  problem?: string
  split?: { total_quantity: number; split_size: number }
  /** The part of a split quantity that was not ordered for certain. Absent if all of it was. */
  left?: number
  orders: readonly { shown: Shown; result: SingleResult }[]
}

/** A request of several orders. */
interface ExecutedResult extends Common {
  outcome: 'executed'
  legs: readonly LegResult[]
}

/** Why a request was not executed, or not all of it. */
export type Failure = UnplacedResult | InDoubtResult

/** A close of positions. The answer is a success only if no position stays open. */
export interface ClosedResult extends Common {
  outcome: 'closed'
  message: string
  closed: number
  stillOpen: number
  /** Each position, when one of them stays open or was closed in pieces. */
  legs?: readonly LegResult[]
  /** The ids of all its orders, also of those that the broker refused. */
  orderIds: readonly string[]
  /** Why a position stays open. */
  failure?: Failure
}

/** One order in several pieces, because the exchange takes no larger one. It is a success only if all were placed. */
interface SlicedResult extends Common {
  outcome: 'sliced'
  legs: readonly [LegResult]
  /** The id of the first piece that was placed. */
  orderId?: string
  failure?: Failure
  /** Present together with the failure. */
  message?: string
}

/** A change of an order or a trigger. */
export interface ChangedResult extends Common {
  outcome: 'changed'
  orderId: string
  isGtt?: true
  message?: string
}

export interface AllCancelledResult extends Common {
  outcome: 'all_cancelled'
  message: string
  cancelled: readonly string[]
  failed: readonly { orderid: string; message: string }[]
}

/** A request that waits for approval. */
export interface QueuedResult extends Common {
  outcome: 'queued'
  pendingOrderId: number
  /** Why an approval would be refused at the time of the answer. */
  warning?: string
}

/** A request that needed no order. */
interface NoActionResult extends Common {
  outcome: 'no_action'
  message: string
}

/**
 * The result of a request to the order path, in facts. The daemon renders the answer and the events from it.
 */
export type OrderResult =
  | SingleResult
  | ExecutedResult
  | RehearsedResult
  | ClosedResult
  | SlicedResult
  | ChangedResult
  | AllCancelledResult
  | QueuedResult
  | NoActionResult

/** Returns the result of a request of one order. `isGtt` says that the id is that of a trigger. */
export function resultOfEnd(end: OrderEnd, isGtt = false): PlacedResult | UnplacedResult | InDoubtResult {
  const { outcome, orderRef } = end
  // Nearly every order ends here. The members are written out because a spread costs ten times as much.
  if (outcome === 'placed' && !isGtt && orderRef !== '') return { outcome, orderId: end.orderId, orderRef }
  const named = { ...(orderRef !== '' && { orderRef }), ...(isGtt && { isGtt }) }
  if (outcome === 'in_doubt') return { outcome, message: UNKNOWN_OUTCOME, ...named }
  if (outcome === 'placed') return { outcome, orderId: end.orderId, ...named }
  const { message, rule, orderId } = end
  return {
    outcome,
    message,
    ...factsOf(end),
    ...(rule !== undefined && { rule }),
    ...(orderId !== undefined && { orderId }),
    ...named,
  }
}

/** The members of a placed order beside its id, its reference and its mode. */
type More = Required<Omit<PlacedResult, 'outcome' | 'orderId' | 'orderRef' | 'mode'>>

/** Returns whether a result says only that an order was placed, under which id. */
export function isPlainlyPlaced(result: OrderResult): result is PlacedResult {
  if (result.outcome !== 'placed') return false
  const { isGtt, shown, unfinished } = result
  // A new member of the result must be looked at here: Analyzer mode answers a plain result by its id alone.
  const more = { isGtt, shown, unfinished } satisfies Record<keyof More, unknown>
  return !more.isGtt && !more.unfinished && more.shown === undefined
}

/** Returns the result of a request that was refused before anything was sent. */
export function refusal(code: ErrorCode, message: string): UnplacedResult {
  return { outcome: 'refused', code, message }
}

/** Returns the result of a request that was not sent for a reason of this service. */
export function notSent(code: ErrorCode, message: string): UnplacedResult {
  return { outcome: 'not_sent', code, message }
}

/** Returns the result of a request whose error proves that nothing was changed. */
export function resultOfError(error: ServiceError): UnplacedResult {
  const { code, extra, message } = error
  return {
    ...notSent(code, message),
    ...factsOf(error),
    ...(Object.keys(extra).length > 0 && { shown: extra }),
  }
}

/** Returns the result with the mark of Analyzer mode, in that mode. */
export function markedWith<R extends OrderResult>(mode: TradingMode, result: R): R {
  return mode === 'analyze' ? { ...result, mode } : result
}

/** Returns `ok`, or the code of the failure. */
export function codeOf(result: OrderResult): 'ok' | ErrorCode {
  switch (result.outcome) {
    case 'refused':
    case 'not_sent':
      return result.code
    case 'in_doubt':
      return 'outcome_unknown'
    case 'closed':
    case 'sliced':
      return result.failure ? codeOf(result.failure) : 'ok'
    default:
      return 'ok'
  }
}

/** Returns the sentence of a result; empty for a result without one. */
export function messageOfResult(result: OrderResult): string {
  return 'message' in result ? (result.message ?? '') : ''
}

/** Returns whether an order of the request is in doubt: another result will follow for its key. */
export function isInDoubt(result: OrderResult): boolean {
  if (result.outcome === 'in_doubt') return !result.isHalfDone
  const legs = 'legs' in result ? (result.legs ?? []) : []
  return legs.some(({ orders }) => orders.some((order) => order.result.outcome === 'in_doubt'))
}

/** Returns whether an order that was previewed would be placed. */
export function isPassed(result: SingleResult): result is PreviewedResult {
  return result.outcome === 'previewed' && result.preview.checks.every(({ ok }) => ok)
}

/** Returns whether an order of a leg was placed. Only a split leg has more than one order. */
export function isPlaced({ orders }: LegResult): boolean {
  return orders.some(({ result }) => codeOf(result) === 'ok')
}

/** Returns whether every order of a leg was placed. */
export function isWhole({ orders, problem }: LegResult): boolean {
  return problem === undefined && orders.every(({ result }) => codeOf(result) === 'ok')
}

/** Returns why an order of these legs was not placed: a doubt first. Undefined if all were. */
export function failureIn(legs: readonly LegResult[]): Failure | undefined {
  const failed = legs.flatMap(({ orders }) =>
    orders.flatMap(({ result }) =>
      result.outcome === 'placed' || result.outcome === 'previewed' ? [] : [result],
    ),
  )
  return failed.find(({ outcome }) => outcome === 'in_doubt') ?? failed[0]
}

/** Returns how much of a split leg was ordered, and why not all of it; undefined if all of it was. */
export function shortfallOf(leg: LegResult): string | undefined {
  const { left, split } = leg
  if (!split || left === undefined) return undefined
  const { total_quantity: total } = split
  const reason = failureIn([leg])?.message ?? ''
  return `Only ${exactQuantity(total - left)} of ${total} was ordered, ${left} is left: ${reason}`
}
