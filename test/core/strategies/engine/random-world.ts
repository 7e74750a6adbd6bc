import { expect } from 'vitest'
import type { OrderUpdate, RunEffect } from '../../../../src/core/strategies/engine/messages.js'
import type { RunOrderRow } from '../../../../src/core/strategies/engine/records.js'
import type { Run } from '../../../../src/core/strategies/engine/types.js'
import { definition, leg, NO_RISK, placed, Rig } from './rig.js'

/** The broker's truth of one order. */
interface Truth {
  /** False until the order has left the process: a crash before that ends it. */
  isSent: boolean
  /** The broker fills at most so much. It differs from the row once somebody has changed the order. */
  quantity: number
  filled: number
  isOver: boolean
}

type News = Omit<OrderUpdate, 'type' | 'at'>

/**
 * A run with a broker that keeps the truth: what each order really filled. After each step the run must know exactly
 * that.
 */
export class World {
  readonly rig: Rig
  readonly truth = new Map<string, Truth>()
  /** The kinds of the orders that the last crash kept from being sent. */
  unsent: readonly string[] = []
  /** How often somebody else has closed a part of a position. */
  closed = 0

  constructor(kind: 'batch' | 'signal') {
    const risk = { unit: 'points', stop: 10, target: 12, trail: { x: 4, y: 2 } } as const
    const reentry = kind === 'batch' ? ({ on: 'any', mode: 'asap', max: 2 } as const) : null
    const position = kind === 'batch' ? 'B' : null
    this.rig = new Rig(
      definition({
        kind,
        legs: [
          leg({ id: 1, symbol: 'A', position, quantity: 10, risk, reentry }),
          leg({
            id: 2,
            symbol: 'B',
            position: kind === 'batch' ? 'S' : null,
            quantity: 7,
            risk,
            reentry: reentry && { ...reentry, mode: 'cost' },
          }),
        ],
        risk: { ...NO_RISK, overallStop: 400, overallTarget: 500, trailToEntry: true },
      }),
    )
    this.take(this.rig.start())
  }

  /** Checks the orders of some effects and lets the broker know them. */
  take(effects: readonly RunEffect[]): void {
    for (const order of placed(effects)) {
      expect(this.truth.has(order.id)).toBe(false)
      this.truth.set(order.id, { isSent: false, quantity: order.quantity, filled: 0, isOver: false })
      if (order.kind !== 'entry') this.checkExit(order.id)
    }
    for (const one of effects) {
      if (one.type === 'cancel') expect(this.truth.has(one.orderId)).toBe(true)
    }
    this.checkHeld()
  }

  /** An exit and the exits that still work fill at most what the run holds. */
  checkExit(id: string): void {
    const row = this.rig.rows.get(id)
    expect(row).toBeDefined()
    if (!row) return
    const held = this.heldOf(row.positionRef)
    const working = [...this.rig.rows.values()].filter(
      (one) => one.positionRef === row.positionRef && one.kind !== 'entry' && isWorking(one),
    )
    const outstanding = working.reduce((sum, one) => sum + (one.action === row.action ? leftOf(one) : 0), 0)
    expect(outstanding).toBeLessThanOrEqual(Math.abs(held))
    expect(row.action === 'SELL' ? held : -held).toBeGreaterThan(0)
  }

  /** Signed units of a position: bought minus sold, and without the part that somebody else has closed. */
  heldOf(ref: string): number {
    return [...this.rig.rows.values()]
      .filter((one) => one.positionRef === ref)
      .reduce((sum, { action, closedElsewhere = 0, filledQuantity }) => {
        const quantity = filledQuantity - closedElsewhere
        return sum + (action === 'BUY' ? quantity : -quantity)
      }, 0)
  }

  /** A position whose orders have filled something. */
  held(pick: number): { ref: string; quantity: number } | undefined {
    const entries = [...this.rig.rows.values()].filter(({ kind }) => kind === 'entry')
    const entry = entries[pick % Math.max(entries.length, 1)]
    if (!entry) return undefined
    const net = this.heldOf(entry.positionRef)
    const quantity = entry.action === 'BUY' ? net : -net
    return quantity > 0 ? { ref: entry.positionRef, quantity } : undefined
  }

  /** The run holds the sum of all fills that it was told, no more and no less. */
  checkHeld(): void {
    for (const one of this.rig.run.snapshot().legs) {
      const refs = new Set(
        [...this.rig.rows.values()].filter(({ legId }) => legId === one.legId).map((row) => row.positionRef),
      )
      const held = [...refs].reduce((sum, ref) => sum + Math.abs(this.heldOf(ref)), 0)
      expect(one.quantity + one.outgoingQuantity).toBe(held)
    }
  }

  order(pick: number): { row: RunOrderRow; truth: Truth } | undefined {
    const rows = [...this.rig.rows.values()]
    const row = rows[pick % Math.max(rows.length, 1)]
    const truth = row && this.truth.get(row.id)
    return row && truth && { row, truth }
  }

  /** Returns the newest order that works at the broker. */
  newest(): { row: RunOrderRow; truth: Truth } | undefined {
    return [...this.rig.rows.values()]
      .map((row) => ({ row, truth: this.truth.get(row.id) }))
      .findLast(
        (one): one is { row: RunOrderRow; truth: Truth } => one.truth !== undefined && isLive(one.truth),
      )
  }

