import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunOrderRow } from '../../../../src/core/strategies/engine/records.js'
import { isWorking, isWorkingStatus, SIGNALS, type Step, World } from './random-world.js'

/**
 * Random signals, ticks, answers, fills, rejections, late and repeated news, stops and crashes, against a broker that keeps
 * the truth: what each order really filled. Somebody else changes and cancels orders there. The process also dies
 * between the rows of orders and their dispatch, and before it stores what it decided. After each step the run must know
 * exactly what the broker filled.
 */

/** The situations that the steps of one property must have met. A test that never flips proves nothing about flips. */
const SITUATIONS: Readonly<Record<string, (world: World, step: Step) => boolean>> = {
  'a part of an entry': ({ rig }) =>
    [...rig.rows.values()].some((row) => row.kind === 'entry' && isPart(row)),
  'a part of an exit': ({ rig }) => [...rig.rows.values()].some((row) => row.kind !== 'entry' && isPart(row)),
  'a refused order': (_, { name }) => name === 'refuse',
  'a fill after the end of its order': (_, { name }) => name === 'late',
  'a crash with a working order': ({ rig }, { name }) =>
    name === 'crash' && [...rig.rows.values()].some(isWorking),
  'a crash with an entry that is stored and not sent': (world, { name }) =>
    name === 'return' && world.unsent.some((kind) => kind === 'entry'),
  'a crash with an exit that is stored and not sent': (world, { name }) =>
    name === 'return' && world.unsent.some((kind) => kind !== 'entry'),
  'an entry that somebody raised': ({ rig }) =>
    [...rig.rows.values()].some((row) => row.kind === 'entry' && row.filledQuantity > row.quantity),
  'an exit that somebody raised': ({ rig }) =>
    [...rig.rows.values()].some((row) => row.kind !== 'entry' && row.filledQuantity > row.quantity),
  'an exit that somebody reduced': ({ rig }) =>
    [...rig.rows.values()].some(
      (row) => row.kind !== 'entry' && row.status === 'complete' && row.filledQuantity < row.quantity,
    ),
  'a held position at a crash': ({ rig }, { name }) =>
    name === 'crash' && rig.run.snapshot().legs.some(({ quantity }) => quantity > 0),
  'a part that somebody else closes': ({ closed }, { name }) => name === 'elsewhere' && closed > 0,
  'a crash after somebody else has closed a part': ({ closed }, { name }) => name === 'crash' && closed > 0,
  'a stop with a working order': ({ rig }) =>
    rig.run.state === 'stop_pending' && [...rig.rows.values()].some(isWorking),
}

/** Those that only a signal run meets. */
const SIGNAL_SITUATIONS: typeof SITUATIONS = {
  'a flip with both sides held': ({ rig }) =>
    rig.run.snapshot().legs.some(({ quantity, outgoingQuantity }) => quantity > 0 && outgoingQuantity > 0),
  'a crash during a flip': ({ rig }, { name }) =>
    name === 'crash' && rig.run.snapshot().legs.some(({ outgoingQuantity }) => outgoingQuantity > 0),
}

const isPart = ({ filledQuantity, quantity, status }: RunOrderRow): boolean =>
  filledQuantity > 0 && filledQuantity < quantity && isWorkingStatus(status)

