import type { BrokerClient, BrokerOrder, BrokerPosition } from '../brokers/broker.js'
import { brokerFailure } from '../brokers/index.js'
import type { PositionRef } from './ports.js'

/** What a broker has of an account now: positions, and the orders that may yet change them. */
export interface BrokerAccount {
  positions: BrokerPosition[]
  orders: BrokerOrder[]
}

/** Read at this moment, never from a cache, since orders depend on it. @throws ServiceError of the broker */
export async function accountAt({ orders, portfolio }: BrokerClient): Promise<BrokerAccount> {
  try {
    const [positions, listed] = await Promise.all([portfolio.positions(), orders.list()])
    return { positions, orders: listed }
  } catch (error) {
    throw brokerFailure(error)
  }
}

/** Whether a position or an order is in this symbol, exchange and product. */
export function isIn(row: BrokerPosition | BrokerOrder, { symbol, exchange, product }: PositionRef): boolean {
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
