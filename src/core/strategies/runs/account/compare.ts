import { isDeepStrictEqual } from 'node:util'
import { exactQuantity } from '../../../money/index.js'
import { type AccountState, type RunAccount, timeOfOrderRef } from '../../../orders/index.js'
import type { Claim, Closure, Contract } from '../../engine/types.js'
import type { ActiveRun } from '../active-run.js'

/**
 * A difference that no order explains must last this long. A broker's positions may lag behind its orders, and a book that
 * is wrong for some seconds must not leave a position without its stop.
 */
const LAST_MS = 30_000
/** Some brokers tell the time of an order in whole seconds. */
const SECOND_MS = 1_000

/** The result of comparing one position. */
export interface Found {
  /** The quantity that orders of others had filled when nothing was missing. Undefined if something always was. */
  byOthers: number | undefined
  missing: number
  /** The moment at which this quantity was first missing. */
  since: number
}

/** A position that a run counts on, with its run. */
export interface Owned {
  run: ActiveRun
  claim: Claim
}

/** A signed quantity of a contract and product. */
export interface HeldPosition extends Contract {
  product: string
  quantity: number
}

/** Returns the signed quantity that a list holds of one position. */
export function countedIn(all: readonly HeldPosition[], position: Contract & { product: string }): number {
  const quantities = all.filter((one) => isSame(one, position)).map(({ quantity }) => quantity)
  return exactQuantity(quantities.reduce((sum, quantity) => sum + quantity, 0))
}

export function keyOf(account: RunAccount, { exchange, product, symbol }: Claim): string {
  return JSON.stringify([account, exchange, symbol, product])
}

/**
 * Returns whether the runs and their account know the same fills, so that their quantities can be compared.
 * @param before what all runs held, or were about to hold, of one position of the account before it was read
 * @param after the same after the reading: an order that was placed meanwhile may be in the account already
 */
export function isSettled(before: readonly Claim[], after: readonly Claim[], state: AccountState): boolean {
  return isDeepStrictEqual(before, after) && before.every((claim) => knowsFills(claim, state))
}

/**
 * Returns whether an account knows the fills of a position. Bought shares leave the positions of an account on the next
 * day, so delivery is compared on its first day only.
 */
export function knowsFills({ orders, product }: Claim, state: AccountState): boolean {
  return orders.every(({ filled, id }) => {
    const known = state.fill(id)
    if (!known) return filled === 0
    if (product === 'CNC' && filled > 0 && !known.isOfToday) return false
    return known.filled === null || known.filled === filled
  })
}

/** Returns whether an order of a position is in doubt. */
export function isInDoubt({ orders }: Claim): boolean {
  return orders.some((order) => order.isInDoubt)
}

/** Returns the units that runs count on and the account does not hold on their side. */
export function missingOf(counted: number, holds: number): number {
  if (counted > 0) return Math.max(counted - Math.max(holds, 0), 0)
  return Math.max(Math.min(holds, 0) - counted, 0)
}

/**
 * Returns whether a quantity is certainly missing: orders of others have closed so much, or it has been missing for half a
 * minute.
 */
export function isCertain(
  before: Found | undefined,
  { closed, missing, now }: { closed: number; missing: number; now: number },
): boolean {
  return closed >= missing || (before?.missing === missing && now - before.since >= LAST_MS)
}

/**
 * Returns the quantity that orders of others have closed since nothing was missing. The first comparison after a start of
 * the service knows no such moment: there the orders count that are newer than the positions.
 * @param side 1 for long positions, -1 for short ones
 */
export function closedByOthers(
  side: number,
  group: readonly [Owned, ...Owned[]],
  state: AccountState,
  before: Found | undefined,
): number {
  const claims = group.map(({ claim }) => claim)
  const [first] = group
  if (before?.byOthers !== undefined) return side * (before.byOthers - state.byOthers(first.claim))
  return closedSince(side, claims, state)
}

/** Returns the quantity that orders of others have closed since positions were opened, without what runs gave up for it. */
export function closedSince(side: number, claims: readonly Claim[], state: AccountState): number {
  const [first] = claims
  if (!first) return 0
  const refs = claims.flatMap(({ orders }) => orders.map(({ id }) => id))
  const opened = Math.min(...refs.map(timeOfOrderRef))
  const givenUp = claims.reduce((sum, { closedElsewhere }) => sum + closedElsewhere, 0)
  return -side * state.byOthers(first, opened - (opened % SECOND_MS)) - givenUp
}

/** Takes the missing quantity from the runs on that side, the oldest first. */
export function giveUp(
  group: readonly Owned[],
  { counted, holds, missing }: { counted: number; holds: number; missing: number },
  at: number,
): void {
  let left = missing
  const side = Math.sign(counted)
  for (const { claim, run } of group) {
    const quantity = Math.min(Math.max(claim.quantity * side, 0), left)
    if (quantity === 0) continue
    left -= quantity
    const closure: Closure = { positionRef: claim.positionRef, quantity, accountHolds: holds }
    run.apply({ type: 'closed_elsewhere', closures: [closure], at })
  }
}

/** Returns whether two contracts with their products are one position of an account. */
function isSame(
  one: Contract & { product: string },
  { exchange, product, symbol }: Contract & { product: string },
): boolean {
  return one.exchange === exchange && one.product === product && one.symbol === symbol
}
