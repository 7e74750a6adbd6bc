import { fromMoney } from '../../money/index.js'
import { istDateTime } from '../../time/index.js'
import type { GttChange, GttRequest, GttView, SandboxGtt } from '../schema.js'

/** Returns a row of the GTT order book. @param lastPrice rupees; undefined when the market does not answer */
export function gttView(gtt: SandboxGtt, lastPrice: number | undefined): GttView {
  return {
    trigger_id: gtt.gttId,
    trigger_type: gtt.triggerType,
    status: gtt.status,
    symbol: gtt.symbol,
    exchange: gtt.exchange,
    trigger_prices: triggersOf(gtt),
    last_price: lastPrice ?? fromMoney(gtt.lastPrice),
    legs: gtt.legs.map(({ action, quantity, price, priceType, product }) => ({
      action,
      quantity,
      price: fromMoney(price),
      pricetype: priceType,
      product,
    })),
    created_at: isoOf(gtt.createdAt),
    updated_at: isoOf(gtt.updatedAt),
    expires_at: isoOf(gtt.expiresAt),
    strategy: gtt.strategy,
    margin_blocked: fromMoney(gtt.margin),
  }
}

/** What a GTT is about, in the words of a {@link GttRequest}. */
export type GttTerms = Pick<
  GttRequest,
  'symbol' | 'exchange' | 'action' | 'quantity' | 'product' | 'priceType' | 'legs'
>

/** Returns what a GTT is about; undefined for one without legs. */
export function gttTerms({ exchange, legs, symbol }: SandboxGtt): GttTerms | undefined {
  const [first] = legs
  if (!first) return undefined
  const { action, priceType, product, quantity } = first
  const shown = legs.map((leg) => ({
    kind: leg.direction === 'below' ? ('stop' as const) : ('target' as const),
    triggerPrice: fromMoney(leg.triggerPrice),
    price: fromMoney(leg.price),
  }))
  return { symbol, exchange, action, quantity, product, priceType, legs: shown }
}

/** Returns the fields that all GTT events share. */
export function gttChange(gtt: SandboxGtt): GttChange {
  return {
    strategy: gtt.strategy,
    symbol: gtt.symbol,
    exchange: gtt.exchange,
    trigger_type: gtt.triggerType,
    trigger_id: gtt.gttId,
    trigger_prices: triggersOf(gtt),
  }
}

function triggersOf({ legs }: SandboxGtt): number[] {
  return legs.map(({ triggerPrice }) => fromMoney(triggerPrice))
}

function isoOf(ms: number): string {
  return `${istDateTime(ms).replace(' ', 'T')}+05:30`
}