/** Does one random step. */
function act(world: World, step: Step): void {
  const { rig } = world
  rig.at += 1_000
  const { pick, amount, price, flag } = step
  const chosen = world.order(pick)
  if (chosen && AT_THE_BROKER.has(step.name)) chosen.truth.isSent = true
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
      truth.filled = Math.min(truth.quantity, truth.filled + 1 + (amount % row.quantity))
      const status = truth.filled === truth.quantity ? 'complete' : 'open'
      world.take(rig.update(row.id, status, truth.filled, price))
      return
    }
    case 'modify': {
      // Somebody else changes the quantity of the newest order. The broker reports only what it fills.
      const newest = world.newest()
      if (!newest) return
      const { row, truth } = newest
      truth.isSent = true
      truth.quantity = Math.max(truth.filled, 1, row.quantity + (flag ? amount : -amount))
      if (price % 2) truth.filled = truth.quantity
      if (truth.filled === truth.quantity) world.take(rig.update(row.id, 'complete', truth.filled, price))
      return
    }
    case 'repeat':
      if (chosen && chosen.truth.filled > 0)
        world.take(rig.update(chosen.row.id, 'open', amount % (chosen.truth.filled + 1), price))
      return
    case 'end': {
      if (!chosen || chosen.truth.isOver || chosen.truth.filled === chosen.truth.quantity) return
      chosen.truth.isOver = true
      world.take(
        rig.update(chosen.row.id, flag ? 'cancelled' : 'rejected', chosen.truth.filled, price, 'ended'),
      )
      return
    }
    case 'late': {
      // A fill of an order that was reported as cancelled.
      if (!chosen?.truth.isOver || !chosen.truth.isSent) return
      if (chosen.truth.filled === chosen.truth.quantity) return
      chosen.truth.filled = chosen.truth.quantity
      world.take(rig.update(chosen.row.id, 'complete', chosen.truth.quantity, price))
      return
    }
    case 'doubt':
      // Nobody knows how the order ended. It may still turn out to be filled or ended.
      if (chosen) world.take(rig.doubt(chosen.row.id, chosen.truth.filled))
      return
    case 'foreign':
      expect(rig.update('not-ours', 'complete', 5, price)).toEqual([])
      return
    case 'retry':
      world.take(rig.retry())
      return
    case 'close':
      world.take(rig.send({ type: 'close_leg', legId: 1 + (amount % 2) }))
      return
    case 'elsewhere': {
      // A person closes a part of a position at the broker, or all of it.
      const held = world.held(pick)
      if (!held) return
      const quantity = flag ? held.quantity : 1 + (amount % held.quantity)
      world.closed += 1
      world.take(rig.closeElsewhere(held.ref, quantity, held.quantity - quantity))
      return
    }
    case 'stop':
      if (amount % 4 === 0) world.take(rig.send({ type: 'stop', reason: 'manual' }))
      return
    case 'crash':
      world.crash()
      return
    case 'return':
      world.crashAndReturn(step)
      return
    case 'uncommitted':
      world.crashBeforeCommit(step)
      return
  }
}

/** The steps that only an order at the broker can take. */
const AT_THE_BROKER: ReadonlySet<string> = new Set(['ack', 'fill', 'end', 'doubt'])

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
  'modify',
  'end',
  'late',
  'doubt',
  'foreign',
  'retry',
  'close',
  'stop',
  'elsewhere',
  'crash',
  'return',
  'uncommitted',
]

/** A signal run does nothing without signals, so it gets more of them. */
const NAMES_OF = { batch: NAMES, signal: [...NAMES, 'signal', 'signal', 'signal'] }

const stepsOf = (kind: 'batch' | 'signal') =>
  fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES_OF[kind]),
      pick: fc.nat(40),
      amount: fc.nat(20),
      price: fc.integer({ min: 80, max: 120 }),
      flag: fc.boolean(),
    }),
    // Without a size the library tries hardly more than ten steps.
    { maxLength: 60, size: 'max' },
  )

test.each(['batch', 'signal'] as const)(
  'a %s run owns exactly what its orders filled, whatever happens',
  (kind) => {
    const situations = Object.entries({ ...SITUATIONS, ...(kind === 'signal' && SIGNAL_SITUATIONS) })
    const met = new Map(situations.map(([name]) => [name, 0]))
    fc.assert(
      fc.property(stepsOf(kind), (all) => {
        const world = new World(kind)
        for (const step of all) {
          act(world, step)
          for (const [name, isMet] of situations) {
            if (isMet(world, step)) met.set(name, (met.get(name) ?? 0) + 1)
          }
        }
        // A stop ends flat as soon as the broker fills.
        world.take(world.rig.send({ type: 'stop', reason: 'manual' }))
        world.drain()
        const refs = new Set([...world.rig.rows.values()].map(({ positionRef }) => positionRef))
        for (const ref of refs) expect(world.heldOf(ref)).toBe(0)
        expect(world.rig.run.state).toBe('finished')
      }),
      { numRuns: 400 },
    )
    expect([...met].flatMap(([name, times]) => (times === 0 ? [name] : []))).toEqual([])
  },
)
