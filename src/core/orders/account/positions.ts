import type { BrokerClient, BrokerOrder, BrokerPosition } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import type { PositionRef } from '../ports.js'

/** What a broker has of an account now: positions, and the orders that may yet change them. */
export interface BrokerAccount {
  positions: BrokerPosition[]
  orders: BrokerOrder[]
}

/** Readings after which the orders of a position are taken to move without end. */
const MOST_READINGS = 10
const STILL_MOVING = 'Orders of this position are being filled at this moment. Nothing was sent; try again.'

/**
 * Read at this moment, never from a cache, since orders depend on it. A fill that falls between two readings is in
 * neither, or in both; so the positions count only between two readings of the orders that `concern` the caller and are
 * alike. What cannot be read so is refused, since an order that rests on it might trade twice.
 * @throws ServiceError of the broker, or `unavailable`
 */
export async function accountAt(
  { orders, portfolio }: BrokerClient,
  concerns: (row: PositionRef) => boolean,
): Promise<BrokerAccount> {
  const fills = (rows: readonly BrokerOrder[]) =>
    JSON.stringify(
      rows.filter(concerns).map(({ orderId, status, filledQuantity }) => [orderId, status, filledQuantity]),
    )
  try {
    let before = await orders.list()
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const positions = await portfolio.positions()
      const after = await orders.list()
      if (fills(before) === fills(after)) return { positions, orders: after }
      before = after
    }
  } catch (error) {
    throw brokerFailure(error)
  }
  throw new ServiceError('unavailable', STILL_MOVING)
}

/** Whether a position or an order is in this symbol, exchange and product. */
export function isIn(row: PositionRef, { symbol, exchange, product }: PositionRef): boolean {
  return row.symbol === symbol && row.exchange === exchange && row.product === product
}

/** Signed quantity that MARKET orders already at the broker are about to add to a position. */
export function onTheWay(orders: readonly BrokerOrder[], ref: PositionRef): number {
  return orders
    .filter((order) => order.priceType === 'MARKET' && order.status === 'open' && isIn(order, ref))
    .reduce(
      (sum, { action, pendingQuantity }) => sum + (action === 'BUY' ? pendingQuantity : -pendingQuantity),
      0,
    )
}
