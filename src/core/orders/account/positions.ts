import type { BrokerClient, BrokerOrder, BrokerPosition } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import { type PositionRef, WAITING, type WaitingTerms, waitAlike } from '../schema.js'

/** Symbol, exchange and product, as brokers and stored orders have them. */
export type PositionName = Readonly<Record<keyof PositionRef, string>>

/** The current positions of an account at a broker, and the orders that may still change them. */
export interface BrokerAccount {
  positions: BrokerPosition[]
  orders: BrokerOrder[]
}

/** The number of times we re-read a position's orders before we report them as still changing. */
const MOST_READINGS = 10
const STILL_MOVING = 'Orders of this position are being filled at this moment. Nothing was sent; try again.'

/**
 * Reads the account from the broker now, never from a cache, since orders depend on it. A fill between two
 * readings can be in neither or in both. So the positions count only between two equal readings of the orders
 * that `concern` the caller. Without two equal readings it refuses, since an order based on the result might
 * trade twice.
 * @throws ServiceError of the broker, or `unavailable`
 */
export async function accountAt(
  { orders, portfolio }: BrokerClient,
  concerns: (row: PositionName) => boolean,
): Promise<BrokerAccount> {
  const fills = (rows: readonly BrokerOrder[]) =>
    JSON.stringify(
      rows.filter(concerns).map(({ orderId, status, filledQuantity }) => [orderId, status, filledQuantity]),
    )
  try {
    let before = await orders.list('exit')
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const positions = await portfolio.positions('exit')
      const after = await orders.list('exit')
      if (fills(before) === fills(after)) return { positions, orders: after }
      before = after
    }
  } catch (error) {
    throw brokerFailure(error)
  }
  throw new ServiceError('unavailable', STILL_MOVING)
}

/** Half of the time that an exit waits for the comparison of its account. */
const LONGEST_FILL_WAIT_MS = 500
const FILL_PAUSE_MS = 50

/** Resolves when no order at the market is on its way for these positions, or after half a second. Never rejects. */
export async function untilFilled(
  refs: readonly PositionName[],
  broker: { client(): BrokerClient },
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<void> {
  const until = clock.monotonic() + LONGEST_FILL_WAIT_MS
  try {
    while (clock.monotonic() < until) {
      const orders = await broker.client().orders.list('exit')
      if (refs.every((ref) => onTheWay(orders, ref) === 0)) return
      await clock.sleep(FILL_PAUSE_MS)
    }
  } catch {
    // The next reading of the positions fails, too, and says why.
  }
}

/** The longest wait for orders that fill or end at this moment. Most cancellations come within this time. */
const LONGEST_END_WAIT_MS = 500
const END_PAUSE_MS = 50

/** Reads an account until nothing in it is awaited, or for half a second. */
export async function afterEndings(
  read: () => Promise<BrokerAccount>,
  isAwaited: (account: BrokerAccount) => boolean,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<BrokerAccount> {
  const until = clock.monotonic() + LONGEST_END_WAIT_MS
  for (;;) {
    const account = await read()
    if (!isAwaited(account) || clock.monotonic() >= until) return account
    await clock.sleep(END_PAUSE_MS)
  }
}

/**
 * Returns whether an order fills or ends at this moment, and would count: counted, it would swallow the next order and may end
 * unfilled; not counted, both could fill. An IOC order at the market counts, because it fills.
 * @param terms those of the next order, on either side; absent for one at the market
 */
export function isUncertain(order: BrokerOrder, terms?: WaitingTerms): boolean {
  if (order.ending === undefined) return false
  if (isAtMarket(order)) return order.ending === 'cancel'
  return terms !== undefined && waitAlike({ ...terms, action: order.action }, order)
}

/** Returns whether a position or an order has this symbol, exchange and product. */
export function isIn(row: PositionName, { symbol, exchange, product }: PositionName): boolean {
  return row.symbol === symbol && row.exchange === exchange && row.product === product
}

/** Returns the signed quantity that orders which the broker is filling at the market will add to a position. */
export function onTheWay(orders: readonly BrokerOrder[], ref: PositionName): number {
  return fillingNow(orders, ref).reduce(
    (sum, { action, pendingQuantity }) => sum + (action === 'BUY' ? pendingQuantity : -pendingQuantity),
    0,
  )
}

/** Returns the orders of a position at the market that the broker has not filled completely. */
export function fillingNow(orders: readonly BrokerOrder[], ref: PositionName): BrokerOrder[] {
  return orders.filter((order) => order.status === 'open' && isAtMarket(order) && isIn(order, ref))
}

/**
 * Returns the quantity of a position's orders that wait for a price with exactly these terms. The same order beside them would
 * trade the same change a second time; at another price it is another order.
 */
export function waitingAlike(orders: readonly BrokerOrder[], ref: PositionName, terms: WaitingTerms): number {
  return orders
    .filter((order) => WAITING.has(order.status) && !isAtMarket(order) && isIn(order, ref))
    .filter((order) => waitAlike(order, terms))
    .reduce((sum, { pendingQuantity }) => sum + pendingQuantity, 0)
}

/**
 * A triggered SL-M order is a MARKET order. Only its first fill proves that it is triggered: a broker may show a stop that
 * it has just taken, or that it is about to cancel, as open too.
 */
function isAtMarket({ filledQuantity, priceType }: BrokerOrder): boolean {
  return priceType === 'MARKET' || (priceType === 'SL-M' && filledQuantity > 0)
}
