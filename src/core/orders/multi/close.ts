import { z } from 'zod'
import type { BrokerOrder, BrokerPosition } from '../../brokers/broker.js'
import { isExchange, piecesProblem } from '../../instruments/index.js'
import { exactQuantity } from '../../money/index.js'
import { closingProduct } from '../account/closing-product.js'
import { isIn, onTheWay, type PositionName } from '../account/positions.js'
import type { OrderInDoubt } from '../journal/journal.js'
import { CLOSING_STRATEGY } from '../journal/statements.js'
import type { OrderPorts, SimulatedClose } from '../ports.js'
import { baseOf, type Outcome, publishFailed } from '../publish/publish.js'
import { codeOf, type LegResult, messageOfResult, refusal, type Shown } from '../result.js'
import {
  isOpenPosition,
  ORDER_PRODUCTS,
  type OrderPayload,
  type OrderProduct,
  type PositionFilter,
  type PositionRef,
} from '../schema.js'
import { doubtMessage, requireNoDoubt } from './in-doubt.js'
import { type MultiOrderKind, type PlanTools, slotOf } from './kind.js'
import { inPieces } from './plans/pieces.js'
import {
  type BatchPlan,
  type ExecutionPlan,
  LIVE_CLOSE,
  legResults,
  oneByOne,
  ordersOf,
  type PlannedLeg,
  resultOfClose,
  tenASecond,
} from './plans/plan.js'

const closePayload = z.object({
  strategy: z.string(),
  symbol: z.string().optional(),
  exchange: z.string().optional(),
  product: z.enum(ORDER_PRODUCTS).optional(),
})
export type ClosePayload = { strategy: string } & PositionFilter

/**
 * Closes open positions at the broker, each with the opposite MARKET order for the held quantity, in the position's own
 * product, and in pieces if that is more than the exchange takes in one order. A close only reduces risk, so it also passes
 * when trading is stopped. A quantity that the broker is closing at the market
 * already is not closed twice, nor is a position closed while an order of it is in doubt. A position on an exchange
 * that is not known here cannot be closed. The answer lists such positions as still open.
 */
export const CLOSE_POSITIONS: MultiOrderKind<ClosePayload, 'closeposition'> = {
  operation: 'closeposition',
  payload: closePayload,
  reduces: true,
  slots: async (payload, _run, tools) => ['close', ...(await openPositions(payload, tools)).map(slotOf)],
  async plan(payload, _run, tools, slots) {
    // Read before the account: an order that leaves doubt after this shows in what is read next.
    const inDoubt = await tools.inDoubt((order) => isOf(order, payload))
    // A position that opened after this request took its slots belongs to a later request.
    const open = (await openPositions(payload, tools)).filter((row) => slots?.includes(slotOf(row)) ?? true)
    if (open.length === 0) {
      requireNoDoubt(inDoubt)
      if (payload.symbol === undefined) {
        return { result: resultOfClose([], LIVE_CLOSE) }
      }
      return { result: refusal('not_found', await whyNone(payload, tools)) }
    }
    const plan: BatchPlan = {
      shape: 'close',
      head: named(payload),
      legs: open.map((position) => legOf(position, inDoubt, tools)),
    }
    const orders = ordersOf(plan)
    if (orders.length === 0) requireNoDoubt(inDoubt)
    if (orders.length === 0) return { result: resultOfClose(legResults(plan, []), LIVE_CLOSE) }
    return {
      plan,
      pacing: tenASecond(orders.length),
      gated: false,
      resumable: true,
      finishes: true,
    }
  },
  target: () => 0,
  publish: (payload, { outcome }, ports) => publishClose(ports, outcome, payload),
}

/** Returns that the named position is not open, and in which other products the symbol is. */
async function whyNone(
  { product, ...named }: PositionFilter,
  tools: Pick<PlanTools, 'account'>,
): Promise<string> {
  const others = await openPositions(named, tools)
  const none = `No open position found for ${named.symbol}`
  if (others.length === 0) return none
  const held = others.map((row) => `${row.product} (${row.quantity})`).join(' and ')
  return `${none} in ${product}. It is open in ${held}`
}

/** Returns the position that a request names; empty for a close of all. */
function named({ symbol, exchange, product }: PositionFilter): Shown {
  return symbol === undefined ? {} : { symbol, exchange, product }
}

/**
 * Returns the orders that close positions of the sandbox. A position that orders at the market close already is listed as
 * still open, as in Live mode.
 */
export function planOfSimulated(
  open: readonly (PositionRef & { quantity: number; problem?: string })[],
  payload: ClosePayload,
  { largestOrder }: Pick<OrderPorts, 'largestOrder'>,
): ExecutionPlan {
  const legs = open.flatMap((position): PlannedLeg[] => {
    const { symbol, exchange, problem, product, quantity } = position
    const named = { name: symbol, shown: { symbol, exchange, product } }
    if (problem !== undefined) return [{ ...named, problem, orders: [] }]
    if (quantity === 0 || !isExchange(exchange)) return []
    const order = closingOrder(position, exchange, product)
    return [{ ...named, ...closingPieces(order, largestOrder) }]
  })
  const plan: BatchPlan = { shape: 'close', head: named(payload), legs }
  return { plan, pacing: oneByOne(ordersOf(plan).length, 0), gated: false, resumable: true, finishes: true }
}

