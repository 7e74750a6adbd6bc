import { piecesOf, piecesProblem } from '../../instruments/index.js'
import type { Quote } from '../../market/schema.js'
import { type Money, toMoney, unitPrice } from '../../money/index.js'
import { draftOfPosition } from '../engine/acceptance.js'
import { type Decision, type ExecutionPorts, fillOrder } from '../engine/execution.js'
import { isPrice, isUsable } from '../engine/matching.js'
import { newOrder } from '../engine/new-order.js'
import type { Account } from '../engine/state.js'
import type { SandboxPosition } from '../schema.js'

/** The price a position closes at, and the market price the row keeps. */
export interface ExitPrice {
  price: Money
  mark: Money
}

/**
 * Closes a whole position at a price, with its own order and trade, at any time of day.
 * @param largest the largest order that may be used; a larger position gets several. Undefined for a settlement, which is
 *   no order at the exchange
 */
export function exitPosition(
  ports: ExecutionPorts,
  account: Account,
  position: SandboxPosition,
  { price, mark }: ExitPrice,
  strategy: string,
  decision: Decision,
  largest?: number,
): void {
  const whole = draftOfPosition(position, strategy, ports.instruments)
  // An intraday position ends in any case: with a freeze quantity that is a mistake, in one order.
  const most = piecesProblem(whole.request, largest) === undefined ? largest : undefined
  for (const quantity of piecesOf(whole.request.quantity, most)) {
    const ticket = { userId: position.userId, orderId: ports.nextOrderId() }
    const order = newOrder(ticket, { ...whole, request: { ...whole.request, quantity } }, decision.now)
    order.price = mark
    fillOrder(ports, account, order, price, mark, decision)
  }
}

/**
 * Returns the market price for closing a position: the other side of a sound quote. Undefined for any other
 * quote.
 */
export function marketExit(position: SandboxPosition, quote: Quote | undefined): ExitPrice | undefined {
  if (!quote || !isUsable(quote)) return undefined
  const side = position.quantity > 0 ? quote.bid : quote.ask
  return { price: toMoney(isPrice(side) ? side : quote.ltp), mark: toMoney(quote.ltp) }
}

/**
 * Returns the last price of a quote, sound or not. Falls back to the last price the row has seen, then to its
 * average cost.
 */
export function lastPrice(position: SandboxPosition, quote: Quote | undefined): Money {
  if (quote && isPrice(quote.ltp)) return toMoney(quote.ltp)
  return position.ltp > 0n ? position.ltp : unitPrice(position.cost, Math.abs(position.quantity))
}