  /** Kills the process and starts it again: the same state must come back. */
  crash(): void {
    const before = viewOf(this.rig.run)
    const { outcome, run, effects } = this.rig.crash()
    expect(['resumed', 'finished', 'ended']).toContain(outcome)
    expect(placed(effects)).toEqual([])
    if (run) expect(viewOf(run)).toEqual(before)
  }

  /**
   * Kills the process and starts it again some time later. An order that it stored and did not send is over; the others
   * went on at the broker. Each exit that was not sent is placed again, if there is still something to exit.
   */
  crashAndReturn({ amount, flag }: Step): void {
    const working = [...this.rig.rows.values()].filter(isWorking)
    const unsent = working.filter(({ id }) => !this.truth.get(id)?.isSent)
    this.unsent = unsent.map(({ kind }) => kind)
    const news = working.map((row) => this.newsAfterCrash(row, amount, flag))
    const { outcome, effects } = this.rig.crash(this.rig.run.checkpoint(this.rig.at), news)
    expect(['resumed', 'finished', 'ended']).toContain(outcome)
    this.take(effects)
    this.take(this.rig.retry(0))
    for (const { kind, positionRef } of unsent) {
      if (kind === 'entry') continue
      const orders = [...this.rig.rows.values()].filter((row) => row.positionRef === positionRef)
      if (this.heldOf(positionRef) !== 0)
        expect(orders.some((one) => one.kind !== 'entry' && isWorking(one))).toBe(true)
    }
  }

  /** The news of an order that the service reads when it starts. */
  newsAfterCrash({ id }: RunOrderRow, amount: number, flag: boolean): News {
    const truth = this.truth.get(id)
    if (!truth?.isSent) {
      if (truth) truth.isOver = true
      const reason = 'The order was never sent'
      return { ...newsOf(id, 'rejected', 0), reason, isUnsent: true }
    }
    if (!truth.isOver && flag) truth.filled = Math.min(truth.quantity, truth.filled + amount)
    if (truth.filled === truth.quantity) return newsOf(id, 'complete', truth.filled)
    if (truth.isOver) return newsOf(id, 'cancelled', truth.filled)
    return flag
      ? newsOf(id, 'open', truth.filled)
      : { ...newsOf(id, 'pending', truth.filled), isInDoubt: true }
  }

  /** Kills the process after it has decided and before it has stored that: nothing of the decision remains. */
  crashBeforeCommit({ amount, pick, price, flag }: Step): void {
    const { rig } = this
    const checkpoint = rig.run.checkpoint(rig.at)
    const { at } = rig
    const before = viewOf(rig.run)
    if (flag) rig.run.apply({ type: 'stop', reason: 'manual', at })
    else rig.run.apply({ type: 'tick', symbol: amount % 2 ? 'A' : 'B', exchange: 'NFO', price, at })
    rig.run.apply({ type: 'signal', legId: 1 + (amount % 2), signal: SIGNALS[pick % 4] ?? 'long_entry', at })
    const { run, effects } = rig.crash(checkpoint)
    expect(placed(effects)).toEqual([])
    if (run) expect(viewOf(run)).toEqual(before)
  }

  /** Lets the broker fill everything that was sent, with retries, until nothing works. */
  drain(): void {
    for (let round = 0; round < 30; round++) {
      for (const { id, quantity } of [...this.rig.rows.values()].filter(isWorking)) {
        const truth = this.truth.get(id)
        if (truth?.isOver) this.take(this.rig.update(id, 'cancelled', truth.filled, 100))
        else {
          const filled = truth?.quantity ?? quantity
          Object.assign(truth ?? {}, { isSent: true, filled })
          this.take(this.rig.update(id, 'complete', filled, 100))
        }
      }
      this.take(this.rig.retry(60_000))
    }
  }
}

export const isWorkingStatus = (status: string): boolean => status === 'pending' || status === 'open'
export const isWorking = ({ status }: RunOrderRow): boolean => isWorkingStatus(status)
const isLive = ({ filled, isOver, quantity }: Truth): boolean => !isOver && filled < quantity
const leftOf = ({ quantity, filledQuantity }: RunOrderRow): number => Math.max(0, quantity - filledQuantity)
const newsOf = (orderId: string, status: News['status'], filledQuantity: number): News => ({
  orderId,
  status,
  filledQuantity,
  averagePrice: filledQuantity > 0 ? 100 : null,
})

function viewOf(run: Run) {
  const { legs, state, stopReason, realized, isPartial } = run.snapshot()
  return {
    state,
    stopReason,
    realized,
    isPartial,
    symbols: [...run.symbols].map(({ symbol }) => symbol).sort(),
    legs: legs.map((one) => ({
      ...one,
      // The feed tells the source again after a start.
      tickSource: undefined,
      ltp: undefined,
      mtm: undefined,
      // Nobody watches the levels of a closed leg, so no checkpoint keeps them.
      ...(one.quantity === 0 && { effectiveStop: null, favorablePoints: 0, isTrailActive: false }),
    })),
  }
}

/** One random step. Each name uses the other members in its own way. */
export interface Step {
  name: string
  pick: number
  amount: number
  price: number
  flag: boolean
}

export const SIGNALS = ['long_entry', 'long_exit', 'short_entry', 'short_exit'] as const
