import { CASH_EXCHANGES, type Instrument } from '../../instruments/schema.js'
import { divRound, MONEY_SCALE, type Money, timesQuantity, toMoney } from '../../money/index.js'
import type { Action, Product } from '../../orders/schema.js'
import type { SandboxOrder } from '../schema.js'
import type { LeverageKey, SandboxSettings } from '../settings.js'

/** The inputs of a margin calculation beside quantity and price. */
interface MarginTerms {
  action: Action
  product: Product
  exchange: string
}

/**
 * Returns the margin for opening `quantity` units: quantity x price / leverage. Selling delivered shares
 * needs none.
 */
export function requiredMargin(
  terms: MarginTerms,
  instrument: Instrument | undefined,
  quantity: number,
  price: Money,
  settings: SandboxSettings,
): Money {
  if (quantity === 0) return 0n
  const kind = kindOf(instrument, terms.exchange)
  if (terms.action === 'SELL' && terms.product === 'CNC' && kind === 'equity') return 0n
  const key = LEVERAGE[kind](terms)
  const notional = timesQuantity(price, quantity)
  return key === undefined ? notional : divRound(notional * MONEY_SCALE, settings.leverage(key))
}

/**
 * Returns the price the margin is calculated on: the market price for MARKET, the limit for LIMIT, the
 * trigger for stop orders. An order that would trade above its own price at once (a BUY stop past its
 * trigger, a SELL limit below the market) uses the market price instead: otherwise a trigger of one rupee
 * would buy for one rupee's margin.
 * @param last the last price, if known
 */
export function marginPrice(
  {
    action,
    priceType,
    price,
    triggerPrice,
  }: Pick<SandboxOrder, 'action' | 'priceType' | 'price' | 'triggerPrice'>,
  last: Money = 0n,
): Money {
  if (priceType === 'MARKET') return price
  const own = priceType === 'LIMIT' ? price : triggerPrice
  const tradesAbove = (action === 'BUY') === (priceType !== 'LIMIT')
  return own > 0n && tradesAbove && last > own ? last : own
}

/** Returns the profit multiplier: the contract value of crypto contracts, 1 for all others. */
export function contractValueOf(instrument: Instrument | undefined): number {
  return instrument?.contractValue ?? 1
}

/**
 * The highest accepted price. Ledger columns hold about 900 billion rupees; a price past a billion is a
 * mistake.
 */
export const MAX_PRICE: Money = toMoney(1_000_000_000)

type Kind = 'option' | 'future' | 'equity' | 'other'

const LEVERAGE: Record<Kind, (terms: MarginTerms) => LeverageKey | undefined> = {
  option: ({ action }) => (action === 'BUY' ? 'option_buy_leverage' : 'option_sell_leverage'),
  future: () => 'futures_leverage',
  equity: ({ product }) => (product === 'CNC' ? 'equity_cnc_leverage' : 'equity_mis_leverage'),
  other: () => undefined,
}

function kindOf(instrument: Instrument | undefined, exchange: string): Kind {
  const type = instrument?.instrumentType ?? ''
  if (type === 'CE' || type === 'PE') return 'option'
  if (type.endsWith('FUT')) return 'future'
  return CASH_EXCHANGES.has(exchange) ? 'equity' : 'other'
}
