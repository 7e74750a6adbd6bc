import { tickProblem } from '../../instruments/index.js'
import { MAX_MONEY, type Money, timesQuantity, toMoney } from '../../money/index.js'
import type { OrderRequest } from '../../orders/schema.js'
import { checkPrice, draftOf } from '../engine/acceptance.js'
import { signedQuantity } from '../engine/assessment.js'
import type { ExecutionPorts } from '../engine/execution.js'
import { closingAndOpening } from '../engine/ledger.js'
import { requiredMargin } from '../engine/margin.js'
import { positionKey } from '../engine/new-order.js'
import type { Account } from '../engine/state.js'
import type { GttRequest, SandboxGtt, SandboxGttLeg } from '../schema.js'

const LEGS = { SINGLE: 1, OCO: 2 } as const
const SHAPE_TEXT = 'A SINGLE GTT needs exactly one of triggerprice_sl or triggerprice_tg; an OCO needs both.'

/** The legs of a GTT with their margins, and the margin of the GTT; or the reason for a refusal. */
type PlannedGtt = { legs: SandboxGttLeg[]; margin: Money } | { message: string }

/** Validates a request and calculates its margin. The caller checks whether the account can pay it. */
export function planGtt(ports: ExecutionPorts, account: Account, request: GttRequest): PlannedGtt {
  const problem = checkShape(request)
  if (problem) return { message: problem }
  const legs: SandboxGttLeg[] = []
  for (const [index, asked] of request.legs.entries()) {
    const order = orderBehind(request, asked.price)
    const draft = draftOf(order, ports.instruments)
    if ('message' in draft) return draft
    const { triggerPrice: trigger } = asked
    const off =
      draft.instrument && tickProblem({ price: 0, triggerPrice: trigger }, draft.instrument.tickSize)
    if (off) return { message: off.message }
    const triggerPrice = toMoney(asked.triggerPrice)
    const price = request.priceType === 'LIMIT' ? draft.price : 0n
    const basis = price > 0n ? price : triggerPrice
    if (timesQuantity(basis, request.quantity) > MAX_MONEY) {
      return { message: 'Unable to calculate margin: the order value exceeds the maximum of the ledger' }
    }
    const held = account.positions.get(positionKey(request))?.quantity ?? 0
    const { opening } = closingAndOpening(held, signedQuantity(request))
    legs.push({
      legNumber: index + 1,
      direction: asked.kind === 'stop' ? 'below' : 'above',
      action: request.action,
      product: request.product,
      triggerPrice,
      quantity: request.quantity,
      price,
      priceType: request.priceType,
      status: 'pending',
      triggeredOrderId: null,
      margin: requiredMargin(request, draft.instrument, opening, basis, ports.settings),
      claimedAt: null,
    })
  }
  return { legs, margin: marginOf(legs, ports) }
}

/** Returns the order that a leg sends. */
export function orderOfLeg(gtt: SandboxGtt, leg: SandboxGttLeg, price: number): OrderRequest {
  return {
    strategy: gtt.strategy === '' ? 'GTT' : gtt.strategy,
    symbol: gtt.symbol,
    exchange: gtt.exchange,
    action: leg.action,
    quantity: leg.quantity,
    product: leg.product,
    priceType: leg.priceType,
    price,
    triggerPrice: 0,
    disclosedQuantity: 0,
  }
}

function checkShape({ type, legs, product }: GttRequest): string | undefined {
  if (product === 'MIS') {
    return 'GTT supports only CNC (delivery) or NRML (overnight F&O); MIS is intraday-only.'
  }
  if (legs.length !== LEGS[type] || new Set(legs.map(({ kind }) => kind)).size !== legs.length) {
    return SHAPE_TEXT
  }
  for (const { triggerPrice } of legs) {
    const problem = checkPrice(triggerPrice, SHAPE_TEXT, 'Trigger price')
    if (problem) return problem
  }
  const [stop, target] = ['stop', 'target'].map((kind) => legs.find((leg) => leg.kind === kind)?.triggerPrice)
  return stop !== undefined && target !== undefined && stop >= target
    ? 'Stoploss trigger must be less than target trigger (triggerprice_tg).'
    : undefined
}

function orderBehind(request: GttRequest, price: number): OrderRequest {
  const { strategy, symbol, exchange, action, quantity, product, priceType } = request
  return {
    strategy,
    symbol,
    exchange,
    action,
    quantity,
    product,
    priceType,
    price,
    triggerPrice: 0,
    disclosedQuantity: 0,
  }
}

/**
 * Only one of two legs can fire, so the more expensive one covers both, unless the settings ask for the sum.
 */
function marginOf(legs: readonly SandboxGttLeg[], { settings }: ExecutionPorts): Money {
  const both = settings.get('gtt_oco_margin_mode') === 'sum'
  let total = 0n
  for (const { margin } of legs) {
    if (both) total += margin
    else if (margin > total) total = margin
  }
  return total
}
