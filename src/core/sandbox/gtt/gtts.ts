import { type Quote, symbolKey } from '../../market/schema.js'
import { fromMoney, type Money, toMoney } from '../../money/index.js'
import { gttExpiry, gttExpiryProblem } from '../../orders/schema.js'
import { SECOND_MS } from '../../time/index.js'
import { draftOf, type OrderDraft, refusal } from '../engine/acceptance.js'
import { shortageOf } from '../engine/assessment.js'
import type { Decision, ExecutionPorts } from '../engine/execution.js'
import { block, release } from '../engine/ledger.js'
import { isUsable } from '../engine/matching.js'
import type { OrderTicket } from '../engine/new-order.js'
import type { Account, SandboxState } from '../engine/state.js'
import type {
  GttOutcome,
  GttRequest,
  PlaceOutcome,
  SandboxGtt,
  SandboxGttLeg,
  SandboxRefusal,
} from '../schema.js'
import { orderOfLeg, planGtt } from './gtt-request.js'
import { gttChange } from './gtt-view.js'

/** The ports of the GTT functions: accounts, and the placement of orders when GTTs fire. */
interface GttPorts extends ExecutionPorts {
  /** True while no new order may be sent. */
  readonly stopped: boolean
  account(userId: string, decision: Decision): Account
  objection(
    userId: string,
    draft: OrderDraft,
    quote: Quote | undefined,
    decision: Decision,
  ): string | undefined
  place(ticket: OrderTicket, draft: OrderDraft, quote: Quote | undefined, decision: Decision): PlaceOutcome
}

/** Fields that a modification of a GTT cannot change. */
const FIXED = ['action', 'symbol', 'exchange', 'product'] as const

/** Accepts a GTT and blocks its margin. */
export function placeGtt(
  ports: GttPorts,
  { userId, gttId }: { userId: string; gttId: string },
  request: GttRequest,
  quote: Quote | undefined,
  decision: Decision,
): GttOutcome {
  const late = gttExpiryProblem(request.expiresAt, decision.now)
  if (late) return refusal(late)
  const account = ports.account(userId, decision)
  const plan = planGtt(ports, account, request)
  if ('message' in plan) return refusal(plan.message)
  const shortage = shortageOf(plan.margin, account.funds.available)
  if (shortage) return refusal(shortage)
  const { now, changes } = decision
  const gtt: SandboxGtt = {
    gttId,
    userId,
    triggerType: request.type === 'OCO' ? 'two-leg' : 'single',
    status: 'active',
    symbol: request.symbol,
    exchange: request.exchange,
    lastPrice: priceOf(quote),
    strategy: request.strategy,
    margin: plan.margin,
    legs: plan.legs,
    createdAt: now,
    updatedAt: now,
    expiresAt: gttExpiry(request.expiresAt, now),
  }
  block(account.funds, gtt.margin)
  changes.funds.add(account.funds)
  ports.state.addGtt(gtt)
  record(gtt, decision)
  return { ok: true, triggerId: gttId }
}

/** Replaces triggers, quantity and prices, and blocks or returns the difference in margin. */
export function modifyGtt(
  ports: GttPorts,
  { userId, gttId }: { userId: string; gttId: string },
  request: GttRequest,
  quote: Quote | undefined,
  decision: Decision,
): GttOutcome {
  const gtt = activeGtt(ports.state, userId, gttId)
  if (!gtt) return unknownGtt(gttId)
  const account = ports.account(userId, decision)
  const changed = changeOfIdentity(gtt, request)
  if (changed) return refusal(changed)
  const plan = planGtt(ports, account, request)
  if ('message' in plan) return refusal(plan.message)
  const shortage = shortageOf(plan.margin - gtt.margin, account.funds.available)
  if (shortage) return refusal(`${shortage}. The GTT is unchanged.`)
  block(account.funds, plan.margin - gtt.margin)
  decision.changes.funds.add(account.funds)
  gtt.margin = plan.margin
  gtt.legs.splice(0, gtt.legs.length, ...plan.legs)
  gtt.strategy = request.strategy
  gtt.lastPrice = quote ? priceOf(quote) : gtt.lastPrice
  if (request.expiresAt !== undefined) gtt.expiresAt = gttExpiry(request.expiresAt, decision.now)
  record(gtt, decision)
  return { ok: true, triggerId: gttId }
}

export function cancelGtt(ports: GttPorts, userId: string, gttId: string, decision: Decision): GttOutcome {
  const gtt = activeGtt(ports.state, userId, gttId)
  if (!gtt) return unknownGtt(gttId)
  endGtt(ports, ports.account(userId, decision), gtt, 'cancelled', decision)
  return { ok: true, triggerId: gttId }
}

/** Returns the GTTs of a user that may still fire. */
export function gttsOf(state: SandboxState, userId: string): SandboxGtt[] {
  return [...state.gtts.values()].filter((gtt) => gtt.userId === userId && gtt.status === 'active')
}

/** Ends a GTT that has not fired: returns its margin and cancels its legs. */
export function endGtt(
  { state }: ExecutionPorts,
  { funds }: Account,
  gtt: SandboxGtt,
  status: 'cancelled' | 'expired',
  decision: Decision,
): void {
  release(funds, gtt.margin, 0n, decision.session)
  gtt.margin = 0n
  gtt.status = status
  for (const leg of gtt.legs) leg.status = 'cancelled'
  state.removeGtt(gtt)
  decision.changes.funds.add(funds)
  record(gtt, decision)
  if (status === 'expired') {
    decision.changes.events.push({ topic: 'gtt.expired', userId: gtt.userId, data: gttChange(gtt) })
  }
}

