import type { z } from 'zod'
import type { Body, OrderCall } from '../../core/flows/index.js'
import {
  type Answer,
  basketOrderPayload,
  cancelOrderPayload,
  closePositionsPayload,
  modifyOrderPayload,
  type OrderPath,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  type PlaceContext,
  placeOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
  wholeAccountPayload,
} from '../../core/orders/index.js'
import { parseWith } from '../../core/validation/index.js'

/** The doors of the order path that flows knock at. */
export type FlowDoors = Pick<OrderPath, 'desk' | 'composites' | 'changes'>

type Send = (doors: FlowDoors, context: PlaceContext) => Promise<Answer>

/** Reads a body as its endpoint does. @throws ServiceError `validation` */
type Open = (body: Body) => Send

function door<P>(
  schema: z.ZodType<P>,
  send: (doors: FlowDoors, payload: P, context: PlaceContext) => Promise<Answer>,
): Open {
  return (body) => {
    const payload = parseWith(schema, body)
    return (doors, context) => send(doors, payload, context)
  }
}

/** Where each call goes: to the same door as its endpoint, with the same body but for the credential. */
export const ORDER_DOORS: Readonly<Record<OrderCall, Open>> = {
  placeorder: door(placeOrderPayload, ({ desk }, payload, context) => desk.place(payload, context)),
  placesmartorder: door(smartOrderPayload, ({ composites }, payload, context) =>
    composites.smart(payload, context),
  ),
  basketorder: door(basketOrderPayload, ({ composites }, payload, context) =>
    composites.basket(payload, context),
  ),
  splitorder: door(splitOrderPayload, ({ composites }, payload, context) =>
    composites.split(payload, context),
  ),
  optionsorder: door(optionsOrderPayload, ({ composites }, payload, context) =>
    composites.options(payload, context),
  ),
  optionsmultiorder: door(optionsMultiOrderPayload, ({ composites }, payload, context) =>
    composites.optionsMulti(payload, context),
  ),
  modifyorder: door(modifyOrderPayload, ({ changes }, payload, context) => changes.modify(payload, context)),
  cancelorder: door(cancelOrderPayload, ({ changes }, payload, context) => changes.cancel(payload, context)),
  cancelallorder: door(wholeAccountPayload, ({ changes }, payload, context) =>
    changes.cancelAll(payload, context),
  ),
  closeposition: door(closePositionsPayload, ({ changes }, payload, context) =>
    changes.close(payload, context),
  ),
}
