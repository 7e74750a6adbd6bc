import type { BrokerOrder, BrokerPosition } from '../../brokers/broker.js'
import { ServiceError } from '../../errors/index.js'
import { piecesProblem } from '../../instruments/index.js'
import { exactQuantity } from '../../money/index.js'
import { closingProduct } from '../account/closing-product.js'
import {
  type BrokerAccount,
  fillingNow,
  isIn,
  isUncertain,
  onTheWay,
  type PositionName,
  waitingAlike,
} from '../account/positions.js'
import { publishPlaced } from '../publish/publish.js'
import { markedWith, refusal } from '../result.js'
import {
  type Action,
  isOpenPosition,
  type OrderPayload,
  type PositionRef,
  PRODUCTS,
  type PriceType,
  sideOf,
  type WaitingTerms,
} from '../schema.js'
import { requireNoDoubt } from './in-doubt.js'
import { type MultiOrderKind, type PlanTools, type Run, slotOf } from './kind.js'
import { inPieces } from './plans/pieces.js'
import { oneByOne, ordersOf, tenASecond } from './plans/plan.js'
import { orderOf, type SmartOrderPayload, smartOrderPayload } from './schema.js'
import { MAX_PARTS, TOO_MANY_PARTS } from './split.js'

const MATCHED = 'Positions Already Matched. No Action needed.'
const NO_POSITION = 'No OpenPosition Found. Not placing Exit order.'

/** The order that changes one net position into another, or the message why no order is needed. */
type SmartDecision = { action: Action; quantity: number } | { message: string }

/**
 * The decision table of smart orders. The request's own side and size count only when both the position and
 * the target are zero: it is a new trade then.
 */
export function decide(
  current: number,
  targetSize: number,
  asked: { action: Action; quantity: number },
): SmartDecision {
  // A target calculated in floats may differ from the position only by their noise.
  const target = exactQuantity(targetSize)
  if (current === target) {
    if (asked.quantity === 0) return { message: NO_POSITION }
    return current === 0 ? { action: asked.action, quantity: asked.quantity } : { message: MATCHED }
  }
  const quantity = exactQuantity(Math.abs(target - current))
  return { action: target > current ? 'BUY' : 'SELL', quantity }
}

/**
 * Returns what is left of a change beside orders with the same terms that wait already: without them, each repeat of a limit
 * order would rest beside the one before, and all of them could fill.
 */
function less(change: SmartDecision, waiting: number, priceType: PriceType): SmartDecision {
  if ('message' in change || waiting === 0) return change
  const quantity = exactQuantity(change.quantity - waiting)
  if (quantity > 0) return { ...change, quantity }
  return {
    message: `${priceType} orders to ${change.action} ${waiting} already wait at this price. No Action needed.`,
  }
}

/** Returns what an order asks beside its size. */
export function waitingTerms({
  action,
  price,
  pricetype,
  trigger_price,
}: Pick<OrderPayload, 'action' | 'price' | 'pricetype' | 'trigger_price'>): WaitingTerms {
  return { action: sideOf(action), priceType: pricetype, price, triggerPrice: trigger_price }
}

/** Returns how much of an order closes the position; the rest opens the other side. */
function closingPart(current: number, change: SmartDecision): number {
  if ('message' in change) return 0
  const { action, quantity } = change
  const reduces = action === 'SELL' ? current > 0 : current < 0
  return reduces ? Math.min(Math.abs(current), quantity) : 0
}

