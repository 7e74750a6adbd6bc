import type { z } from 'zod'
import type { Body, OrderCall } from '../../core/flows/index.js'
import {
  basketOrderPayload,
  cancelOrderPayload,
  closePositionsPayload,
  modifyOrderPayload,
  type OrderPath,
  type OrderResult,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  type PlaceContext,
  placeOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
  wholeAccountPayload,
} from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'

/** The orders of the order path that flows knock at. */
export type FlowOrderServices = Pick<OrderPath, 'single' | 'multi' | 'changes'>

type Send = (orders: FlowOrderServices, context: PlaceContext) => Promise<OrderResult>

/** Reads a body as its endpoint does. @throws ServiceError `validation` */
type Open = (body: Body) => Send

function call<P>(
  schema: z.ZodType<P>,
  send: (orders: FlowOrderServices, payload: P, context: PlaceContext) => Promise<OrderResult>,
): Open {
  return (body) => {
    const payload = parseWith(schema, body)
    return (orders, context) => send(orders, payload, context)
  }
}

/** Where each call goes: to the same door as its endpoint, with the same body but for the credential. */
export const ORDER_CALLS: Readonly<Record<OrderCall, Open>> = {
  placeorder: call(placeOrderPayload, ({ single }, payload, context) => single.place(payload, context)),
  placesmartorder: call(smartOrderPayload, ({ multi }, payload, context) => multi.smart(payload, context)),
  basketorder: call(basketOrderPayload, ({ multi }, payload, context) => multi.basket(payload, context)),
  splitorder: call(splitOrderPayload, ({ multi }, payload, context) => multi.split(payload, context)),
  optionsorder: call(optionsOrderPayload, ({ multi }, payload, context) => multi.options(payload, context)),
  optionsmultiorder: call(optionsMultiOrderPayload, ({ multi }, payload, context) =>
    multi.optionsMulti(payload, context),
  ),
  modifyorder: call(modifyOrderPayload, ({ changes }, payload, context) => changes.modify(payload, context)),
  cancelorder: call(cancelOrderPayload, ({ changes }, payload, context) => changes.cancel(payload, context)),
  cancelallorder: call(wholeAccountPayload, ({ changes }, payload, context) =>
    changes.cancelAll(payload, context),
  ),
  closeposition: call(closePositionsPayload, ({ changes }, payload, context) =>
    changes.close(payload, context),
  ),
}
