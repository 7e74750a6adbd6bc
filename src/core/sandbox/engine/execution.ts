import { symbolKey } from '../../market/schema.js'
import { MAX_MONEY, type Money, shareOf, timesQuantity } from '../../money/index.js'
import type {
  SandboxFunds,
  SandboxInstruments,
  SandboxOrder,
  SandboxPosition,
  SandboxTrade,
} from '../schema.js'
import type { SandboxSettings } from '../settings.js'
import type { Changes } from '../storage/changes.js'
import { orderFilled, orderUpdate } from '../views/views.js'
import { shortageOf, signedQuantity } from './assessment.js'
import { block, closingAndOpening, closingOf, net, release } from './ledger.js'
import { contractValueOf, marginPrice, requiredMargin } from './margin.js'
import { positionKey } from './new-order.js'
import { tradeIdOf } from './order-ids.js'
import type { Account, SandboxState } from './state.js'

/** One decision: its time, and the record of its changes. */
export interface Decision {
  changes: Changes
  now: number
  /** The session that profit is booked in. */
  session: string
  /** True if it is dated back to an earlier session. */
  isLate?: boolean
}

export interface ExecutionPorts {
  state: SandboxState
  instruments: SandboxInstruments
  settings: SandboxSettings
  /** Returns an id for an order that the sandbox places itself. */
  nextOrderId(): string
}

/** Records the new state of an order and queues its event. */
export function record(order: SandboxOrder, { changes, now }: Decision): void {
  order.updatedAt = now
  changes.orders.add(order)
  changes.events.push({ topic: 'order.update', data: orderUpdate(order) })
}

/** Removes an order from the market and returns its blocked margin. */
export function cancelOrder(
  { state }: ExecutionPorts,
  account: Account,
  order: SandboxOrder,
  reason: string,
  decision: Decision,
): void {
  release(account.funds, order.margin, 0n, decision.session)
  order.margin = 0n
  order.marginQuantity = 0
  order.status = 'cancelled'
  order.rejectionReason = reason
  state.removeWaiting(order)
  decision.changes.funds.add(account.funds)
  record(order, decision)
}

/**
 * Fills an order completely: trade, position and funds in one decision. The margin blocked for the opening
 * part moves to the position, the rest is returned. When the position the order was to close no longer
 * exists, the account pays margin for the position the order now opens. For delivery shares it pays what they cost
 * above the price the order was accepted on. The order is cancelled instead when the account cannot pay, or when an
 * amount exceeds the range of the ledger.
 * @param mark the last price, kept on the position for times when no market answers
 */
export function fillOrder(
  ports: ExecutionPorts,
  account: Account,
  order: SandboxOrder,
  price: Money,
  mark: Money,
  decision: Decision,
): void {
  const { funds } = account
  account.totals.rowChanged(order)
  const position = positionFor(ports, account, order, decision)
  const { closing, opening } = closingAndOpening(position.quantity, signedQuantity(order))
  const closed = closingOf(position, closing, price)
  const carried =
    opening < order.marginQuantity ? shareOf(order.margin, opening, order.marginQuantity) : order.margin
  const extra = extraMargin(ports, order, { opening, price, carried })
  const free = funds.available + order.margin - carried + closed.margin + closed.realized
  const objection =
    shortageOf(extra, free) ??
    overflowOf(
      position.cost - closed.cost + timesQuantity(price, opening),
      position.realized + closed.realized,
      funds.realized + closed.realized,
      free - extra,
      funds.used + carried + extra,
    )
  if (objection) {
    cancelOrder(ports, account, order, objection, decision)
    return
  }

  release(funds, order.margin - carried, 0n, decision.session)
  release(funds, closed.margin, closed.realized, dayOf(funds, decision))
  block(funds, extra)
  const wasOpen = position.quantity !== 0
  net(position, closed, {
    quantity: signedQuantity(order),
    price,
    margin: carried + extra,
    at: decision.now,
    session: decision.session,
  })
  position.ltp = mark
  account.positions.set(positionKey(position), position)
  const isOpen = position.quantity !== 0
  if (wasOpen !== isOpen) ports.state.countOpen(symbolKey(position), isOpen ? 1 : -1)
  complete(ports, order, price, decision)
  decision.changes.positions.add(position)
  decision.changes.funds.add(funds)
}

/**
 * Returns the day to whose figure the account adds profit. A settlement at midnight begins the next day before its session
 * does, and the line of history for the last day is written: what is traded in the same night belongs to the next day, too.
 */
function dayOf({ todaySession }: SandboxFunds, { isLate, session }: Decision): string {
  return !isLate && todaySession > session ? todaySession : session
}

/**
 * Returns why an amount cannot be stored. Such an amount must be refused here, because a failed write would
 * undo every decision of the same flush.
 */
function overflowOf(...amounts: readonly Money[]): string | undefined {
  return amounts.some((amount) => amount > MAX_MONEY || amount < -MAX_MONEY)
    ? 'The order value exceeds the maximum of the ledger'
    : undefined
}

function complete({ state }: ExecutionPorts, order: SandboxOrder, price: Money, decision: Decision): void {
  order.margin = 0n
  order.marginQuantity = 0
  order.status = 'complete'
  order.averagePrice = price
  order.filledQuantity = order.quantity
  state.removeWaiting(order)
  const trade = tradeOf(order, price, decision.now)
  decision.changes.trades.add(trade)
  record(order, decision)
  decision.changes.events.push({ topic: 'sandbox.order_filled', data: orderFilled(trade) })
}

/**
 * Returns the margin that the order has not blocked: for opening units that it was not to open, and for delivery shares that
 * cost more than the price it was accepted on. Their settlement takes the whole price.
 */
function extraMargin(
  { instruments, settings }: ExecutionPorts,
  order: SandboxOrder,
  { carried, opening, price }: { opening: number; price: Money; carried: Money },
): Money {
  const uncovered = opening - order.marginQuantity
  const isDelivery = order.product === 'CNC' && order.action === 'BUY'
  if (uncovered <= 0 && !isDelivery) return 0n
  const instrument = instruments.find(order.symbol, order.exchange)
  const forMore =
    uncovered > 0 ? requiredMargin(order, instrument, uncovered, marginPrice(order, price), settings) : 0n
  if (!isDelivery) return forMore
  const forAll = requiredMargin(order, instrument, opening, price, settings) - carried
  return forAll > forMore ? forAll : forMore
}

/** Returns the row an order nets into. A flat row takes the current multiplier of the contract. */
function positionFor(
  { instruments }: ExecutionPorts,
  account: Account,
  order: SandboxOrder,
  { now, session }: Decision,
): SandboxPosition {
  const held = account.positions.get(positionKey(order))
  if (held && held.quantity !== 0) return held
  const contractValue = contractValueOf(instruments.find(order.symbol, order.exchange))
  if (held) {
    held.contractValue = contractValue
    return held
  }
  return {
    userId: order.userId,
    symbol: order.symbol,
    exchange: order.exchange,
    product: order.product,
    quantity: 0,
    cost: 0n,
    margin: 0n,
    realized: 0n,
    todayRealized: 0n,
    todaySession: session,
    openingSession: session,
    openingQuantity: 0,
    openingCost: 0n,
    contractValue,
    ltp: 0n,
    createdAt: now,
    openedAt: now,
    updatedAt: now,
  }
}

function tradeOf(order: SandboxOrder, price: Money, now: number): SandboxTrade {
  return {
    tradeId: tradeIdOf(order.orderId, now),
    orderId: order.orderId,
    userId: order.userId,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    price,
    product: order.product,
    strategy: order.strategy,
    tradedAt: now,
  }
}
