import type { z } from 'zod'
import type { CancelOrderPayload, ModifyOrderPayload, WholeAccountPayload } from '../change/schema.js'
import type { CancelGttPayload, ModifyGttPayload, PlaceGttPayload } from '../gtt/schema.js'
import type { ClosePayload } from '../multi/close.js'
import type { MultiOrderKind, Planned } from '../multi/kind.js'
import type { PlaceContext } from '../ports.js'
import type { OrderResult, PreviewedOrders } from '../result.js'
import type { OrderPayload, PlaceOrderPayload } from '../schema.js'

type Call<P, R = OrderResult> = (payload: P, context: PlaceContext) => Promise<R>

/**
 * The services that execute operations, which the order path is. They stand here because those services read the
 * definitions: a definition that named their classes would import its own readers.
 */
export interface ExecutingServices {
  single: {
    place: Call<PlaceOrderPayload>
    preview: Call<PlaceOrderPayload>
    previewAll(orders: readonly OrderPayload[], context: PlaceContext): Promise<PreviewedOrders>
    /** Returns the value in rupees of one order; undefined if no price is known. */
    valueOf(order: OrderPayload): Promise<number | undefined>
  }
  multi: {
    submit<P extends object>(kind: MultiOrderKind<P>, payload: P, context: PlaceContext): Promise<OrderResult>
    plan<P extends object>(kind: MultiOrderKind<P>, payload: P, context: PlaceContext): Promise<Planned>
    preview<P extends object>(
      kind: MultiOrderKind<P>,
      payload: P,
      context: PlaceContext,
      single: Pick<ExecutingServices['single'], 'previewAll'>,
    ): Promise<OrderResult>
  }
  changes: {
    modify: Call<ModifyOrderPayload>
    cancel: Call<CancelOrderPayload>
    cancelAll: Call<WholeAccountPayload>
    close: Call<ClosePayload>
    planClose: Call<ClosePayload, Planned>
  }
  gtts: {
    place: Call<PlaceGttPayload>
    modify: Call<ModifyGttPayload>
    cancel: Call<CancelGttPayload>
  }
}

type ServiceCall<P, R = OrderResult> = (
  orders: ExecutingServices,
  payload: P,
  context: PlaceContext,
) => Promise<R>
type Bound<R> = (orders: ExecutingServices, context: PlaceContext) => Promise<R>

/** Reads a request with the given schema. @throws ServiceError `validation` */
export type ReadWith = <S extends z.ZodType>(schema: S) => z.output<S>

/** A validated request. It can be executed or previewed. */
export interface OpenedRequest {
  payload: object
  run: Bound<OrderResult>
  /** Returns what would happen and executes nothing. Undefined for an operation without a preview. */
  preview: Bound<OrderResult> | undefined
  /** Returns the orders that it would send. Undefined for an operation that does not become other orders. */
  plan: Bound<Planned> | undefined
}

/** How an operation is executed. */
export interface Execution {
  /** Returns a request, read without its credential. */
  open(read: ReadWith): OpenedRequest
}

/** What approves and executes a request that waited: one order, one GTT, or the orders of a plan. */
type Approved<N extends string> = 'order' | 'gtt' | MultiOrderKind<object, N>

/** How an operation is executed that may wait for approval. */
export interface QueueableExecution<N extends string = string> extends Execution {
  approved: Approved<N>
}

interface Calls<P extends object> {
  payload: z.ZodType<P>
  run: ServiceCall<P>
  preview?: ServiceCall<P>
  plan?: ServiceCall<P, Planned>
  /** True if it stores the rows that come first itself, together with its own. They are stored before any other one runs. */
  storesFirst?: true
}

/** Returns the execution of an operation by calls of the order path. */
export function calls<P extends object>({
  payload: schema,
  run,
  preview,
  plan,
  storesFirst,
}: Calls<P>): Execution {
  const opened = (payload: P): OpenedRequest => ({
    payload,
    run: (orders, context) => {
      const first = storesFirst ? undefined : context.first
      return first ? first.store().then(() => run(orders, payload, context)) : run(orders, payload, context)
    },
    preview: preview && ((orders, context) => preview(orders, payload, context)),
    plan: plan && ((orders, context) => plan(orders, payload, context)),
  })
  return { open: (read) => opened(read(schema)) }
}

/** Returns the same execution, for an operation whose approved requests are one order or one GTT. */
export function queueable(
  approved: 'order' | 'gtt',
  { open }: Execution,
): Execution & { approved: 'order' | 'gtt' } {
  return { open, approved }
}

/** Returns the execution of requests that become other orders: their kind has the payload and makes the plan. */
export function becomes<P extends object, N extends string>(
  kind: MultiOrderKind<P, N>,
): QueueableExecution<N> {
  const { open } = calls({
    payload: kind.payload,
    run: ({ multi }, payload, context) => multi.submit(kind, payload, context),
    plan: ({ multi }, payload, context) => multi.plan(kind, payload, context),
    preview: ({ multi, single }, payload, context) => multi.preview(kind, payload, context, single),
  })
  return { open, approved: kind }
}