/** `placesmartorder`: trades the difference between the current position and the requested one. */
export const SMART_ORDER: MultiOrderKind<SmartOrderPayload, 'placesmartorder'> = {
  operation: 'placesmartorder',
  payload: smartOrderPayload,
  slots: async (payload) => [slotOf(payload)],
  async plan(payload, run, tools) {
    const { strategy, position_size: target, ...line } = payload
    const asked = { action: sideOf(line.action), quantity: line.quantity }
    const now = await positionNow(payload, run, tools)
    const current = positionFor(target, now, line.product)
    if (now.foreign && current === 0 && target === 0) refuseForeign(now.foreign, payload)
    const isSold = current !== now.current
    const change = isSold ? { message: NO_POSITION } : decide(current, target, asked)
    if ('message' in change) {
      const later = await whyLater(payload, now, run, tools)
      if (later !== undefined) return { result: markedWith(run.mode, refusal('conflict', later)) }
    }
    const isTarget = exactQuantity(target) !== current
    const waiting =
      isTarget && 'action' in change
        ? await now.waitingAlike(waitingTerms({ ...line, action: change.action }))
        : 0
    const decision = less(change, waiting, line.pricetype)
    if ('message' in decision) {
      return { result: markedWith(run.mode, { outcome: 'no_action', message: decision.message }) }
    }
    const ending = run.mode === 'live' ? closingProduct(line.product, tools.broker.manifest()) : undefined
    if (ending && 'problem' in ending) return { result: refusal('unsupported', ending.problem) }
    const head = run.mode === 'analyze' ? { mode: run.mode } : {}
    const order = orderOf({ ...line, ...decision }, strategy)
    // Those that wait close first.
    const closing = Math.max(0, exactQuantity(closingPart(current, change) - waiting))
    const largest = tools.largestOrder(payload)
    const problem = closing > 0 ? piecesProblem(order, largest) : undefined
    if (problem !== undefined) return { result: markedWith(run.mode, refusal('refused', problem)) }
    const leg = inPieces(order, closing, largest)
    const count = leg.orders.length
    if (leg.orders.filter(({ opens }) => opens).length > MAX_PARTS) {
      return { result: markedWith(run.mode, refusal('refused', TOO_MANY_PARTS)) }
    }
    return {
      plan: { shape: 'single', head, legs: [{ name: line.symbol, shown: {}, ...leg }] },
      // The sandbox has no limit of orders a second.
      pacing: run.mode === 'analyze' ? oneByOne(count, 0) : tenASecond(count),
      gated: true,
      resumable: true,
      finishes: true,
    }
  },
  target: ({ position_size }) => position_size,
  publish(_payload, { outcome, plan }, ports) {
    const [first] = ordersOf(plan)
    if (!first) return
    const quantity = plan.legs[0]?.split?.total_quantity ?? first.order.quantity
    publishPlaced(ports, outcome, { ...first.order, quantity })
  },
}

/**
 * Returns the position of each instrument as {@link SMART_ORDER} sees it, from one reading of the account; undefined for one
 * that an order in doubt may change.
 * @throws ServiceError when the account cannot be read
 */
export async function currentPositions(
  refs: readonly PositionRef[],
  run: Run,
  { account: accountNow, inDoubt, sandbox }: PlanTools,
): Promise<(NetPosition | undefined)[]> {
  if (run.mode === 'analyze') return Promise.all(refs.map((ref) => simulatedPosition(ref, run, sandbox)))
  const concerns = (row: PositionName) => refs.some((ref) => isIn(row, ref))
  const doubtful = await inDoubt(concerns)
  const account = await accountNow(concerns)
  return refs.map((ref) => (doubtful.some((order) => isIn(order, ref)) ? undefined : netIn(account, ref)))
}

/**
 * Returns the signed net position that orders at the market will lead to, once they are filled. Without them, two signals
 * in a row would both see the position before the first signal, and trade twice. Also a position in the same symbol that
 * the broker holds in a product of its own.
 * @throws ServiceError `unavailable` while an order of the position is in doubt or about to end, `unsupported` where the
 * broker's quantity is in units that are not settled
 */
async function positionNow(payload: SmartOrderPayload, run: Run, tools: PlanTools): Promise<PositionNow> {
  const { symbol, exchange, position_size: target, product } = payload
  const ref = { symbol, exchange, product }
  if (run.mode === 'analyze') return simulatedPosition(ref, run, tools.sandbox)
  requireNoDoubt(await tools.inDoubt((order) => isIn(order, ref)))
  const terms = waitingTerms(payload)
  const isEarly = (read: BrokerAccount) => tradesUnfilled(read, ref, target)
  const account = await tools.account((row) => isIn(row, ref), terms, isEarly)
  const ending = account.orders.find((order) => isIn(order, ref) && isUncertain(order, terms))
  if (ending) throw new ServiceError('unavailable', endingMessage(ending))
  if (isEarly(account)) throw new ServiceError('unavailable', unfilledMessage(account, ref))
  const foreign = account.positions.find(
    (row) =>
      isIn(row, { ...ref, product: row.product }) &&
      row.product !== product &&
      isOpenPosition(row) &&
      !PRODUCTS.some((known) => known === row.product),
  )
  return { ...netIn(account, ref), foreign }
}

/** A position, with what orders at the market will add. */
interface NetPosition {
  current: number
  /** Returns the quantity of its orders that wait for a price with exactly these terms. */
  waitingAlike(terms: WaitingTerms): Promise<number>
}

interface PositionNow extends NetPosition {
  /** A position in the same symbol that the broker holds in a product of its own. */
  foreign?: BrokerPosition | undefined
}

