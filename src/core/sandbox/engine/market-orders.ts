import { symbolKey } from '../../market/schema.js'
import { exactQuantity, fromMoney } from '../../money/index.js'
import { isOpenPosition, type PositionRef, type WaitingTerms, waitAlike } from '../../orders/schema.js'
import type { OpenPart, SandboxOrder } from '../schema.js'
import { signedQuantity } from './assessment.js'
import { positionKey } from './new-order.js'
import type { SandboxState } from './state.js'

/** Returns the quantity a position will have once the MARKET orders that wait have filled. */
export function expectedPosition(state: SandboxState, userId: string, ref: PositionRef): number {
  return exactQuantity(heldIn(state, userId, ref) + sumOf(marketOrdersOf(state, userId, ref)))
}

/** Returns the signed quantity of a position's MARKET orders that wait for the next opening. */
export function atNextOpening(state: SandboxState, userId: string, ref: PositionRef): number {
  return sumOf(marketOrdersOf(state, userId, ref).filter(({ opensAt }) => opensAt !== null))
}

/**
 * Returns the part of a position that no waiting MARKET order closes yet. If they close all of it, nothing more may be sent:
 * it would open the other side when they fill.
 */
export function openPart(state: SandboxState, userId: string, ref: PositionRef): OpenPart {
  const held = heldIn(state, userId, ref)
  if (!isOpenPosition({ product: ref.product, quantity: held })) return { quantity: 0 }
  const opposite = marketOrdersOf(state, userId, ref).filter(({ action }) => (action === 'SELL') === held > 0)
  const pending = Math.abs(sumOf(opposite))
  const left = exactQuantity(Math.max(0, Math.abs(held) - pending))
  if (left > 0) return { quantity: held > 0 ? left : -left }
  const problem = `MARKET orders that close it wait already (${pending} pending). If they stay open, cancel them first`
  return { quantity: 0, problem }
}

/** Returns the quantity of a position's orders that wait for a price with exactly these terms. */
export function waitingAlike(
  state: SandboxState,
  userId: string,
  ref: PositionRef,
  terms: WaitingTerms,
): number {
  return waitingOf(state, userId, ref)
    .filter((order) => {
      const [price, triggerPrice] = [fromMoney(order.price), fromMoney(order.triggerPrice)]
      return waitAlike({ ...order, price, triggerPrice }, terms)
    })
    .reduce((sum, { quantity }) => exactQuantity(sum + quantity), 0)
}

function heldIn(state: SandboxState, userId: string, ref: PositionRef): number {
  return state.accounts.get(userId)?.positions.get(positionKey(ref))?.quantity ?? 0
}

function marketOrdersOf(state: SandboxState, userId: string, ref: PositionRef): SandboxOrder[] {
  return waitingOf(state, userId, ref).filter(({ priceType }) => priceType === 'MARKET')
}

function waitingOf(state: SandboxState, userId: string, ref: PositionRef): SandboxOrder[] {
  return [...state.waitingOn(symbolKey(ref))].filter(
    (order) => order.userId === userId && order.product === ref.product,
  )
}

function sumOf(orders: readonly SandboxOrder[]): number {
  return orders.reduce((sum, order) => exactQuantity(sum + signedQuantity(order)), 0)
}
