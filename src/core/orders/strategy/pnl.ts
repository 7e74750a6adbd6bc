import {
  exactQuantity,
  fromMoney,
  type Money,
  shareOf,
  timesContract,
  timesQuantity,
  unitPrice,
} from '../../money/index.js'
import type { Action, Product } from '../schema.js'

export interface Contract {
  symbol: string
  exchange: string
  product: Product
}

/** A quantity that an order bought or sold, and the price of one unit times that quantity. */
export interface StrategyFill extends Contract {
  action: Action
  quantity: number
  value: Money
  /** Epoch milliseconds. */
  at: number
  /**
   * The order closed the account's position, regardless of who opened it. It only closes, never opens, a leg.
   */
  closesOnly: boolean
}

/** A contract of a strategy after its fills. Money is the price of one unit times units, signed as profit. */
export interface StrategyLeg extends Contract {
  /** Signed. */
  quantity: number
  /** The cost of the open units. */
  cost: Money
  realized: Money
  /** The part of `realized` that belongs to {@link session}. */
  todayRealized: Money
  /** The session of the last fill. */
  session: string
}

export interface LegRules {
  sessionOf(at: number): string
  /** Returns whether an open quantity of an earlier session has ended by this one, without a fill that we see. */
  hasEnded(contract: Contract, session: string): boolean
}

/** Returns a leg after one more fill; undefined for a close of a leg that does not exist. */
export function legAfter(
  leg: StrategyLeg | undefined,
  fill: StrategyFill,
  rules: LegRules,
): StrategyLeg | undefined {
  if (!leg && fill.closesOnly) return undefined
  const { symbol, exchange, product } = fill
  const session = rules.sessionOf(fill.at)
  const next = leg ? legIn(session, leg, rules) : { symbol, exchange, product, ...FLAT, session }
  const realized = net(next, fill)
  next.realized += realized
  next.todayRealized += realized
  return next
}

/**
 * Returns a copy of a leg for a session. In a session after its own, today's profit starts at 0. One before it is none: the
 * clock was set back.
 */
export function legIn(session: string, leg: StrategyLeg, rules: LegRules): StrategyLeg {
  if (leg.session >= session) return { ...leg }
  const ended = rules.hasEnded(leg, session) ? { quantity: 0, cost: 0n } : {}
  return { ...leg, ...ended, todayRealized: 0n, session }
}

const FLAT = { quantity: 0, cost: 0n, realized: 0n, todayRealized: 0n } as const

/**
 * Nets a fill into a leg and returns the realized profit. A fill adds at, or closes against, the average
 * price.
 */
function net(leg: { quantity: number; cost: Money }, fill: StrategyFill): Money {
  const isBuy = fill.action === 'BUY'
  const held = Math.abs(leg.quantity)
  const isOpposite = leg.quantity !== 0 && leg.quantity > 0 !== isBuy
  const closing = isOpposite ? Math.min(held, fill.quantity) : 0
  const opening = fill.closesOnly ? 0 : exactQuantity(fill.quantity - closing)
  const traded = closing + opening
  const cost = closing > 0 ? shareOf(leg.cost, closing, held) : 0n
  const value = closing > 0 ? shareOf(fill.value, closing, fill.quantity) : 0n
  leg.quantity = exactQuantity(leg.quantity + (isBuy ? traded : -traded))
  leg.cost += (opening > 0 ? fill.value - value : 0n) - cost
  // A close sells bought units, or buys back sold ones.
  return isBuy ? cost - value : value - cost
}

/** Returns the profit of the open quantity at a price. */
export function openProfit(leg: StrategyLeg, ltp: Money, contractValue: number): Money {
  const value = timesQuantity(ltp, Math.abs(leg.quantity))
  return timesContract(leg.quantity > 0 ? value - leg.cost : leg.cost - value, contractValue)
}

/** Returns the average price of the open quantity; 0 when flat. */
export function averagePrice({ quantity, cost }: StrategyLeg): number {
  return fromMoney(unitPrice(cost, Math.abs(quantity)))
}
