import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DoubtfulWorld } from './doubtful-world.js'
import type { Step } from './random-world.js'

/**
 * Random signals, starts, stops, prices, restarts and days, against a broker whose answers are late, in part or missing: an
 * exit may be filled, refused, in doubt for hours, or open in part, while the next signal comes. After each step, everything
 * that the account holds of the leg and everything that may still fill stays within the quantity of the leg, on both sides.
 * Once all is known, the run says what the account holds.
 */

/** The situations that the steps must have met. A test without a doubt proves nothing about doubts. */
const SITUATIONS: Readonly<Record<string, (world: DoubtfulWorld, step: Step) => boolean>> = {
  'an exit in doubt': (world) => hasDoubt(world, (kind) => kind !== 'entry'),
  'an entry in doubt': (world) => hasDoubt(world, (kind) => kind === 'entry'),
  'an exit that the account has filled and the run does not know': (world) =>
    world.working.some((row) => row.kind !== 'entry' && world.fateOf(row).filled > row.filledQuantity),
  'an exit that the account has refused and the run does not know': (world) =>
    world.working.some(
      (row) => row.kind !== 'entry' && world.fateOf(row).isOver && world.fateOf(row).filled === 0,
    ),
  'an exit that is open in part': (world) =>
    world.working.some((row) => row.kind !== 'entry' && row.filledQuantity > 0),
  'a restart with an order in doubt': (world, { name }) => name === 'crash' && hasDoubt(world, () => true),
  'a new day with an order in doubt': (world, { name }) => name === 'day' && hasDoubt(world, () => true),
  'a second run': (world) => world.rows.length > world.rig.rows.size,
}

/** Those that only a signal run meets. */
const SIGNAL_SITUATIONS: typeof SITUATIONS = {
  'both sides with an exit in doubt': (world) =>
    hasDoubt(world, (kind) => kind !== 'entry') &&
    new Set(world.rig.run.claims.map(({ quantity }) => Math.sign(quantity))).size === 2,
}

function hasDoubt({ rig }: DoubtfulWorld, isKind: (kind: string) => boolean): boolean {
  return rig.run.ordersInDoubt.some((id) => isKind(rig.rows.get(id)?.kind ?? ''))
}

function act(world: DoubtfulWorld, step: Step): void {
  const { rig, working } = world
  rig.at += 1_000
  const row = working[step.pick % Math.max(working.length, 1)]
  switch (step.name) {
    case 'signal':
      world.signal(step)
      return
    case 'tick':
      world.take(rig.tick(step.price, 'A'))
      return
    case 'retry':
      world.take(rig.retry())
      return
    case 'crash':
      world.crash(step)
      return
    case 'day':
      world.nextDay()
      return
  }
  if (!row) return
  const fate = world.fateOf(row)
  switch (step.name) {
    case 'answer':
      world.take(rig.ack(row.id, step.flag ? undefined : { outcome: 'unknown' }))
      return
    case 'refuse':
      if (fate.filled > 0) return
      fate.isOver = true
      world.take(rig.refuse(row.id))
      return
    case 'doubt':
      world.take(rig.doubt(row.id, row.filledQuantity))
      return
    case 'trade':
      world.trade(row, step)
      return
    case 'tell':
      world.tell(row)
  }
}

const NAMES = ['signal', 'tick', 'answer', 'refuse', 'doubt', 'trade', 'tell', 'retry', 'crash', 'day']
const OFTEN = ['signal', 'signal', 'signal', 'tick', 'trade', 'trade', 'tell', 'tell']

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES, ...OFTEN),
    pick: fc.nat(40),
    amount: fc.nat(20),
    price: fc.integer({ min: 90, max: 110 }),
    flag: fc.boolean(),
  }),
  // Without a size the library tries hardly more than ten steps.
  { maxLength: 60, size: 'max' },
)

test.each(['signal', 'batch'] as const)(
  'no order of a %s run can make a leg exceed its quantity while the end of another is unknown',
  (kind) => {
    const situations = Object.entries({ ...SITUATIONS, ...(kind === 'signal' && SIGNAL_SITUATIONS) })
    const met = new Set<string>()
    fc.assert(
      fc.property(steps, (all) => {
        const world = new DoubtfulWorld(kind)
        for (const step of all) {
          act(world, step)
          for (const [name, isMet] of situations) if (isMet(world, step)) met.add(name)
        }
        world.settle()
        expect(world.claimed).toBe(world.account)
        world.take(world.rig.send({ type: 'stop', reason: 'manual' }))
        world.settle()
        expect([world.rig.run.state, world.account]).toEqual(['finished', 0])
      }),
      { numRuns: 600 },
    )
    expect(situations.flatMap(([name]) => (met.has(name) ? [] : [name]))).toEqual([])
  },
)
