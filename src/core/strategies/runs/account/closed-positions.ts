import type { AccountState } from '../../../orders/index.js'
import { eventOf, reversedText } from '../../engine/texts.js'
import type { Claim } from '../../engine/types.js'
import type { ActiveRun } from '../active-run.js'
import { closedSince, knowsFills } from './compare.js'

/** An account is compared for so long after the last exit of a position. A later order of somebody else is a trade of its own. */
const WATCH_MS = 6_000

interface Held {
  run: ActiveRun
  /** 1 for a long position, -1 for a short one. */
  side: number
}

/** A position that exits of a run have just closed. */
export interface ClosedPosition extends Held {
  claim: Claim
  /** A monotonic reading. */
  at: number
}

/**
 * Watches the positions that exits of runs have just closed. If somebody else has closed one at the same moment, the account
 * is left on the other side, and a critical event says so: no run owns what it holds then.
 */
export class ClosedPositions {
  /** The positions that runs hold, or have held until exits closed them. */
  readonly #held = new Map<string, Held>()
  readonly #closed = new Map<string, ClosedPosition>()

  /** Follows the positions of a run. Returns whether one has closed since the last call. */
  follow(run: ActiveRun, now: number): boolean {
    for (const { positionRef, quantity } of run.claims) {
      if (!this.#held.has(positionRef)) this.#held.set(positionRef, { run, side: Math.sign(quantity) })
    }
    let hasClosed = false
    for (const [ref, held] of this.#held) {
      if (held.run !== run || run.claims.some(({ positionRef }) => positionRef === ref)) continue
      const claim = run.closed(ref)
      if (!claim && run.isOpen) continue
      this.#held.delete(ref)
      if (!claim) continue
      hasClosed = true
      this.#closed.set(ref, { ...held, claim, at: now })
    }
    return hasClosed
  }

  /** Returns the positions that were closed a moment ago. */
  recent(now: number): ClosedPosition[] {
    for (const [ref, { at }] of this.#closed) if (now - at > WATCH_MS) this.#closed.delete(ref)
    return [...this.#closed.values()]
  }

  /**
   * Tells of an account that is on the other side of a closed position because of orders of others.
   * @param counted the signed quantity that runs count on in this position
   * @returns false if the account does not know all fills yet
   */
  judge(closed: ClosedPosition, state: AccountState, counted: number): boolean {
    const { claim, run, side } = closed
    if (!knowsFills(claim, state)) return false
    const holds = state.held(claim)
    const beyond = Math.max(-side * holds, 0) - Math.max(-side * counted, 0)
    const explained = state.isExact ? beyond : closedSince(side, [claim], state)
    const quantity = Math.min(beyond, explained)
    if (quantity <= 0) return true
    this.#closed.delete(claim.positionRef)
    const payload = {
      symbol: claim.symbol,
      exchange: claim.exchange,
      product: claim.product,
      position_ref: claim.positionRef,
      quantity,
      account_holds: holds,
    }
    const message = reversedText(claim, { quantity, holds })
    const more = { legId: claim.legId, severity: 'critical', payload } as const
    run.perform([{ type: 'event', event: eventOf('leg_close_manual', message, more) }])
    return true
  }
}
