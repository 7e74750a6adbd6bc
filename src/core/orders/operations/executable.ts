import type { z } from 'zod'
import {
  cancelOrderPayload,
  closePositionsPayload,
  modifyOrderPayload,
  wholeAccountPayload,
} from '../change/schema.js'
import { cancelGttPayload, modifyGttPayload, placeGttPayload } from '../gtt/schema.js'
import type { MultiOrderKind, Planned } from '../multi/kind.js'
import { QUEUEABLE_KINDS } from '../multi/queueable-kinds.js'
import type { OrderPath } from '../order-path.js'
import type { PlaceContext } from '../ports.js'
import type { OrderResult } from '../result.js'
import { placeOrderPayload } from '../schema.js'
import type { OrderOperationName } from './order-operations.js'

/** The services that execute operations. */
export type OrderServices = Pick<OrderPath, 'single' | 'multi' | 'changes' | 'gtts'>

type Call<P, R = OrderResult> = (orders: OrderServices, payload: P, context: PlaceContext) => Promise<R>
type Bound<R> = (orders: OrderServices, context: PlaceContext) => Promise<R>

/** Reads a request with the given schema. @throws ServiceError `validation` */
type ReadWith = <S extends z.ZodType>(schema: S) => z.output<S>

/** A validated request. It can be executed or previewed. */
export interface OpenedRequest {
  payload: object
  run: Bound<OrderResult>
  /** Returns what would happen and executes nothing. Undefined for an operation without a preview. */
  preview: Bound<OrderResult> | undefined
  /** Returns the orders that it would send. Undefined for an operation that does not become other orders. */
  plan: Bound<Planned> | undefined
}

/** An operation that can be executed. */
interface ExecutableOperation {
  /** Returns a request, read without its credential. */
  open(read: ReadWith): OpenedRequest
}

/** How the order path executes a payload of one kind. */
interface Execution<P extends object> {
  payload: z.ZodType<P>
  run: Call<P>
  preview?: Call<P>
  plan?: Call<P, Planned>
  /** True if it stores the rows that come first itself, together with its own. They are stored before any other one runs. */
  storesFirst?: true
}

function executable<P extends object>(execution: Execution<P>): ExecutableOperation {
  const { payload: schema, run, preview, plan, storesFirst } = execution
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

/** Returns the operation of requests that become other orders: their kind has the payload and makes the plan. */
function ofKind<P extends object>(kind: MultiOrderKind<P>): ExecutableOperation {
  return executable({
    payload: kind.payload,
    run: ({ multi }, payload, context) => multi.submit(kind, payload, context),
    plan: ({ multi }, payload, context) => multi.plan(kind, payload, context),
  })
}

/** The payload of each operation, and the call of the order path that executes it. */
export const EXECUTABLE: Readonly<Record<OrderOperationName, ExecutableOperation>> = {
  placeorder: executable({
    payload: placeOrderPayload,
    run: ({ single }, payload, context) => single.place(payload, context),
    preview: ({ single }, payload, context) => single.preview(payload, context),
    storesFirst: true,
  }),
  placesmartorder: ofKind(QUEUEABLE_KINDS.placesmartorder),
  basketorder: ofKind(QUEUEABLE_KINDS.basketorder),
  splitorder: ofKind(QUEUEABLE_KINDS.splitorder),
  optionsorder: ofKind(QUEUEABLE_KINDS.optionsorder),
  optionsmultiorder: ofKind(QUEUEABLE_KINDS.optionsmultiorder),
  modifyorder: executable({
    payload: modifyOrderPayload,
    run: ({ changes }, payload, context) => changes.modify(payload, context),
  }),
  cancelorder: executable({
    payload: cancelOrderPayload,
    run: ({ changes }, payload, context) => changes.cancel(payload, context),
  }),
  cancelallorder: executable({
    payload: wholeAccountPayload,
    run: ({ changes }, payload, context) => changes.cancelAll(payload, context),
  }),
  closeposition: executable({
    payload: closePositionsPayload,
    run: ({ changes }, payload, context) => changes.close(payload, context),
    plan: ({ changes }, payload, context) => changes.planClose(payload, context),
  }),
  placegttorder: executable({
    payload: placeGttPayload,
    run: ({ gtts }, payload, context) => gtts.place(payload, context),
  }),
  modifygttorder: executable({
    payload: modifyGttPayload,
    run: ({ gtts }, payload, context) => gtts.modify(payload, context),
  }),
  cancelgttorder: executable({
    payload: cancelGttPayload,
    run: ({ gtts }, payload, context) => gtts.cancel(payload, context),
  }),
}
