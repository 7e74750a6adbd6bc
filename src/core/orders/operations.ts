import type { z } from 'zod'
import type { OrderOperationName } from '../operations/index.js'
import type { Answer } from './answer.js'
import {
  cancelOrderPayload,
  closePositionsPayload,
  modifyOrderPayload,
  wholeAccountPayload,
} from './change-schema.js'
import type { Planned } from './composite.js'
import {
  basketOrderPayload,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
} from './composite-schema.js'
import { cancelGttPayload, modifyGttPayload, placeGttPayload } from './gtt-schema.js'
import type { OrderPath } from './order-path.js'
import type { PlaceContext } from './ports.js'
import { placeOrderPayload } from './schema.js'

/** What executes operations. */
export type OrderDesks = Pick<OrderPath, 'desk' | 'composites' | 'changes' | 'gtts'>

type Call<P, R = Answer> = (desks: OrderDesks, payload: P, context: PlaceContext) => Promise<R>
type Bound<R> = (desks: OrderDesks, context: PlaceContext) => Promise<R>

/** Reads a request with the schema it is given. @throws ServiceError `validation` */
export type ReadWith = <S extends z.ZodType>(schema: S) => z.output<S>

/** A request that has been read and may be executed, or be asked what it would do. */
export interface OpenedRequest {
  payload: object
  run: Bound<Answer>
  /** Tells what would happen and executes nothing. Undefined for an operation that cannot tell. */
  preview: Bound<Answer> | undefined
  /** The orders it would become. Undefined for an operation that becomes none. */
  plan: Bound<Planned> | undefined
}

/** How an operation is executed. */
export interface ExecutableOperation {
  /** A request, without the credential. */
  payload: z.ZodType
  open(read: ReadWith): OpenedRequest
  /** The same for callers inside the service, who may say more than the public ones. */
  openInside(read: ReadWith): OpenedRequest
}

interface Parts<P extends object, Inside extends P> {
  payload: z.ZodType<P>
  /** What callers inside the service may say, where that is more. */
  inside?: z.ZodType<Inside>
  run: Call<P | Inside>
  preview?: Call<P>
  plan?: Call<P, Planned>
}

function executable<P extends object, Inside extends P>(parts: Parts<P, Inside>): ExecutableOperation {
  const { payload: schema, inside = schema, run, preview, plan } = parts
  const opened = (payload: P | Inside): OpenedRequest => ({
    payload,
    run: (desks, context) => run(desks, payload, context),
    preview: preview && ((desks, context) => preview(desks, payload, context)),
    plan: plan && ((desks, context) => plan(desks, payload, context)),
  })
  return {
    payload: schema,
    open: (read) => opened(read(schema)),
    openInside: (read) => opened(read(inside)),
  }
}

/** What each operation takes, and the one call of the order path that executes it. */
export const EXECUTABLE: Readonly<Record<OrderOperationName, ExecutableOperation>> = {
  placeorder: executable({
    payload: placeOrderPayload,
    run: ({ desk }, payload, context) => desk.place(payload, context),
    preview: ({ desk }, payload, context) => desk.preview(payload, context),
  }),
  placesmartorder: executable({
    payload: smartOrderPayload,
    run: ({ composites }, payload, context) => composites.smart(payload, context),
    plan: ({ composites }, payload, context) => composites.plan('smartorder', context, payload),
  }),
  basketorder: executable({
    payload: basketOrderPayload,
    run: ({ composites }, payload, context) => composites.basket(payload, context),
    plan: ({ composites }, payload, context) => composites.plan('basketorder', context, payload),
  }),
  splitorder: executable({
    payload: splitOrderPayload,
    run: ({ composites }, payload, context) => composites.split(payload, context),
    plan: ({ composites }, payload, context) => composites.plan('splitorder', context, payload),
  }),
  optionsorder: executable({
    payload: optionsOrderPayload,
    run: ({ composites }, payload, context) => composites.options(payload, context),
    plan: ({ composites }, payload, context) => composites.plan('optionsorder', context, payload),
  }),
  optionsmultiorder: executable({
    payload: optionsMultiOrderPayload,
    run: ({ composites }, payload, context) => composites.optionsMulti(payload, context),
    plan: ({ composites }, payload, context) => composites.plan('optionsmultiorder', context, payload),
  }),
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
    payload: wholeAccountPayload,
    inside: closePositionsPayload,
    run: ({ changes }, payload, context) => changes.close(payload, context),
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
