import {
  divRound,
  formatMoney,
  type Money,
  orderValue,
  rupeesText,
  timesQuantity,
  toMoney,
} from '../money/index.js'
import { hasPrice, type OrderRequest } from '../orders/schema.js'
import { SECOND_MS, secondsText } from '../time/index.js'
import {
  DEFAULT_RULES,
  type KillSwitchState,
  type RiskRefusal,
  type RiskRuleName,
  type RiskRules,
} from './schema.js'

/** The facts beside the order that the checks use. Unknown figures are undefined. */
export interface RiskFacts {
  lastPrice: number | undefined
  /** The value of one contract, for those whose price is for another amount than one unit; undefined elsewhere. */
  contractValue?: number | undefined
  /** Milliseconds since the symbol last ticked; undefined when its price was just fetched. */
  priceAgeMs: number | undefined
  /** The orders admitted so far in this session. */
  ordersToday: number
  /** The orders of the same request that would be sent before it: only a dry run counts them. */
  ordersAhead?: number
  /** The day's P&L of the account, realised and open. */
  dayPnl: Money | undefined
  killSwitch: KillSwitchState
}

/**
 * A price above that of any listed unit: the most expensive shares and contracts trade at a few hundred
 * thousand rupees. An order that stays below its ceiling at this price needs no quote.
 */
const NO_UNIT_COSTS_MORE = toMoney(10_000_000)

type Check = (order: OrderRequest, rules: RiskRules, facts: RiskFacts) => string | undefined

/**
 * Returns the price an order may trade at: never above the limit of a purchase; otherwise the last price if
 * it is above the order's own, because a sale below the market and a triggered stop trade at the market
 * price.
 */
function valuationPrice(order: OrderRequest, lastPrice: number | undefined): number | undefined {
  if (order.priceType === 'MARKET') return lastPrice
  const own = order.priceType === 'SL-M' ? order.triggerPrice : order.price
  const capped = order.action === 'BUY' && order.priceType !== 'SL-M'
  return capped ? own : Math.max(own, lastPrice ?? 0)
}

function checkPriceBand(order: OrderRequest, rules: RiskRules, facts: RiskFacts): string | undefined {
  if (rules.price_band_percent === null || order.priceType === 'MARKET') return undefined
  if (facts.lastPrice === undefined || facts.lastPrice <= 0) {
    return `No last price for ${order.symbol} to compare the order's price with`
  }
  const last = facts.lastPrice
  const prices = order.priceType === 'SL-M' ? [order.triggerPrice] : [order.price]
  if (order.priceType === 'SL') prices.push(order.triggerPrice)
  for (const price of prices) {
    if (!isBeyond(price, last, rules.price_band_percent)) continue
    return `Price ${price} is ${awayInPercent(price, last)}% from the last price ${last}; the limit is ${rules.price_band_percent}%`
  }
  return undefined
}

/** Compares exactly, in units of money: a price on the edge of the band is within it. */
function isBeyond(price: number, last: number, percent: number): boolean {
  return distance(price, last) * toMoney(100) > toMoney(percent) * toMoney(last)
}

function awayInPercent(price: number, last: number): string {
  return formatMoney(divRound(distance(price, last) * toMoney(100), toMoney(last) || 1n))
}

function distance(price: number, last: number): Money {
  const away = toMoney(price) - toMoney(last)
  return away < 0n ? -away : away
}

/** Returns true when the market sets the order's price, or when a rule compares the order with the market. */
export function dependsOnLastPrice(order: OrderRequest, rules: RiskRules): boolean {
  return !hasPrice(order.priceType, 'price') || rules.price_band_percent !== null
}

/**
 * Returns true when an order whose price the market sets could exceed the ceiling, at a price nobody has seen
 * yet.
 */
export function mayExceedCeiling(order: OrderRequest, { max_order_value: ceiling }: RiskRules): boolean {
  const atMarket = !hasPrice(order.priceType, 'price')
  return atMarket && ceiling !== null && timesQuantity(NO_UNIT_COSTS_MORE, order.quantity) > toMoney(ceiling)
}

