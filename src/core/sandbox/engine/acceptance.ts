import type { ErrorCode, Veto } from '../../errors/index.js'
import {
  orderProblem,
  productProblem,
  type RuledOrder,
  tradableProblem,
  unsettledContract,
} from '../../instruments/index.js'
import { EXCHANGES, INDEX_EXCHANGES, type Instrument } from '../../instruments/schema.js'
import { exactQuantity, type Money, toMoney } from '../../money/index.js'
import {
  ACTIONS,
  hasPrice,
  type OrderRequest,
  PRICE_TYPES,
  PRODUCTS,
  type Product,
} from '../../orders/schema.js'
import type { SandboxInstruments, SandboxPosition, SandboxRefusal } from '../schema.js'
import { MAX_PRICE } from './margin.js'

/** An order whose own fields are valid: exact quantity and prices, irrelevant ones dropped. */
export interface OrderDraft {
  request: OrderRequest & { product: Product }
  /** Undefined only when the order closes a position whose contract has left the master. */
  instrument: Instrument | undefined
  price: Money
  triggerPrice: Money
}

/** Exchanges that accept orders; index exchanges only have quotes. */
const TRADABLE = EXCHANGES.filter((exchange) => !INDEX_EXCHANGES.has(exchange))
const REQUIRED = [
  ['symbol', 'symbol'],
  ['exchange', 'exchange'],
  ['action', 'action'],
  ['quantity', 'quantity'],
  ['priceType', 'price_type'],
  ['product', 'product'],
] as const

const INVALID_PRODUCT = 'Invalid product. Must be CNC, NRML, or MIS'
const productOf = (text: string): Product | undefined => PRODUCTS.find((known) => known === text)

type Check = (order: OrderRequest) => string | undefined

/** The checks of an order's own fields. Their order and texts are part of the API (docs/sandbox.md). */
const CHECKS: readonly Check[] = [
  (order) => {
    const missing = REQUIRED.find(
      ([field]) => order[field] === undefined || order[field] === null || order[field] === '',
    )
    return missing && `Missing required field: ${missing[1]}`
  },
  ({ action }) => (ACTIONS.includes(action) ? undefined : 'Invalid action. Must be BUY or SELL'),
  ({ priceType }) =>
    PRICE_TYPES.includes(priceType) ? undefined : 'Invalid price_type. Must be MARKET, LIMIT, SL, or SL-M',
  ({ product }) => (productOf(product) ? undefined : INVALID_PRODUCT),
  (order) => tradableProblem(order)?.message,
  (order) => productProblem(order)?.message,
  ({ quantity, exchange }) => checkQuantity(quantity, exchange),
  ({ priceType, price }) =>
    hasPrice(priceType, 'price')
      ? checkPrice(price, `${priceType} orders require price`, 'Price')
      : undefined,
  ({ priceType, triggerPrice }) =>
    hasPrice(priceType, 'trigger')
      ? checkPrice(triggerPrice, `${priceType} orders require trigger_price`, 'Trigger price')
      : undefined,
  ({ exchange }) =>
    TRADABLE.includes(exchange) ? undefined : `Invalid exchange. Must be one of ${TRADABLE.join(', ')}`,
]

/** Runs the checks that depend on the order and the instrument master alone. */
export function draftOf(
  request: OrderRequest,
  instruments: SandboxInstruments,
): OrderDraft | { message: string } {
  for (const check of CHECKS) {
    const message = check(request)
    if (message) return { message }
  }
  const product = productOf(request.product)
  if (!product) return { message: INVALID_PRODUCT }
  const instrument = instruments.find(request.symbol, request.exchange)
  if (!instrument) return { message: `Symbol ${request.symbol} not found on ${request.exchange}` }
  // Subtracting fractions leaves floating-point noise; the ledger keeps eight decimals.
  const quantity = exactQuantity(request.quantity)
  const { action, priceType } = request
  const price = hasPrice(priceType, 'price') ? request.price : 0
  const triggerPrice = hasPrice(priceType, 'trigger') ? request.triggerPrice : 0
  const asked = { action, priceType, quantity, price, triggerPrice }
  const message = unsettledContract(instrument) ?? checkTerms(asked, instrument, instruments)
  if (message) return { message }
  return {
    request: { ...request, product, quantity },
    instrument,
    price: toMoney(price),
    triggerPrice: toMoney(triggerPrice),
  }
}

/** Returns a MARKET order that closes part of a position, as {@link draftOfPosition} closes all of it. */
export function draftOfClosing(
  order: OrderRequest,
  strategy: string,
  instruments: SandboxInstruments,
): OrderDraft | { message: string } {
  const product = productOf(order.product)
  if (!product) return { message: INVALID_PRODUCT }
  const quantity = order.action === 'SELL' ? order.quantity : -order.quantity
  return draftOfPosition({ ...order, product, quantity }, strategy, instruments)
}

/** Returns the opposite MARKET order for the whole position. */
export function draftOfPosition(
  position: Pick<SandboxPosition, 'symbol' | 'exchange' | 'product' | 'quantity'>,
  strategy: string,
  instruments: SandboxInstruments,
): OrderDraft {
  const { symbol, exchange, product, quantity } = position
  return {
    request: {
      strategy,
      symbol,
      exchange,
      product,
      action: quantity > 0 ? 'SELL' : 'BUY',
      quantity: Math.abs(quantity),
      priceType: 'MARKET',
      price: 0,
      triggerPrice: 0,
      disclosedQuantity: 0,
    },
    instrument: instruments.find(symbol, exchange),
    price: 0n,
    triggerPrice: 0n,
  }
}

/** Checks size, ticks and stop by the rules of the exchange. */
export function checkTerms(
  order: RuledOrder,
  instrument: Instrument,
  instruments: SandboxInstruments,
): string | undefined {
  const freezeQuantity = instruments.freezeQuantity(instrument)
  return orderProblem(order, { ...instrument, freezeQuantity })?.message
}

export function checkQuantity(quantity: number, exchange: string): string | undefined {
  if (typeof quantity !== 'number' || Number.isNaN(quantity)) return 'Invalid quantity'
  if (quantity <= 0) return 'Quantity must be positive'
  if (quantity > Number.MAX_SAFE_INTEGER) return 'Invalid quantity'
  return Number.isInteger(quantity) || exchange === 'CRYPTO' ? undefined : 'Invalid quantity'
}

/** @param absent the message for a missing price; undefined when the price is optional */
export function checkPrice(price: number, absent: string | undefined, name: string): string | undefined {
  if (price === 0 || price === undefined || price === null) return absent
  if (!Number.isFinite(price)) return `${name} must be positive`
  const money = toMoney(price)
  return money > 0n && money <= MAX_PRICE ? undefined : `${name} must be positive`
}

/** Returns an expected refusal as a result. */
export function refusal(message: string, code: ErrorCode = 'refused'): SandboxRefusal {
  return { ok: false, code, message }
}

/** Asks the veto and returns its refusal as a result. */
export function vetoed(veto: Veto | undefined): SandboxRefusal | undefined {
  const reason = veto?.()
  return reason && refusal(reason.message, reason.code)
}
