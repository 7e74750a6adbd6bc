import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Run, RunEffect, RunOrderRow } from '../../../../src/core/strategies/engine/types.js'
import { definition, leg, NO_RISK, placed, Rig } from './rig.js'

/**
 * Random signals, ticks, answers, fills, rejections, late and repeated news, stops and crashes, against a broker that keeps
 * the truth: what each order really filled. After each step the run must know exactly what the broker filled.
 */

/** The broker's truth of one order. */
interface Truth {
  filled: number
  isOver: boolean
}

class World {
  readonly rig: Rig
  readonly truth = new Map<string, Truth>()
  readonly known = new Set<string>()

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
      this.truth.set(order.id, { filled: 0, isOver: false })
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
    const outstanding = working.reduce(
      (sum, one) => sum + (one.action === row.action ? one.quantity - one.filledQuantity : 0),
      0,
    )
    expect(outstanding).toBeLessThanOrEqual(Math.abs(held))
    expect(row.action === 'SELL' ? held : -held).toBeGreaterThan(0)
  }

  /** Signed units of a position: bought minus sold. */
  heldOf(ref: string): number {
    return [...this.rig.rows.values()]
      .filter((one) => one.positionRef === ref)
      .reduce((sum, one) => sum + (one.action === 'BUY' ? one.filledQuantity : -one.filledQuantity), 0)
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

  /** Kills the process and starts it again: the same state must come back. */
  crash(): void {
    const before = viewOf(this.rig.run)
    const { outcome, run, effects } = this.rig.crash()
    expect(['resumed', 'finished']).toContain(outcome)
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
          if (truth) truth.filled = quantity
          this.take(this.rig.update(id, 'complete', quantity, 100))
        }
      }
      this.take(this.rig.retry(60_000))
    }
  }
}

const isWorking = ({ status }: RunOrderRow): boolean => status === 'pending' || status === 'open'

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
    })),
  }
}

interface Step {
  name: string
  pick: number
  amount: number
  price: number
  flag: boolean
}

const SIGNALS = ['long_entry', 'long_exit', 'short_entry', 'short_exit'] as const

/** Does one random step. */
function act(world: World, step: Step): void {
  const { rig } = world
  rig.at += 1_000
  const { pick, amount, price, flag } = step
  const chosen = world.order(pick)
  switch (step.name) {
    case 'signal':
      world.take(
        rig.send({ type: 'signal', legId: 1 + (amount % 2), signal: SIGNALS[pick % 4] ?? 'long_entry' }),
      )
      return
    case 'tick':
      world.take(rig.tick(price, flag ? 'A' : 'B'))
      return
    case 'ack':
      if (chosen) world.take(rig.ack(chosen.row.id, flag ? undefined : { outcome: 'unknown' }))
      return
    case 'refuse':
      // A broker that has filled or ended an order does not refuse it any more.
      if (!chosen || chosen.truth.filled > 0 || chosen.truth.isOver) return
      chosen.truth.isOver = true
      world.take(rig.refuse(chosen.row.id))
      return
    case 'fill': {
      if (!chosen || chosen.truth.isOver) return
      const { row, truth } = chosen
      truth.filled = Math.min(row.quantity, truth.filled + 1 + (amount % row.quantity))
      world.take(rig.fill(row.id, price, truth.filled))
      return
    }
    case 'repeat':
      if (chosen && chosen.truth.filled > 0)
        world.take(rig.update(chosen.row.id, 'open', amount % (chosen.truth.filled + 1), price))
      return
    case 'end': {
      if (!chosen || chosen.truth.isOver || chosen.truth.filled === chosen.row.quantity) return
      chosen.truth.isOver = true
      world.take(
        rig.update(chosen.row.id, flag ? 'cancelled' : 'rejected', chosen.truth.filled, price, 'ended'),
      )
      return
    }
    case 'late': {
      // A fill of an order that was reported as cancelled.
      if (!chosen?.truth.isOver || chosen.truth.filled === chosen.row.quantity) return
      chosen.truth.filled = chosen.row.quantity
      world.take(rig.update(chosen.row.id, 'complete', chosen.row.quantity, price))
      return
    }
    case 'foreign':
      expect(rig.update('not-ours', 'complete', 5, price)).toEqual([])
      return
    case 'retry':
      world.take(rig.retry())
      return
    case 'close':
      world.take(rig.send({ type: 'close_leg', legId: 1 + (amount % 2) }))
      return
    case 'stop':
      if (amount % 4 === 0) world.take(rig.send({ type: 'stop', reason: 'manual' }))
      return
    case 'crash':
      if (world.rig.run.state !== 'finished') world.crash()
      return
  }
}

const NAMES = [
  'signal',
  'tick',
  'tick',
  'ack',
  'refuse',
  'fill',
  'fill',
  'fill',
  'repeat',
  'end',
  'late',
  'foreign',
  'retry',
  'close',
  'stop',
  'crash',
]

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    pick: fc.nat(40),
    amount: fc.nat(20),
    price: fc.integer({ min: 80, max: 120 }),
    flag: fc.boolean(),
  }),
  { maxLength: 60 },
)

test.each(['batch', 'signal'] as const)(
  'a %s run owns exactly what its orders filled, whatever happens',
  (kind) => {
    fc.assert(
      fc.property(steps, (all) => {
        const world = new World(kind)
        for (const step of all) act(world, step)
        // A stop ends flat as soon as the broker fills.
        world.take(world.rig.send({ type: 'stop', reason: 'manual' }))
        world.drain()
        const refs = new Set([...world.rig.rows.values()].map(({ positionRef }) => positionRef))
        for (const ref of refs) expect(world.heldOf(ref)).toBe(0)
        expect(world.rig.run.state).toBe('finished')
      }),
      { numRuns: 400 },
    )
  },
)