/** Returns why nothing may be traded on a position whose order may fill or end unfilled at this moment. */
function endingMessage({ orderId }: BrokerOrder): string {
  return `Order ${orderId} of this position is being cancelled, or is IOC. Nothing was sent; try again when it has ended.`
}

/**
 * Returns whether an order to a target would trade back more than the position holds, on units that an order at the market has
 * not filled. That order may rest at the limit of its market protection, and the account would be on the other side.
 */
function tradesUnfilled(account: BrokerAccount, ref: PositionRef, target: number): boolean {
  const coming = onTheWay(account.orders, ref)
  if (coming === 0) return false
  const net = netQuantity(account, ref)
  const change = exactQuantity(target - positionFor(target, { current: net }, ref.product))
  if (change === 0 || change > 0 === coming > 0) return false
  const held = exactQuantity(net - coming)
  const closable = held > 0 === coming > 0 ? Math.abs(held) : 0
  return Math.abs(change) > closable
}

function unfilledMessage({ orders }: BrokerAccount, ref: PositionRef): string {
  const [order] = fillingNow(orders, ref)
  const named = order ? `Order ${order.orderId} (${order.action} ${order.pendingQuantity})` : 'An order'
  return `${named} of this position is at the market and not filled yet. Nothing was sent; try again when it has filled, or cancel it first.`
}

async function simulatedPosition(
  { symbol, exchange, product }: PositionRef,
  { userId }: Run,
  sandbox: PlanTools['sandbox'],
): Promise<NetPosition> {
  const ref = { symbol, exchange, product }
  return {
    current: await sandbox.expectedPosition(userId, ref),
    waitingAlike: (terms) => sandbox.waitingAlike(userId, ref, terms),
  }
}

/**
 * Returns why a smart order that needs no order leaves its target unreached today: orders that count as filled wait for the
 * next opening of the sandbox. Another order beside them would trade twice.
 */
async function whyLater(
  { action, amo, exchange, position_size: target, product, quantity, symbol }: SmartOrderPayload,
  { current }: NetPosition,
  { mode, userId }: Run,
  { sandbox }: PlanTools,
): Promise<string | undefined> {
  if (mode === 'live' || amo === true) return undefined
  const later = await sandbox.atNextOpening(userId, { symbol, exchange, product })
  const today = positionFor(target, { current: exactQuantity(current - later) }, product)
  const change = decide(today, target, { action: sideOf(action), quantity })
  if (later === 0 || 'message' in change) return undefined
  const side = later > 0 ? 'BUY' : 'SELL'
  return `MARKET orders to ${side} ${Math.abs(later)} wait for the next opening. Nothing was sent; to trade now, cancel them first`
}

/** Returns a position of an account. @throws as {@link positionNow} */
function netIn(account: BrokerAccount, ref: PositionRef): NetPosition {
  return {
    current: netQuantity(account, ref),
    waitingAlike: async (terms) => waitingAlike(account.orders, ref, terms),
  }
}

function netQuantity({ orders, positions }: BrokerAccount, ref: PositionRef): number {
  const rows = positions.filter((row) => isIn(row, ref))
  requireSettled(rows)
  const held = rows.reduce((sum, row) => sum + row.quantity, 0)
  return exactQuantity(held + onTheWay(orders, ref))
}

/**
 * Returns a position as an order to a target sees it. Delivered or funded shares that were sold today stay sold: an order to
 * zero must not buy them again. For any other target the position counts as it is: a repeat would trade again otherwise.
 */
export function positionFor(target: number, { current }: { current: number }, product: string): number {
  const isSold = current < 0 && !isOpenPosition({ product, quantity: current })
  return isSold && exactQuantity(target) === 0 ? 0 : current
}

function requireSettled(rows: readonly BrokerPosition[]): void {
  const problem = rows.find(({ unsettled }) => unsettled !== undefined)?.unsettled
  if (problem !== undefined) throw new ServiceError('unsupported', `${problem}.`)
}

/**
 * Refuses a close in CNC or MIS of a symbol that is held only in a product of the broker: the order would trade as if
 * nothing were held, and sell delivered shares or open a short.
 * @throws ServiceError `refused`
 */
function refuseForeign(
  held: BrokerPosition,
  { action, exchange, product, quantity, symbol }: SmartOrderPayload,
): void {
  const reduces = quantity === 0 || held.quantity > 0 === (sideOf(action) === 'SELL')
  if (!reduces) return
  throw new ServiceError(
    'refused',
    `${symbol} on ${exchange} is held in ${held.product} (${held.quantity}), not in ${product}. Close that position with: svc position close ${symbol} ${exchange} --product ${held.product}`,
  )
}
