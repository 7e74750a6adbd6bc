import {
  bandProblem,
  productProblem,
  sizeProblem,
  stopProblem,
  tickProblem,
  tradableProblem,
  triggerProblem,
} from '../../../instruments/index.js'
import { formatMoney } from '../../../money/index.js'
import { hasPrice, PRODUCTS } from '../../../orders/schema.js'
import { BrokerError } from '../../broker.js'
import type { Contract } from '../market/contract.js'
import type { SimulatedMarket } from '../market/simulated-market.js'
import type { ExchangeAccount } from './account.js'
import type { ExchangeOrder } from './exchange-order.js'
import { isActive, remaining } from './exchange-order.js'

/** The reason the exchange refuses an order. */
export interface ExchangeRefusal {
  code: string
  message: string
}

export interface CheckContext {
  market: SimulatedMarket
  account: ExchangeAccount
  /** The waiting orders, without the checked one. */
  waiting: readonly ExchangeOrder[]
  second: number
}

type Check = (order: ExchangeOrder, contract: Contract, context: CheckContext) => ExchangeRefusal | undefined

/** The checks, in the order an exchange would apply them. */
const CHECKS: readonly Check[] = [
  checkTradable,
  checkSession,
  checkProduct,
  checkQuantity,
  checkPricesPresent,
  checkTicks,
  stopProblem,
  checkTriggerAhead,
  checkBand,
  checkDelivery,
  checkFunds,
]

/**
 * The checks of an order that a GTT will send. They apply at any time; session,
 * price band, holdings and funds are checked when the GTT fires.
 */
const GTT_CHECKS: readonly Check[] = [checkTradable, checkProduct, checkQuantity, checkBounds, checkTicks]

/** The highest price or trigger of a GTT: no instrument ever costs as much. */
const MAX_GTT_PRICE = 1_000_000_000

/** Returns the first reason to refuse an order; undefined if there is none. */
export function refusalOf(order: ExchangeOrder, context: CheckContext): ExchangeRefusal | undefined {
  return firstRefusal(CHECKS, order, context)
}

/**
 * Returns the first reason why a leg of a GTT could never be placed; undefined if there is none.
 * @param order the order of the leg, with the leg's trigger
 */
export function gttRefusalOf(order: ExchangeOrder, context: CheckContext): ExchangeRefusal | undefined {
  return firstRefusal(GTT_CHECKS, order, context)
}

function firstRefusal(
  checks: readonly Check[],
  order: ExchangeOrder,
  context: CheckContext,
): ExchangeRefusal | undefined {
  const contract = context.market.contract(order)
  if (!contract) {
    return { code: 'UNKNOWN_SYMBOL', message: `Symbol ${order.symbol} not found on ${order.exchange}` }
  }
  for (const check of checks) {
    const refusal = check(order, contract, context)
    if (refusal) return refusal
  }
  return undefined
}

function checkTradable(order: ExchangeOrder, contract: Contract, { market, second }: CheckContext) {
  const untradable = tradableProblem(order)
  if (untradable) return untradable
  if (contract.unsettled !== undefined) return { code: 'NOT_TRADABLE', message: contract.unsettled }
  if (market.hasExpired(contract, second)) {
    return { code: 'EXPIRED', message: `${order.symbol} has expired` }
  }
  return undefined
}

function checkSession(order: ExchangeOrder, contract: Contract, { market, second }: CheckContext) {
  if (order.opensAt !== null || market.isOpen(contract, second)) return undefined
  return { code: 'MARKET_CLOSED', message: `${order.exchange} is closed` }
}

function checkProduct({ product, exchange }: ExchangeOrder) {
  if (!PRODUCTS.some((known) => known === product)) {
    return { code: 'PRODUCT', message: `The exchange has no product ${product}` }
  }
  return productProblem({ exchange, product })
}

function checkQuantity(order: ExchangeOrder, { lot }: Contract, { market }: CheckContext) {
  if (!(order.quantity > 0)) return { code: 'QUANTITY', message: 'Quantity must be positive' }
  const { exchange } = order
  return sizeProblem(order.quantity, { exchange, lotSize: lot, freezeQuantity: market.freezeQuantity(order) })
}

function checkPricesPresent({ priceType, price, triggerPrice }: ExchangeOrder) {
  if (hasPrice(priceType, 'price') && !(price > 0)) {
    return { code: 'PRICE', message: `${priceType} orders require price` }
  }
  if (hasPrice(priceType, 'trigger') && !(triggerPrice > 0)) {
    return { code: 'TRIGGER_PRICE', message: `${priceType} orders require trigger_price` }
  }
  return undefined
}

const pricesOf = ({ price, triggerPrice }: ExchangeOrder) =>
  [
    ['Price', price],
    ['Trigger price', triggerPrice],
  ] as const

function checkBounds(order: ExchangeOrder) {
  const outside = pricesOf(order).find(([, value]) => value > MAX_GTT_PRICE)
  if (!outside) return undefined
  return { code: 'PRICE', message: `${outside[0]} ${outside[1]} is above ${MAX_GTT_PRICE}` }
}

function checkTicks(order: ExchangeOrder, { tick }: Contract) {
  return tickProblem(order, tick)
}

function checkTriggerAhead(order: ExchangeOrder, contract: Contract, { market, second }: CheckContext) {
  if (order.status !== 'trigger pending') return undefined
  return triggerProblem(order, market.lastPrice(contract, second))
}

function checkBand(order: ExchangeOrder, contract: Contract, { market, second }: CheckContext) {
  // Its session has a band of its own.
  if (order.opensAt !== null) return undefined
  return bandProblem(order, market.priceBand(contract, second), contract.tick)
}

function checkDelivery(order: ExchangeOrder, _contract: Contract, { account, waiting }: CheckContext) {
  if (order.product !== 'CNC' || order.action !== 'SELL') return undefined
  const { position, holding, available } = account.deliverable(order, waiting)
  if (remaining(order) <= available) return undefined
  const { symbol } = order
  return available <= 0
    ? {
        code: 'NO_HOLDINGS',
        message: `Cannot sell ${symbol} in CNC. No positions or holdings available. CNC (delivery) requires existing shares. Use MIS for intraday short selling.`,
      }
    : {
        code: 'NO_HOLDINGS',
        message: `Cannot sell ${remaining(order)} shares of ${symbol} in CNC. Only ${available} shares available (Position: ${position}, Holdings: ${holding})`,
      }
}

function checkFunds(order: ExchangeOrder, _contract: Contract, { account, waiting, second }: CheckContext) {
  const before = account.orderMargin(waiting, second)
  const required = account.orderMargin([...waiting.filter(isActive), order], second) - before
  if (required <= 0n) return undefined
  const available = account.available(waiting, second)
  if (required <= available) return undefined
  return {
    code: 'FUNDS',
    message: `Insufficient funds. Required: ₹${formatMoney(required)}, Available: ₹${formatMoney(available)}, Shortage: ₹${formatMoney(required - available)}`,
  }
}

/** Returns the error of a refused order. */
export function refused({ code, message }: ExchangeRefusal): BrokerError {
  return new BrokerError('rejected', message, { brokerStatus: 400, brokerCode: code, sent: 'yes' })
}