/** Ends every GTT past its expiry. */
export function expireGtts(ports: GttPorts, decision: Decision): void {
  for (const gtt of [...ports.state.gtts.values()]) {
    if (gtt.status === 'active' && gtt.expiresAt <= decision.now) {
      endGtt(ports, ports.account(gtt.userId, decision), gtt, 'expired', decision)
    }
  }
}

/**
 * Fires the GTTs whose trigger the quote reaches. While trading is stopped it fires none and records nothing:
 * those GTTs stay armed, and the first quote after the stop that reaches their trigger fires them.
 */
export function fireGtts(ports: GttPorts, quote: Quote, decision: Decision): void {
  if (!isUsable(quote) || ports.stopped) return
  const ltp = toMoney(quote.ltp)
  for (const gtt of [...ports.state.gttsOn(symbolKey(quote))]) {
    if (gtt.status !== 'active' || gtt.expiresAt <= decision.now) continue
    const leg = gtt.legs.find((one) => isDue(one, ltp, decision.now - claimTimeoutMs(ports)))
    if (leg) fire(ports, gtt, leg, quote, decision)
  }
}

/**
 * Undoes claims without an order once they are older than the configured time. The sandbox writes a claim and
 * its order in one transaction, so such claims only come from files that another program has written.
 */
export function undoStrandedClaims(ports: GttPorts, decision: Decision): void {
  const before = decision.now - claimTimeoutMs(ports)
  for (const gtt of ports.state.gtts.values()) {
    const stranded = gtt.legs.filter(
      ({ status, claimedAt }) => status === 'triggering' && (claimedAt ?? 0) <= before,
    )
    if (stranded.length === 0) continue
    for (const leg of stranded) leg.status = 'pending'
    gtt.status = 'active'
    record(gtt, decision)
  }
}

/**
 * Fires a leg in one decision: claims it, returns the margin, places the order and cancels the sibling. When
 * the order is refused, the GTT is armed again and waits for the claim time before it retries.
 */
function fire(ports: GttPorts, gtt: SandboxGtt, leg: SandboxGttLeg, quote: Quote, decision: Decision): void {
  const { funds } = ports.account(gtt.userId, decision)
  const { margin } = gtt
  leg.claimedAt = decision.now
  release(funds, margin, 0n, decision.session)
  const draft = draftOf(orderOfLeg(gtt, leg, fromMoney(leg.price)), ports.instruments)
  const problem = 'message' in draft ? draft.message : ports.objection(gtt.userId, draft, quote, decision)
  if ('message' in draft || problem !== undefined) {
    block(funds, margin)
    record(gtt, decision)
    const data = { ...gttChange(gtt), error_message: problem ?? '' }
    decision.changes.events.push({ topic: 'gtt.failed', userId: gtt.userId, data })
    return
  }
  gtt.margin = 0n
  gtt.status = 'triggered'
  for (const other of gtt.legs) other.status = other === leg ? 'triggered' : 'cancelled'
  ports.state.removeGtt(gtt)
  decision.changes.funds.add(funds)
  const orderId = ports.nextOrderId()
  leg.triggeredOrderId = orderId
  record(gtt, decision)
  ports.place(
    { userId: gtt.userId, orderId, gttLegId: `${gtt.gttId}-${leg.legNumber}` },
    draft,
    quote,
    decision,
  )
  const data = { ...gttChange(gtt), triggered_order_id: orderId }
  decision.changes.events.push({ topic: 'gtt.triggered', userId: gtt.userId, data })
}

function isDue(leg: SandboxGttLeg, ltp: Money, restedSince: number): boolean {
  if (leg.status !== 'pending' || (leg.claimedAt !== null && leg.claimedAt > restedSince)) return false
  return leg.direction === 'below' ? ltp <= leg.triggerPrice : ltp >= leg.triggerPrice
}

function changeOfIdentity(gtt: SandboxGtt, request: GttRequest): string | undefined {
  const type = gtt.triggerType === 'two-leg' ? 'OCO' : 'SINGLE'
  if (type !== request.type) return fixedText('trigger_type', type, request.type)
  if (gtt.legs.length !== request.legs.length) {
    return `Modify must keep the same trigger shape: this GTT has ${gtt.legs.length} leg(s).`
  }
  const [leg] = gtt.legs
  const known = { symbol: gtt.symbol, exchange: gtt.exchange, action: leg?.action, product: leg?.product }
  const field = FIXED.find((name) => known[name] !== request[name])
  return field && fixedText(field, String(known[field]), request[field])
}

function fixedText(field: string, from: string, to: string): string {
  return `${field} cannot be changed on an existing GTT (${from} -> ${to}). Cancel and re-place.`
}

function activeGtt(state: SandboxState, userId: string, gttId: string): SandboxGtt | undefined {
  const gtt = state.gtts.get(gttId)
  return gtt?.userId === userId && gtt.status === 'active' ? gtt : undefined
}

function unknownGtt(gttId: string): SandboxRefusal {
  return refusal(`No active GTT with trigger_id '${gttId}'`, 'not_found')
}

function claimTimeoutMs({ settings }: ExecutionPorts): number {
  return Number(settings.get('gtt_claim_timeout_sec')) * SECOND_MS
}

function priceOf(quote: Quote | undefined): Money {
  return quote && isUsable(quote) ? toMoney(quote.ltp) : 0n
}

function record(gtt: SandboxGtt, { changes, now }: Decision): void {
  gtt.updatedAt = now
  changes.gtts.add(gtt)
}