/** Returns the result of one position that the sandbox closed. A single order that it refused is the position's problem. */
export function legOfSimulated({ pieces, ref }: SimulatedClose): LegResult {
  const shown = { ...ref }
  const [only, ...others] = pieces
  if (only && others.length === 0 && !only.outcome.ok) {
    return { shown, problem: only.outcome.message, orders: [] }
  }
  const sum = (of: typeof pieces) => of.reduce((total, { quantity }) => exactQuantity(total + quantity), 0)
  const left = sum(pieces.filter(({ outcome }) => !outcome.ok))
  const isCut = others.length > 0
  return {
    shown,
    ...(isCut && { split: { total_quantity: sum(pieces), split_size: only?.quantity ?? 0 } }),
    ...(isCut && left > 0 && { left }),
    orders: pieces.map(({ outcome, quantity }, index) => ({
      shown: isCut ? { order_num: index + 1, quantity } : {},
      result: outcome.ok
        ? { outcome: 'placed', orderId: outcome.orderId }
        : { ...refusal(outcome.code, outcome.message), ...(outcome.orderId && { orderId: outcome.orderId }) },
    })),
  }
}

/** Publishes how a close ended. */
export function publishClose(
  ports: Pick<OrderPorts, 'publish'>,
  outcome: Outcome,
  { symbol = '', exchange = '', product }: PositionFilter,
): void {
  const { result } = outcome
  if (codeOf(result) !== 'ok') {
    publishFailed(ports, outcome)
    return
  }
  const closed = { symbol, exchange, product: product ?? '', orderid: '', message: messageOfResult(result) }
  ports.publish({ topic: 'position.closed', result, facts: { ...baseOf(outcome), ...closed } })
}

interface OpenPosition {
  symbol: string
  exchange: string
  /** The broker's own. */
  product: string
  /** Signed: the held quantity, less the pending one. */
  quantity: number
  /** The quantity that orders which the broker is filling at the market will close. */
  pending: number
  /** Why the contract cannot be traded. */
  unsettled?: string
}

/** Returns the matching positions, including those that orders at the broker are about to close. */
async function openPositions(
  filter: PositionFilter,
  { account }: Pick<PlanTools, 'account'>,
): Promise<OpenPosition[]> {
  const { positions, orders } = await account((row) => isOf(row, filter))
  return positions
    .filter((position) => isOpenPosition(position) && isOf(position, filter))
    .map((position) => ({ ...position, ...openPartOf(position, orders) }))
}

function isOf(row: PositionName, { symbol, exchange, product }: PositionFilter): boolean {
  return (
    (symbol === undefined || symbol === row.symbol) &&
    (exchange === undefined || exchange === row.exchange) &&
    (product === undefined || product === row.product)
  )
}

/**
 * Returns the quantity that no order closes yet. It never exceeds the held quantity and never changes sides.
 */
function openPartOf(
  position: BrokerPosition,
  orders: readonly BrokerOrder[],
): Pick<OpenPosition, 'quantity' | 'pending'> {
  const { quantity } = position
  const opposite = orders.filter(({ action }) => action === (quantity > 0 ? 'SELL' : 'BUY'))
  const pending = Math.abs(onTheWay(opposite, position))
  const left = exactQuantity(Math.max(0, Math.abs(quantity) - pending))
  return { quantity: quantity > 0 ? left : -left, pending }
}

function legOf(
  position: OpenPosition,
  inDoubt: readonly OrderInDoubt[],
  { broker, largestOrder }: PlanTools,
): PlannedLeg {
  const { symbol, exchange, product, quantity, pending, unsettled } = position
  const named = { name: symbol, shown: { symbol, exchange, product } }
  const doubt = inDoubt.find((order) => isIn(order, position))
  if (doubt) return { ...named, problem: doubtMessage(doubt), orders: [] }
  if (!isExchange(exchange)) {
    const problem = `Close it at the broker: the exchange ${exchange} is not known here`
    return { ...named, problem, orders: [] }
  }
  const closing = closingProduct(product, broker.manifest())
  if ('problem' in closing) return { ...named, problem: closing.problem, orders: [] }
  if (unsettled !== undefined)
    return { ...named, problem: `Close it at the broker: ${unsettled}`, orders: [] }
  if (quantity !== 0) {
    const order = closingOrder(position, exchange, closing.product)
    return { ...named, ...closingPieces(order, largestOrder) }
  }
  const problem = `MARKET orders or triggered stops that close it wait at the broker already (${pending} pending). If they stay open, cancel them first`
  return { ...named, problem, orders: [] }
}

/** Returns the orders that close a position, or why there are too many. */
function closingPieces(
  order: OrderPayload,
  largestOrder: OrderPorts['largestOrder'],
): Pick<PlannedLeg, 'orders' | 'problem' | 'split' | 'inPieces'> {
  const largest = largestOrder(order)
  const problem = piecesProblem(order, largest)
  return problem === undefined ? inPieces(order, order.quantity, largest) : { problem, orders: [] }
}

function closingOrder(
  { symbol, quantity }: Pick<OpenPosition, 'symbol' | 'quantity'>,
  exchange: OrderPayload['exchange'],
  product: OrderProduct,
): OrderPayload {
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
