import { expect } from 'vitest'
import type { OrderUpdate, RunEffect } from '../../../../src/core/strategies/engine/messages.js'
import type { RunOrderRow } from '../../../../src/core/strategies/engine/records.js'
import { DAY_MS, sessionDate } from '../../../../src/core/time/index.js'
import { isWorking, SIGNALS, type Step } from './random-world.js'
import { counted, definition, leg, placed, Rig } from './rig.js'

/** The quantity of the leg. */
const QUANTITY = 7

/** What became of an order at the account. The run may not know it yet. */
interface Fate {
  filled: number
  isOver: boolean
}

/**
 * A strategy of one leg whose broker answers late, in part or not at all: the account may have filled or ended an order that
 * the run still counts as working. As in the service, a run of an earlier day is closed before the next one opens, and each
 * strategy has one unfinished run.
 */
export class DoubtfulWorld {
  readonly #ids = counted()
  readonly #rigs: Rig[]
  readonly fates = new Map<string, Fate>()
  #openedOn: string

  constructor(readonly kind: 'batch' | 'signal') {
    this.#rigs = [this.#newRig()]
    this.#openedOn = sessionDate(this.rig.at)
    this.take(this.rig.start())
  }

  get rig(): Rig {
    const newest = this.#rigs.at(-1)
    if (!newest) throw new Error('a world has a run')
    return newest
  }

  get rows(): RunOrderRow[] {
    return this.#rigs.flatMap((rig) => [...rig.rows.values()])
  }

  get working(): RunOrderRow[] {
    return [...this.rig.rows.values()].filter(isWorking)
  }

  /** The signed quantity that the account holds of the leg. */
  get account(): number {
    return sum(this.rows.map((row) => signed(row, this.fateOf(row).filled)))
  }

  /** The signed quantity that the run says it holds. */
  get claimed(): number {
    return sum(this.rig.run.claims.map(({ quantity }) => quantity))
  }

  fateOf({ id }: RunOrderRow): Fate {
    const fate = this.fates.get(id)
    if (!fate) throw new Error(`order ${id} is unknown`)
    return fate
  }

  /** Lets the account know orders, and checks that the leg cannot exceed its quantity whatever becomes of them. */
  take(effects: readonly RunEffect[]): readonly RunEffect[] {
    for (const { id } of placed(effects)) this.fates.set(id, { filled: 0, isOver: false })
    const left = this.rows.filter(isWorking).map((row) => signed(row, row.quantity - this.fateOf(row).filled))
    expect(this.account + sum(left.filter((quantity) => quantity > 0))).toBeLessThanOrEqual(QUANTITY)
    expect(this.account + sum(left.filter((quantity) => quantity < 0))).toBeGreaterThanOrEqual(-QUANTITY)
    return effects
  }

  /** A signal of a batch strategy is a start or a stop. */
  signal({ pick, amount }: Step): void {
    const signal = SIGNALS[pick % SIGNALS.length] ?? 'long_entry'
    if (this.rig.run.state !== 'finished' && sessionDate(this.rig.at) !== this.#openedOn)
      this.take(this.rig.send({ type: 'stop', reason: 'eod' }))
    if (this.rig.run.state === 'finished') this.#open()
    if (this.kind === 'signal') this.take(this.rig.send({ type: 'signal', legId: 1, signal }))
    else if (amount % 4 === 0) this.take(this.rig.send({ type: 'stop', reason: 'manual' }))
  }

  /** The account fills a part of an order, or ends it. The run learns nothing of it. */
  trade(row: RunOrderRow, { amount, flag }: Step): void {
    const fate = this.fateOf(row)
    if (fate.isOver) return
    if (flag) fate.filled = Math.min(row.quantity, fate.filled + 1 + (amount % row.quantity))
    fate.isOver = !flag || fate.filled === row.quantity
  }

  /** The run learns what became of an order. */
  tell(row: RunOrderRow): void {
    const { orderId, status, filledQuantity, reason = null } = this.newsOf(row)
    const price = filledQuantity ? 100 : null
    this.take(this.rig.update(orderId, status, filledQuantity, price, reason))
  }

  /** The process ends and starts again. It learns the end of some orders, and nobody knows that of the others. */
  crash({ pick, flag }: Step): void {
    const news = this.working.map((row, index) =>
      (pick + index) % 2 ? this.newsOf(row) : { ...this.newsOf(row), ...doubtful(row) },
    )
    const checkpoint = flag ? this.rig.run.checkpoint(this.rig.at) : null
    const { effects, outcome } = this.rig.crash(checkpoint, news)
    expect(['resumed', 'finished', 'ended']).toContain(outcome)
    this.take(effects)
    this.take(this.rig.retry(0))
  }

  nextDay(): void {
    this.take(this.rig.retry(DAY_MS))
  }

  /** Everything becomes known: the account ends each order, and the run learns it. */
  settle(): void {
    for (let round = 0; round < 30 && this.working.length > 0; round++) {
      for (const row of this.working) {
        const fate = this.fateOf(row)
        if (!fate.isOver) Object.assign(fate, { filled: row.quantity, isOver: true })
        this.tell(row)
      }
      this.take(this.rig.retry(600_000))
    }
  }

  newsOf(row: RunOrderRow): Omit<OrderUpdate, 'type' | 'at'> {
    const { filled, isOver } = this.fateOf(row)
    const status =
      filled === row.quantity ? 'complete' : !isOver ? 'open' : filled > 0 ? 'cancelled' : 'rejected'
    return {
      orderId: row.id,
      status,
      filledQuantity: filled,
      averagePrice: filled > 0 ? 100 : null,
      reason: isOver ? 'ended' : null,
    }
  }

  #open(): void {
    this.#openedOn = sessionDate(this.rig.at)
    const { at } = this.rig
    this.#rigs.push(this.#newRig(at))
    this.take(this.rig.start())
  }

  #newRig(at = Date.parse('2026-11-23T10:00:00+05:30')): Rig {
    const isBatch = this.kind === 'batch'
    const risk = { unit: 'points', stop: 5, target: 5, trail: null } as const
    const rig = new Rig(
      definition({
        kind: this.kind,
        legs: [
          leg({
            symbol: 'A',
            quantity: QUANTITY,
            position: isBatch ? 'B' : null,
            risk,
            largestOrder: 5,
            reentry: isBatch ? { on: 'any', mode: 'asap', max: 8 } : null,
          }),
        ],
      }),
      this.#ids,
    )
    rig.at = at
    return rig
  }
}

/** The news of an order of which only the row is known. */
function doubtful({ filledQuantity }: RunOrderRow) {
  const averagePrice = filledQuantity > 0 ? 100 : null
  return { status: 'pending', filledQuantity, averagePrice, isInDoubt: true } as const
}

function signed({ action }: RunOrderRow, quantity: number): number {
  return action === 'BUY' ? quantity : -quantity
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
