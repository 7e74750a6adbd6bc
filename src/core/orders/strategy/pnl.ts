import { exactQuantity, fromMoney, type Money, shareOf, timesQuantity, unitPrice } from '../../money/index.js'
import type { Action, Product } from '../schema.js'

/** The quantity that a strategy's order bought or sold, at its average price. */
export interface StrategyFill {
  symbol: string
  exchange: string
  product: Product
  action: Action
  quantity: number
  price: Money
  /** Epoch milliseconds. */
  at: number
  /**
   * The order closed the account's position, regardless of who opened it. It only closes, never opens, a leg.
   */
  closesOnly: boolean
}

/** A contract of a strategy after its fills. Money is the price of one unit times units, signed as profit. */
export interface StrategyLeg {
  symbol: string
  exchange: string
  product: Product
  /** Signed. */
  quantity: number
  /** The cost of the open units. */
  cost: Money
  realized: Money
  todayRealized: Money
}

export interface LegRules {
  /** The session of an instant, and the one that is running. */
  sessionOf(at: number): string
  session: string
  /** True when its open quantity ends with the session, without a fill that we see. */
  endsWithSession(fill: StrategyFill): boolean
  /** Multiplier of a contract. */
  contractValue(ref: { symbol: string; exchange: string }): number
}

/**
 * Returns a strategy's legs from its fills, oldest first. A fill adds at, or closes against, the average
 * price.
 */
export function legsOf(fills: readonly StrategyFill[], rules: LegRules): StrategyLeg[] {
  const legs = new Map<string, StrategyLeg & { lastSession: string; ends: boolean }>()
  const endSession = (leg: { quantity: number; cost: Money }) => {
    leg.quantity = 0
    leg.cost = 0n
  }
  for (const fill of fills.toSorted((a, b) => a.at - b.at)) {
    const { symbol, exchange, product } = fill
    const key = `${exchange}:${symbol}:${product}`
    const session = rules.sessionOf(fill.at)
    const known = legs.get(key)
    if (!known && fill.closesOnly) continue
    const leg = known ?? { symbol, exchange, product, ...FLAT, lastSession: session, ends: false }
    if (leg.ends && leg.lastSession !== session) endSession(leg)
    const realized = timesContract(net(leg, fill), rules.contractValue(fill))
    leg.realized += realized
    if (session === rules.session) leg.todayRealized += realized
    leg.lastSession = session
    leg.ends = rules.endsWithSession(fill)
    legs.set(key, leg)
  }
  return [...legs.values()].map(({ lastSession, ends, ...leg }) => {
    if (ends && lastSession !== rules.session) endSession(leg)
    return leg
  })
}

const FLAT = { quantity: 0, cost: 0n, realized: 0n, todayRealized: 0n } as const

/** Nets a fill into a leg and returns the realized profit. */
function net(leg: { quantity: number; cost: Money }, fill: StrategyFill): Money {
  const isBuy = fill.action === 'BUY'
  const held = Math.abs(leg.quantity)
  const isOpposite = leg.quantity !== 0 && leg.quantity > 0 !== isBuy
  const closing = isOpposite ? Math.min(held, fill.quantity) : 0
  const opening = fill.closesOnly ? 0 : exactQuantity(fill.quantity - closing)
  const traded = closing + opening
  const cost = closing > 0 ? shareOf(leg.cost, closing, held) : 0n
  const value = timesQuantity(fill.price, closing)
  leg.quantity = exactQuantity(leg.quantity + (isBuy ? traded : -traded))
  leg.cost += timesQuantity(fill.price, opening) - cost
  // Closing sells what was bought, or buys back what was sold.
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

function timesContract(amount: Money, contractValue: number): Money {
  return contractValue === 1 ? amount : timesQuantity(amount, contractValue)
}
