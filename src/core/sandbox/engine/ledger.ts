import {
  exactQuantity,
  formatMoney,
  type Money,
  shareOf,
  timesContract,
  timesQuantity,
} from '../../money/index.js'
import { isDeliverySale } from '../../orders/schema.js'
import type { SandboxFunds, SandboxPosition, TodayRealized } from '../schema.js'

/** A complete fill, as a position sees it. */
interface Fill {
  /** Signed: negative sells. */
  quantity: number
  price: Money
  /** The margin of the opening part. */
  margin: Money
  at: number
  session: string
}

/** The amounts that leave a position when a part of it closes. */
interface Closed {
  quantity: number
  cost: Money
  margin: Money
  realized: Money
}

/** Moves `margin` from the available balance to the used margin. */
export function block(funds: SandboxFunds, margin: Money): void {
  funds.available -= margin
  funds.used += margin
}

/** Returns `margin` to the available balance, together with the profit realised with it. */
export function release(funds: SandboxFunds, margin: Money, realized: Money, session: string): void {
  if (margin > funds.used) {
    throw new Error(`Cannot release ₹${formatMoney(margin)}: only ₹${formatMoney(funds.used)} is reserved`)
  }
  funds.used -= margin
  funds.available += margin + realized
  if (realized === 0n) return
  funds.realized += realized
  addToToday(funds, realized, session)
}

/**
 * Returns the profit of the given session. A figure of an earlier session counts as 0, so the roll at 03:00
 * needs no job.
 */
export function realizedToday(row: TodayRealized, session: string): Money {
  return row.todaySession === session ? row.todayRealized : 0n
}

/**
 * Splits an order of `signed` quantity into the units that close the position and the units that open one.
 */
export function closingAndOpening(
  positionQuantity: number,
  signed: number,
): { closing: number; opening: number } {
  const size = Math.abs(signed)
  const opposite = positionQuantity !== 0 && positionQuantity > 0 !== signed > 0
  const closing = opposite ? Math.min(Math.abs(positionQuantity), size) : 0
  return { closing, opening: exactQuantity(size - closing) }
}

/**
 * Returns the amounts that closing `quantity` units at a price books: exact shares of cost and margin, the
 * remainder stays.
 */
export function closingOf(position: SandboxPosition, quantity: number, price: Money): Closed {
  const size = Math.abs(position.quantity)
  if (quantity === 0) return { quantity, cost: 0n, margin: 0n, realized: 0n }
  const cost = shareOf(position.cost, quantity, size)
  const value = timesQuantity(price, quantity)
  const gain = position.quantity > 0 ? value - cost : cost - value
  return {
    quantity,
    cost,
    margin: shareOf(position.margin, quantity, size),
    realized: timesContract(gain, position.contractValue),
  }
}

/** Nets a fill into a position: `closed` leaves it, the rest of the fill opens. */
export function net(position: SandboxPosition, closed: Closed, fill: Fill): void {
  const signed = (quantity: number) => (fill.quantity > 0 ? quantity : -quantity)
  const opening = exactQuantity(Math.abs(fill.quantity) - closed.quantity)
  keepOpening(position, fill.session)
  position.quantity = exactQuantity(position.quantity + signed(closed.quantity))
  position.cost -= closed.cost
  position.margin -= closed.margin
  if (opening > 0) {
    if (position.quantity === 0) position.openedAt = fill.at
    position.quantity = exactQuantity(position.quantity + signed(opening))
    position.cost += timesQuantity(fill.price, opening)
    position.margin += fill.margin
  }
  position.realized += closed.realized
  addToToday(position, closed.realized, fill.session)
  position.updatedAt = fill.at
}

/** Returns the open profit of a position at a price. */
export function unrealized(position: SandboxPosition, ltp: Money): Money {
  const value = timesQuantity(ltp, Math.abs(position.quantity))
  const gain = position.quantity > 0 ? value - position.cost : position.cost - value
  return timesContract(gain, position.contractValue)
}

/**
 * Returns the profit of the given session alone. Units that were open at its start count from the previous
 * close, all others from their own price. Shares that the account held and has sold count to the previous close.
 * Undefined when the previous close is needed and unknown.
 */
export function dayPnl(
  position: SandboxPosition,
  session: string,
  { ltp, prevClose }: { ltp: Money; prevClose: Money | undefined },
): Money | undefined {
  const opening = openingOf(position, session)
  const mark = isDeliverySale(position) ? prevClose : ltp
  if (mark === undefined) return undefined
  const profit = unrealized(position, mark) + realizedToday(position, session)
  if (opening.quantity === 0) return profit
  return prevClose === undefined ? undefined : profit - unrealized({ ...position, ...opening }, prevClose)
}

/**
 * Returns the quantity and cost that were open when a session started. Before its first trade, that is the
 * current position.
 */
export function openingOf(position: SandboxPosition, session: string): { quantity: number; cost: Money } {
  return position.openingSession === session
    ? { quantity: position.openingQuantity, cost: position.openingCost }
    : { quantity: position.quantity, cost: position.cost }
}

/**
 * Keeps the opening quantity and cost of a session. Call it before each trade; the first trade of a session
 * stores them.
 */
function keepOpening(position: SandboxPosition, session: string): void {
  if (session <= position.openingSession) return
  position.openingSession = session
  position.openingQuantity = position.quantity
  position.openingCost = position.cost
}

/**
 * Adds profit to the session's figure. Profit of an earlier session (a job that ran late after downtime) is
 * left out.
 */
export function addToToday(row: TodayRealized, realized: Money, session: string): void {
  if (session < row.todaySession) return
  row.todayRealized = realizedToday(row, session) + realized
  row.todaySession = session
}
