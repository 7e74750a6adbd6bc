import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallRank } from '../../../src/core/brokers/broker.js'
import { CallBudget, type CallWindow } from '../../../src/core/brokers/call-budget.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { rounds } from '../../support/chance/chance.js'
import { FRIDAY_11 } from '../../support/desk/desk.js'

const WINDOWS: readonly CallWindow[] = [
  { count: 10, perMs: 1_000 },
  { count: 200, perMs: 60_000 },
  { count: 3_000, perMs: 86_400_000 },
]

/** The windows in which more calls were released than allowed. */
function exceeded(left: readonly number[], windows: readonly CallWindow[]): string[] {
  return windows.flatMap(({ count, perMs }) =>
    left.some((at, index) => {
      const first = left[index - count]
      return first !== undefined && at - first < perMs
    })
      ? [`${count} per ${perMs} ms`]
      : [],
  )
}

/** Plays calls with these pauses; returns when each was released and how many were refused. */
async function play(windows: readonly CallWindow[], calls: readonly { pause: number; rank?: CallRank }[]) {
  const clock = new VirtualClock(FRIDAY_11)
  const budget = new CallBudget(windows, clock)
  const left: number[] = []
  const refusals: unknown[] = []
  const waiting: Promise<void>[] = []
  for (const { pause, rank = 'order' } of calls) {
    await clock.advance(pause)
    waiting.push(
      budget.take(rank).then(
        () => void left.push(clock.monotonic()),
        (reason: unknown) => void refusals.push(reason),
      ),
    )
  }
  await clock.advance(10_000)
  await Promise.all(waiting)
  return { left, refused: refusals.length }
}

describe('a call budget', () => {
  test('stays within every window at any time, over 10,000 random calls', async () => {
    const calls = fc.sample(
      fc.record({
        pause: fc.oneof({ weight: 9, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(20_000) }),
        rank: fc.constantFrom('cancel' as const, 'order' as const),
      }),
      { numRuns: 10_000, seed: 19 },
    )
    const { left, refused } = await play(WINDOWS, calls)
    expect(exceeded(left, WINDOWS)).toEqual([])
    expect(left.length + refused).toBe(10_000)
    expect(left.length).toBeGreaterThanOrEqual(3_000)
  })

  test('releases every call that its windows allow, for any arrival pattern', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ pause: fc.nat(400) }), { minLength: 1, maxLength: 40 }),
        async (calls) => {
          const windows = [{ count: 10, perMs: 1_000 }]
          const { left, refused } = await play(windows, calls)
          expect(exceeded(left, windows)).toEqual([])
          expect([left.length, refused]).toEqual([calls.length, 0])
        },
      ),
      { numRuns: rounds(30) },
    )
  })

  test('releases cancels first, then exits, and keeps the order of the others', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 1, perMs: 1_000 }], clock)
    const left: string[] = []
    const ask = (name: string, rank?: CallRank) => budget.take(rank).then(() => left.push(name))
    const asked = [
      ...[ask('first'), ask('order 1'), ask('order 2')],
      ...[ask('exit', 'exit'), ask('cancel', 'cancel')],
    ]
    await clock.advance(5_000)
    await Promise.all(asked)
    expect(left).toEqual(['first', 'cancel', 'exit', 'order 1', 'order 2'])
  })

  test('refuses a call at once if its turn would come too late, and says when to retry', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 2, perMs: 60_000 }], clock)
    await Promise.all([budget.take(), budget.take()])
    await clock.advance(20_000)
    await expect(budget.take()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 40 })
    await clock.advance(36_000)
    const turn = budget.take()
    await clock.advance(4_000)
    await turn
  })

  test('lets the exits of a square-off wait for their turns, and refuses none', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget(WINDOWS, clock)
    const left: number[] = []
    const exits = Array.from({ length: 400 }, () =>
      budget.take('exit').then(() => left.push(clock.monotonic())),
    )
    await expect(budget.take('order')).rejects.toMatchObject({ code: 'rate_limited' })
    await clock.advance(90_000)
    await Promise.all(exits)
    expect(left).toHaveLength(400)
    expect(exceeded(left, WINDOWS)).toEqual([])
  })

  test('refuses an exit whose turn would come hours later', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 1, perMs: 86_400_000 }], clock)
    await budget.take('exit')
    await expect(budget.take('exit')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('without windows delays nothing', async () => {
    const budget = new CallBudget([], new VirtualClock(FRIDAY_11))
    await Promise.all(Array.from({ length: 1_000 }, () => budget.take()))
  })
})
