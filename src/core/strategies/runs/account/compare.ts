import { isDeepStrictEqual } from 'node:util'
import { exactQuantity } from '../../../money/index.js'
import { type AccountState, type RunAccount, timeOfOrderRef } from '../../../orders/index.js'
import type { Contract } from '../../engine/definition.js'
import type { Closure } from '../../engine/messages.js'
import { eventOf, unexplainedText, unlistedText } from '../../engine/texts.js'
import type { Claim } from '../../engine/types.js'
import type { ActiveRun } from '../active-run.js'

/**
 * A difference that no order explains must last this long. A broker's positions may lag behind its orders, and a book that
 * is wrong for some seconds must not leave a position without its stop. Delivery is never given up for such a difference:
 * shares are in two books, one of which the broker builds overnight.
 */
const LAST_MS = 30_000
/** Some brokers tell the time of an order in whole seconds. */
const SECOND_MS = 1_000

/** The result of comparing one position. */
export interface Found {
  /** The trading day. */
  session: string
  /** The quantity that orders of others had filled when nothing was missing. Undefined if something always was. */
  byOthers: number | undefined
  missing: number
  /** The monotonic reading at which this quantity was first missing. */
  since: number
  /** True once an event has said that no order explains what is missing. */
  isReported?: boolean
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

/** Returns whether an account knows the fills of a position. */
export function knowsFills({ orders }: Claim, state: AccountState): boolean {
  return orders.every(({ filled, id }) => {
    const known = state.fill(id)
    return known ? known.filled === null || known.filled === filled : filled === 0
  })
}

/**
 * Returns what a finding says on a day. A broker's book of orders begins anew with each day: others have filled nothing yet,
 * and a quantity that was missing the day before may have been a book that was late.
 */
export function foundOn(session: string, found: Found | undefined): Found | undefined {
  // A date that goes back is no new session: the clock was set back.
  if (!found || found.session >= session) return found
  return { ...found, session, byOthers: found.byOthers === undefined ? undefined : 0, missing: 0 }
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

/** Returns whether a quantity has been missing for half a minute. */
export function hasLasted(before: Found | undefined, missing: number, now: number): boolean {
  return before?.missing === missing && now - before.since >= LAST_MS
}

/** Returns whether a position is in shares that are held for delivery. */
export function isDelivery({ product }: Claim): boolean {
  return product === 'CNC'
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

/** Tells the runs of a quantity that is missing although no order explains it. They keep their quantities. */
export function tellUnexplained(
  group: readonly Owned[],
  { holds, isListed, missing }: { holds: number; isListed: boolean; missing: number },
): void {
  for (const { claim, run } of group) {
    const payload = {
      symbol: claim.symbol,
      exchange: claim.exchange,
      product: claim.product,
      position_ref: claim.positionRef,
      missing,
      account_holds: holds,
    }
    const message = isListed ? unexplainedText(claim, { holds, missing }) : unlistedText(claim)
    const more = { legId: claim.legId, severity: 'warn', payload } as const
    run.perform([{ type: 'event', event: eventOf('leg_close_manual', message, more) }])
  }
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
