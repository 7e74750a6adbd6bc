import { z } from 'zod'
import type { BrokerOrder, BrokerPosition } from '../../brokers/broker.js'
import { isExchange } from '../../instruments/index.js'
import { accountAt, onTheWay } from '../account/positions.js'
import { CLOSING_STRATEGY } from '../journal/journal.js'
import type { PositionFilter, PositionRef } from '../ports.js'
import { baseOf, messageOfAnswer, publishFailed } from '../publish.js'
import { failure, success } from '../result.js'
import type { PlaceOrderPayload, Product } from '../schema.js'
import { type MultiOrderKind, type PlanTools, slotOf } from './kind.js'
import { type PlannedLeg, tenASecond } from './plan.js'

const closePayload = z.object({
  strategy: z.string(),
  symbol: z.string().optional(),
  exchange: z.string().optional(),
  product: z.enum(['MIS', 'NRML', 'CNC']).optional(),
})
export type ClosePayload = { strategy: string } & PositionFilter

/**
 * Closes open positions at the broker, each with the opposite MARKET order for what is held (contract, api-orders
 * 5.6). It can only reduce risk, so it passes when trading is stopped. What an earlier close has already on its
 * way is not closed twice.
 */
export const CLOSE_POSITIONS: MultiOrderKind<ClosePayload> = {
  operation: 'closeposition',
  payload: closePayload,
  reduces: true,
  slots: async (payload, _run, tools) => ['close', ...(await openPositions(payload, tools)).map(slotOf)],
  async plan(payload, _run, tools, held) {
    // A position that was opened after the slots were taken belongs to a later request.
    const open = (await openPositions(payload, tools)).filter((row) => held?.includes(slotOf(row)) ?? true)
    if (open.length === 0) {
      if (payload.symbol === undefined) {
        const counts = { closed_positions: 0, failed_closures: 0 }
        return { answer: success({ message: 'All Open Positions Squared Off', ...counts }) }
      }
      return { answer: failure('not_found', 404, `No open position found for ${payload.symbol}`) }
    }
    const legs = open.map((position): PlannedLeg => {
      const { symbol, exchange, product } = position
      return { shown: { symbol, exchange, product }, orders: [{ shown: {}, order: closingOrder(position) }] }
    })
    return {
      plan: { shape: 'close', head: {}, legs },
      pacing: tenASecond(legs.length),
      gated: false,
      resumable: false,
    }
  },
  publish({ symbol, exchange, product }, { outcome }, ports) {
    if (outcome.answer.code !== 'ok') {
      publishFailed(ports, outcome)
      return
    }
    ports.emit('position.closed', {
      ...baseOf(outcome),
      symbol: symbol ?? '',
      exchange: exchange ?? '',
      product: product ?? '',
      orderid: '',
      message: messageOfAnswer(outcome.answer),
    })
  },
}

interface OpenPosition {
  symbol: string
  exchange: string
  product: Product
  /** Signed: what is held, less what is about to be closed. */
  quantity: number
}

/** Positions that match, without what closing orders at the broker will take of them. */
async function openPositions(filter: PositionFilter, { broker }: PlanTools): Promise<OpenPosition[]> {
  const { positions, orders } = await accountAt(broker.client(), (row) => isOf(row, filter))
  return positions
    .filter((position) => position.quantity !== 0 && isOf(position, filter))
    .flatMap((position) => {
      const left = stillOpen(position, orders)
      return left === 0 ? [] : [{ ...position, quantity: left }]
    })
}

function isOf(row: PositionRef, { symbol, exchange, product }: PositionFilter): boolean {
  return (
    (symbol === undefined || symbol === row.symbol) &&
    (exchange === undefined || exchange === row.exchange) &&
    (product === undefined || product === row.product)
  )
}

/** What is held, less what orders on their way will close of it; never more, and never the other side. */
function stillOpen(position: BrokerPosition, orders: readonly BrokerOrder[]): number {
  const { quantity } = position
  const opposite = orders.filter(({ action }) => action === (quantity > 0 ? 'SELL' : 'BUY'))
  const left = Math.max(0, Math.abs(quantity) - Math.abs(onTheWay(opposite, position)))
  return quantity > 0 ? left : -left
}

function closingOrder({ symbol, exchange, product, quantity }: OpenPosition): PlaceOrderPayload {
  if (!isExchange(exchange)) throw new Error(`the broker has a position on an unknown exchange: ${exchange}`)
  return {
    strategy: CLOSING_STRATEGY,
    symbol,
    exchange,
    action: quantity > 0 ? 'SELL' : 'BUY',
    quantity: Math.abs(quantity),
    pricetype: 'MARKET',
    product,
    price: 0,
    trigger_price: 0,
    disclosed_quantity: 0,
    underlying_ltp: null,
  }
}
