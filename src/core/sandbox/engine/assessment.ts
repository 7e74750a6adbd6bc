import { marketProblem } from '../../instruments/index.js'
import type { Instrument } from '../../instruments/schema.js'
import { type PriceBand, type Quote, type SymbolRef, symbolKey } from '../../market/schema.js'
import {
  exactQuantity,
  formatMoney,
  fromMoney,
  MAX_MONEY,
  type Money,
  timesQuantity,
} from '../../money/index.js'
import type { TradingHours } from '../clock/trading-hours.js'
import type { SandboxOrder } from '../schema.js'
import type { SandboxSettings } from '../settings.js'
import type { OrderDraft } from './acceptance.js'
import { closingAndOpening } from './ledger.js'
import { marginPrice, requiredMargin } from './margin.js'
import { lastPriceIn } from './matching.js'
import { positionKey } from './new-order.js'
import type { Account, SandboxState } from './state.js'

/** The margin an order blocks, and the units it is for. */
interface Assessment {
  margin: Money
  marginQuantity: number
  /** The limit price, or the last price for a MARKET order. */
  price: Money
}

/** `stored`: the order book keeps the refused order as rejected. */
interface Objection {
  message: string
  stored?: true
}

export interface AccountSituation {
  state: SandboxState
  account: Account
  settings: SandboxSettings
  now: number
  hours: TradingHours
  priceBand(ref: SymbolRef): PriceBand | undefined
}

/** Runs the checks that depend on the account, the market and the time (docs/sandbox.md). */
export function assess(
  draft: OrderDraft,
  quote: Quote | undefined,
  situation: AccountSituation,
): Assessment | Objection {
  const { request } = draft
  const held = situation.account.positions.get(positionKey(request))?.quantity ?? 0
  const { closing, opening } = closingAndOpening(held, signedQuantity(request))
  // It trades in a later session, which has hours and a price band of its own.
  const isLater = request.instructions?.amo === true
  const late = isLater ? undefined : checkHours(request, closing > 0 && opening === 0, situation)
  if (late) return { message: late }
  const oversell = checkDelivery(request, request.quantity, situation)
  if (oversell) return { message: oversell, stored: true }
  const last = lastPriceIn(quote)
  const asked = { ...request, price: fromMoney(draft.price), triggerPrice: fromMoney(draft.triggerPrice) }
  const problem = marketProblem(asked, {
    lastPrice: fromMoney(last),
    band: isLater ? undefined : situation.priceBand(request),
    tickSize: draft.instrument?.tickSize ?? 0,
  })
  if (problem) return { message: problem.message }
  if (request.priceType === 'MARKET' && last === 0n) {
    return {
      message: `Cannot place MARKET order for ${request.symbol} - unable to fetch current price. Please try again later or use LIMIT order with a specific price.`,
    }
  }
  const price = request.priceType === 'MARKET' ? last : draft.price
  return fund(
    { ...request, price, triggerPrice: draft.triggerPrice },
    draft.instrument,
    opening,
    0n,
    last,
    situation,
  )
}

/**
 * Returns the margin for `opening` units beside the `held` margin the order already blocks, or why the
 * account cannot pay it.
 * @param last the last price; 0 when it is unknown
 */
export function fund(
  order: Pick<
    SandboxOrder,
    'action' | 'product' | 'exchange' | 'priceType' | 'price' | 'triggerPrice' | 'quantity'
  >,
  instrument: Instrument | undefined,
  opening: number,
  held: Money,
  last: Money,
  { account, settings }: AccountSituation,
): Assessment | Objection {
  const price = marginPrice(order, last)
  if (price <= 0n) {
    return {
      message: `Invalid price for margin calculation. Please provide valid price/trigger_price for ${order.priceType} order`,
    }
  }
  if (timesQuantity(price, order.quantity) > MAX_MONEY) {
    return { message: 'Unable to calculate margin: the order value exceeds the maximum of the ledger' }
  }
  const margin = requiredMargin(order, instrument, opening, price, settings)
  const shortage = shortageOf(margin - held, account.funds.available)
  return shortage ? { message: shortage } : { margin, marginQuantity: opening, price: order.price }
}

/** Returns the refusal when the account lacks `required`. Returning money is always possible. */
export function shortageOf(required: Money, available: Money): string | undefined {
  if (required <= 0n || required <= available) return undefined
  const [needed, have, lacking] = [required, available, required - available].map((amount) =>
    formatMoney(amount),
  )
  return `Insufficient funds. Required: ₹${needed}, Available: ₹${have}, Shortage: ₹${lacking}`
}

/**
 * Checks that an account owns the shares it sells for delivery: position plus holdings, less the shares that
 * waiting sell orders will use.
 * @param except the order being modified, which does not compete with itself
 */
export function checkDelivery(
  order: Pick<SandboxOrder, 'symbol' | 'exchange' | 'product' | 'action'>,
  quantity: number,
  { state, account }: AccountSituation,
  except?: SandboxOrder,
): string | undefined {
  if (order.product !== 'CNC' || order.action !== 'SELL') return undefined
  const position = account.positions.get(positionKey(order))?.quantity ?? 0
  const holdings = account.holdings.get(symbolKey(order))?.quantity ?? 0
  let promised = 0
  for (const other of state.waitingOn(symbolKey(order))) {
    const rival = other.product === 'CNC' && other.action === 'SELL' && other.userId === account.funds.userId
    if (rival && other !== except) promised += other.quantity
  }
  const free = Math.max(0, exactQuantity(position + holdings - promised))
  if (quantity <= free) return undefined
  if (position + holdings <= 0) {
    return `Cannot sell ${order.symbol} in CNC. No positions or holdings available. CNC (delivery) requires existing shares. Use MIS for intraday short selling.`
  }
  const waiting = promised > 0 ? `, Pending sells: ${promised}` : ''
  return `Cannot sell ${quantity} shares of ${order.symbol} in CNC. Only ${free} shares available (Position: ${position}, Holdings: ${holdings}${waiting})`
}

export function signedQuantity(order: Pick<SandboxOrder, 'action' | 'quantity'>): number {
  return order.action === 'BUY' ? order.quantity : -order.quantity
}

function checkHours(
  order: Pick<SandboxOrder, 'product' | 'exchange'>,
  reducing: boolean,
  { now, hours }: AccountSituation,
): string | undefined {
  return order.product === 'MIS' && !reducing ? hours.intradayRefusal(order.exchange, now) : undefined
}
