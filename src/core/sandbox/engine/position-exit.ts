import type { Quote } from '../../market/schema.js'
import { type Money, toMoney, unitPrice } from '../../money/index.js'
import type { SandboxPosition } from '../schema.js'
import { draftOfPosition } from './acceptance.js'
import { type Decision, type ExecutionPorts, fillOrder } from './execution.js'
import { isPrice, isUsable } from './matching.js'
import { newOrder } from './new-order.js'
import type { Account } from './state.js'

/** What a position leaves at, and what is remembered as the market's price. */
export interface ExitPrice {
  price: Money
  mark: Money
}

/** Closes a whole position at a price, by an order and a trade of its own, whatever the hour. */
export function exitPosition(
  ports: ExecutionPorts,
  account: Account,
  position: SandboxPosition,
  { price, mark }: ExitPrice,
  strategy: string,
  decision: Decision,
): void {
  const ticket = { userId: position.userId, orderId: ports.nextOrderId() }
  const order = newOrder(ticket, draftOfPosition(position, strategy, ports.instruments), decision.now)
  order.price = mark
  fillOrder(ports, account, order, price, mark, decision)
}

/** The price a position gets at the market: the other side of a sound quote. Undefined for another quote. */
export function marketExit(position: SandboxPosition, quote: Quote | undefined): ExitPrice | undefined {
  if (!quote || !isUsable(quote)) return undefined
  const side = position.quantity > 0 ? quote.bid : quote.ask
  return { price: toMoney(isPrice(side) ? side : quote.ltp), mark: toMoney(quote.ltp) }
}

/** The last price of a quote, sound or not; else the one the row last saw; else what was paid. */
export function lastPrice(position: SandboxPosition, quote: Quote | undefined): Money {
  if (quote && isPrice(quote.ltp)) return toMoney(quote.ltp)
  return position.ltp > 0n ? position.ltp : unitPrice(position.cost, Math.abs(position.quantity))
}
