import type { OrderUpdate } from '../../events/index.js'
import { istDateTime } from '../../time/index.js'
import { isObject } from '../../validation/index.js'
import { positive } from './reading.js'

/** The `webhook` variable of a run that a monitor started. */
export interface PriceAlertPayload {
  trigger_type: 'price_alert'
  trigger_price: number
  triggered_at: string
}

export interface OrderUpdatePayload
  extends Pick<
    OrderUpdate,
    | 'orderid'
    | 'symbol'
    | 'exchange'
    | 'order_status'
    | 'filled_quantity'
    | 'average_price'
    | 'rejection_reason'
  > {
  trigger_type: 'order_update'
  triggered_at: string
}

export function priceAlertPayload(ltp: number, at: number): PriceAlertPayload {
  return { trigger_type: 'price_alert', trigger_price: ltp, triggered_at: istIso(at) }
}

export function orderUpdatePayload(event: OrderUpdate, at: number): OrderUpdatePayload {
  const { orderid, symbol, exchange, order_status, filled_quantity, average_price, rejection_reason } = event
  return {
    trigger_type: 'order_update',
    orderid,
    symbol,
    exchange,
    order_status,
    filled_quantity,
    average_price,
    rejection_reason,
    triggered_at: istIso(at),
  }
}

/** Returns the price at which the monitor started a run; undefined if the monitor did not start it. */
export function triggerPriceOf(payload: unknown): number | undefined {
  if (!isObject(payload) || payload.trigger_type !== 'price_alert') return undefined
  return positive(payload.trigger_price)
}

/** Formats an instant as `YYYY-MM-DDTHH:MM:SS+05:30`. */
function istIso(at: number): string {
  return `${istDateTime(at).replace(' ', 'T')}+05:30`
}