function checkPriceAge(order: OrderRequest, rules: RiskRules, facts: RiskFacts): string | undefined {
  const { max_price_age_seconds: limit } = rules
  if (limit === null || !dependsOnLastPrice(order, rules)) return undefined
  if (facts.priceAgeMs !== undefined && facts.priceAgeMs > limit * SECOND_MS) {
    const age = secondsText(facts.priceAgeMs)
    return `The last price of ${order.symbol} is ${age} seconds old; the limit is ${limit} seconds`
  }
  return facts.lastPrice === undefined ? `No current price for ${order.symbol}` : undefined
}

/** One check per rule, in their order. */
const CHECKS: readonly (readonly [RiskRuleName | 'kill_switch', Check])[] = [
  [
    'kill_switch',
    (_order, _rules, facts) =>
      facts.killSwitch.on ? `The kill switch is on: ${facts.killSwitch.reason}` : undefined,
  ],
  [
    'allowed_exchanges',
    (order, rules) =>
      rules.allowed_exchanges && !rules.allowed_exchanges.includes(order.exchange)
        ? `Exchange ${order.exchange} is not allowed; allowed: ${rules.allowed_exchanges.join(', ') || 'none'}`
        : undefined,
  ],
  [
    'allowed_products',
    (order, rules) =>
      rules.allowed_products && !rules.allowed_products.includes(order.product)
        ? `Product ${order.product} is not allowed; allowed: ${rules.allowed_products.join(', ') || 'none'}`
        : undefined,
  ],
  [
    'max_order_quantity',
    (order, rules) =>
      rules.max_order_quantity !== null && order.quantity > rules.max_order_quantity
        ? `Quantity ${order.quantity} exceeds the limit of ${rules.max_order_quantity} per order`
        : undefined,
  ],
  [
    'max_order_value',
    (order, rules, facts) => {
      if (rules.max_order_value === null) return undefined
      const price = valuationPrice(order, facts.lastPrice)
      // The default ceiling lets an order without a known price pass; a limit that the user set does not.
      if (price === undefined) {
        return rules.max_order_value === DEFAULT_RULES.max_order_value
          ? undefined
          : `No last price for ${order.symbol} to value the order with`
      }
      const value = orderValue(toMoney(price), order.quantity, facts.contractValue)
      const limit = toMoney(rules.max_order_value)
      return value > limit
        ? `Order value ${rupeesText(value)} exceeds the limit of ${rupeesText(limit)}`
        : undefined
    },
  ],
  ['max_price_age_seconds', checkPriceAge],
  ['price_band_percent', checkPriceBand],
  [
    'max_orders_per_day',
    (_order, { max_orders_per_day: limit }, { ordersAhead = 0, ordersToday }) => {
      if (limit === null || ordersToday + ordersAhead < limit) return undefined
      const ahead = ordersAhead === 0 ? '' : ` and ${ordersAhead} of the request come before this one`
      return `${ordersToday} orders were placed today${ahead}; the limit is ${limit}`
    },
  ],
  [
    'max_day_loss',
    (_order, rules, facts) => {
      if (rules.max_day_loss === null) return undefined
      if (facts.dayPnl === undefined) return "The day's P&L is unknown, so the loss limit cannot be checked"
      return -facts.dayPnl >= toMoney(rules.max_day_loss)
        ? `The day's loss of ${rupeesText(-facts.dayPnl)} has reached the limit of ${rupeesText(toMoney(rules.max_day_loss))}`
        : undefined
    },
  ],
]

/** Returns the refusal of the first rule that refuses the order. */
export function firstRefusal(
  order: OrderRequest,
  rules: RiskRules,
  facts: RiskFacts,
): RiskRefusal | undefined {
  for (const [rule, check] of CHECKS) {
    const message = check(order, rules, facts)
    if (message !== undefined) return { rule, message }
  }
  return undefined
}

/** Returns every rule's verdict, for a dry run. */
export function allChecks(order: OrderRequest, rules: RiskRules, facts: RiskFacts) {
  return CHECKS.map(([rule, check]) => {
    const message = check(order, rules, facts)
    return message === undefined ? { rule, ok: true } : { rule, ok: false, message }
  })
}
