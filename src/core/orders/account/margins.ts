import { z } from 'zod'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import { EXCHANGES } from '../../instruments/schema.js'
import { toMoney, toRupees } from '../../money/index.js'
import type { TradingMode } from '../../trading/index.js'
import { fields } from '../../validation/index.js'
import type { LiveExecution, SandboxExecution } from '../ports.js'
import { actionField, checkQuantity, type OrderRequest, PRICE_TYPES, PRODUCTS, sideOf } from '../schema.js'

const COUNT = 'Positions must contain 1 to 50 items.'

const position = z.strictObject({
  symbol: fields
    .text(1000)
    .refine((text) => text.length >= 1 && text.length <= 50, 'Symbol must be between 1 and 50 characters.'),
  exchange: fields.oneOf(EXCHANGES),
  action: actionField(),
  product: fields.oneOf(PRODUCTS),
  pricetype: fields.oneOf(PRICE_TYPES),
  quantity: fields.number(),
  price: fields.nonNegative('Price must be a non-negative number.').default(0),
  trigger_price: fields.nonNegative('Trigger price must be a non-negative number.').default(0),
})

/** The positions of a margin request; amounts as numbers or as text. */
export const marginPayload = z
  .strictObject({
    positions: fields.list(position).min(1, COUNT).max(50, COUNT),
  })
  .superRefine(({ positions }, ctx) => {
    for (const [index, one] of positions.entries()) checkQuantity(one, ctx, ['positions', index])
  })
type MarginPosition = z.output<typeof position>

interface MarginParts {
  mode(): TradingMode
  broker: LiveExecution
  sandbox: Pick<SandboxExecution, 'preview'>
}

/** The margin that orders would block of the account's funds. */
export class Margins {
  constructor(private readonly parts: MarginParts) {}

  /**
   * Returns the broker's figure in either mode; in Analyzer mode the sandbox's figure if the broker gives
   * none.
   * @throws ServiceError `unsupported`, `not_found`, or the error of the broker
   */
  async estimate(userId: string, positions: readonly MarginPosition[]) {
    const orders = positions.map(toOrder)
    const { broker, mode } = this.parts
    const simulated = mode() === 'analyze'
    const margins = simulated ? this.#marginsIfConnected() : broker.client().margins
    if (!margins) {
      if (simulated) return this.#bySandbox(userId, orders)
      throw new ServiceError(
        'unsupported',
        `Margin calculation not implemented for broker: ${broker.brokerId}`,
      )
    }
    try {
      const { total, span, exposure } = await margins.estimate(orders)
      return { total_margin_required: total, span_margin: span, exposure_margin: exposure }
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  #marginsIfConnected() {
    try {
      return this.parts.broker.client().margins
    } catch {
      return undefined
    }
  }

  async #bySandbox(userId: string, orders: readonly OrderRequest[]) {
    let total = 0n
    for (const order of orders) {
      const { margin, refusal } = await this.parts.sandbox.preview(userId, order)
      if (margin === null) throw new ServiceError('refused', refusal ?? 'Failed to calculate margin')
      total += toMoney(margin)
    }
    const rounded = toRupees(total)
    return { total_margin_required: rounded, span_margin: 0, exposure_margin: rounded }
  }
}

function toOrder(row: MarginPosition): OrderRequest {
  const { symbol, exchange, action, quantity, product, pricetype, price, trigger_price } = row
  return {
    strategy: '',
    symbol,
    exchange,
    action: sideOf(action),
    quantity,
    product,
    priceType: pricetype,
    price,
    triggerPrice: trigger_price,
    disclosedQuantity: 0,
  }
}
