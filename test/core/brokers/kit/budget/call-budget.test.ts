import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallBudget } from '../../../../../src/core/brokers/kit/budget/call-budget.js'
import { CallBudgets } from '../../../../../src/core/brokers/kit/budget/call-budgets.js'
import {
  type CallRank,
  type CallWindow,
  pacedWindows,
} from '../../../../../src/core/brokers/kit/budget/limits.js'
import { DAY_MS, HOUR_MS, VirtualClock } from '../../../../../src/core/time/index.js'
import { rounds } from '../../../../support/chance/chance.js'
import { FRIDAY_11 } from '../../../../support/desk/desk.js'

const WINDOWS: readonly CallWindow[] = [
  { count: 10, perMs: 1_000 },
  { count: 200, perMs: 60_000 },
  { count: 3_000, perMs: 86_400_000 },
]

/** The windows in which more calls were released than allowed. */
function exceeded(left: readonly number[], windows: readonly CallWindow[]): string[] {
  const times = [...left].sort((a, b) => a - b)
  return windows.flatMap(({ count, perMs }) =>
    times.some((at, index) => {
      const first = times[index - count]
      return first !== undefined && at - first < perMs
    })
      ? [`${count} per ${perMs} ms`]
      : [],
  )
}

interface Call {
  pause: number
  rank?: CallRank
  /** The time between the turn of the call and the network. */
  delay?: number
  /** The time on the way to the broker. */
  travel?: number
}

/** Plays calls with these pauses; returns when each left and arrived, and how many were refused. */
async function play(windows: readonly CallWindow[], calls: readonly Call[]) {
  const clock = new VirtualClock(FRIDAY_11)
  const budget = new CallBudget(windows, clock)
  const left: number[] = []
  const arrived: number[] = []
  const refusals: unknown[] = []
  const waiting: Promise<void>[] = []
  const leave = async (delay: number, travel: number) => {
    if (delay > 0) await clock.sleep(delay)
    budget.noteLeft()
    left.push(clock.monotonic())
    arrived.push(clock.monotonic() + travel)
  }
  for (const { pause, rank = 'order', delay = 0, travel = 0 } of calls) {
    await clock.advance(pause)
    waiting.push(
      budget.take(rank).then(
        () => leave(delay, travel),
        (reason: unknown) => void refusals.push(reason),
      ),
    )
  }
  await clock.advance(80_000)
  await Promise.all(waiting)
  return { left, arrived, refused: refusals.length }
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
    expect(exceeded(left, pacedWindows(WINDOWS))).toEqual([])
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
          expect(exceeded(left, pacedWindows(windows))).toEqual([])
          expect([left.length, refused]).toEqual([calls.length, 0])
        },
      ),
      { numRuns: rounds(30) },
    )
  })

  test('30 calls at once are within 10 a second at the broker, however long each takes to leave and to arrive', async () => {
    const windows = [{ count: 10, perMs: 1_000 }]
    const call = fc.record({ pause: fc.constant(0), delay: fc.nat(400), travel: fc.nat(110) })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 30, maxLength: 30 }), async (calls) => {
        const { left, arrived, refused } = await play(windows, calls)
        expect(exceeded(left, [{ count: 9, perMs: 1_000 }])).toEqual([])
        expect(exceeded(arrived, windows)).toEqual([])
        expect(refused).toBe(0)
      }),
      { numRuns: rounds(30) },
    )
  })

  test('paces at nine tenths: nine in any second of ten, one in 1,112 ms of one a second', async () => {
    const once = async (windows: readonly CallWindow[], count: number) => {
      const { left } = await play(
        windows,
        Array.from({ length: count }, () => ({ pause: 0, rank: 'read' as const })),
      )
      return left.map((at) => at - (left[0] ?? 0))
    }
    const ten = await once([{ count: 10, perMs: 1_000 }], 20)
    expect(ten.map((at) => Math.floor(at / 1_000))).toEqual([
      ...Array.from({ length: 9 }, () => 0),
      ...Array.from({ length: 9 }, () => 1),
      ...[2, 2],
    ])
    expect(await once([{ count: 1, perMs: 1_000 }], 3)).toEqual([0, 1_112, 2_224])
  })

  test('releases cancels first, then exits, then orders, and keeps the order of the others', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 1, perMs: 900 }], clock)
    const left: string[] = []
    const ask = (name: string, rank?: CallRank) => budget.take(rank).then(() => left.push(name))
    const asked = [
      ...[ask('first'), ask('read', 'read'), ask('order 1'), ask('order 2')],
      ...[ask('exit', 'exit'), ask('cancel', 'cancel')],
    ]
    await clock.advance(20_000)
    await Promise.all(asked)
    expect(left).toEqual(['first', 'cancel', 'exit', 'order 1', 'order 2', 'read'])
  })

  test('refuses a call at once if its turn would come too late, and says when to retry', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 2, perMs: 3_600_000 }], clock)
    await Promise.all([budget.take(), budget.take()])
    budget.noteLeft(2)
    await clock.advance(3_560_000)
    await expect(budget.take()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 47 })
    await clock.advance(42_667)
    const turn = budget.take()
    await clock.advance(4_000)
    await turn
  })

  test('lets the exits of a square-off wait for their turns, and refuses none', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget(WINDOWS, clock)
    const left: number[] = []
    const exits = Array.from({ length: 400 }, () =>
      budget.take('exit').then(() => {
        budget.noteLeft()
        left.push(clock.monotonic())
      }),
    )
    await expect(budget.take('order')).rejects.toMatchObject({ code: 'rate_limited' })
    await clock.advance(150_000)
    await Promise.all(exits)
    expect(left).toHaveLength(400)
    expect(exceeded(left, WINDOWS)).toEqual([])
  })

  test('leaves a tenth of the long limits to cancels and exits: orders alone never use up a day', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 400, perMs: 86_400_000 }], clock)
    for (let orders = 0; orders < 360; orders++) {
      await budget.take()
      budget.noteLeft()
    }
    await expect(budget.take()).rejects.toMatchObject({ code: 'rate_limited' })
    for (let urgent = 0; urgent < 40; urgent++) {
      await budget.take(urgent % 2 === 0 ? 'cancel' : 'exit')
      budget.noteLeft()
    }
    await expect(budget.take('cancel')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('a cancel does not wait behind an order that waits for the end of a minute', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 20, perMs: 60_000 }], clock)
    for (let orders = 0; orders < 16; orders++) {
      await budget.take()
      budget.noteLeft()
    }
    await clock.advance(56_000)
    const order = budget.take()
    expect(budget.stats()).toMatchObject({ waiting: 1 })
    await budget.take('cancel')
    budget.noteLeft()
    await clock.advance(5_000)
    await order
  })

  test('a cancel waits for a minute that is used up', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 10, perMs: 60_000 }], clock)
    for (let exits = 0; exits < 9; exits++) {
      await budget.take('exit')
      budget.noteLeft()
    }
    await clock.advance(10_000)
    const cancel = budget.take('cancel')
    await clock.advance(50_000)
    await cancel
  })

  test('refuses an exit whose turn would come hours later', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 1, perMs: 86_400_000 }], clock)
    await budget.take('exit')
    await expect(budget.take('exit')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('counts a call that the broker counts several times as so many', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 10, perMs: 1_000 }], clock)
    await budget.take('order', 5)
    budget.noteLeft(5)
    await budget.take('order', 4)
    budget.noteLeft(4)
    const sliced = budget.take('order', 2)
    await clock.advance(999)
    expect(budget.stats()).toMatchObject({ waiting: 1 })
    await clock.advance(200)
    await sliced
  })

  test('a call that had its turn and never left counts no longer than one that left', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget([{ count: 1, perMs: 900 }], clock)
    await budget.take()
    const next = budget.take()
    await clock.advance(1_999)
    expect(budget.stats()).toMatchObject({ waiting: 1, windows: [{ limit: 1, perMs: 900, used: 1 }] })
    await clock.advance(1_001)
    await next
  })

  test('at a fresh start counts its first second as used, and not when the start was a second ago', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const startedAt = clock.monotonic()
    const fresh = new CallBudget(WINDOWS, clock, startedAt).take()
    let isGranted = false
    void fresh.then(() => {
      isGranted = true
    })
    await clock.advance(1_111)
    expect(isGranted).toBe(false)
    await clock.advance(1)
    await fresh
    await new CallBudget(WINDOWS, clock, startedAt).take()
  })

  test.each([
    ['half an hour', 30 * 60_000],
    ['an hour', HOUR_MS],
  ])(
    'keeps within a limit of %s at the broker, also when the first calls take seconds to arrive',
    async (_name, perMs) => {
      const clock = new VirtualClock(FRIDAY_11)
      const windows = [{ count: 20, perMs }]
      const budget = new CallBudget(windows, clock)
      const arrived: number[] = []
      const call = async (travel: number) => {
        await budget.take('cancel')
        budget.noteLeft()
        arrived.push(clock.monotonic() + travel)
      }
      for (let calls = 0; calls < 20; calls++) await call(5_000)
      await expect(budget.take('cancel')).rejects.toMatchObject({
        code: 'rate_limited',
        retryAfterSeconds: perMs / 1000 + 7,
      })
      await clock.advance(perMs - 50_000)
      const next = Array.from({ length: 20 }, () => call(0))
      await clock.advance(60_000)
      await Promise.all(next)
      expect(arrived).toHaveLength(40)
      expect(exceeded(arrived, windows)).toEqual([])
    },
  )

  test('without windows delays nothing', async () => {
    const budget = new CallBudget([], new VirtualClock(FRIDAY_11))
    await Promise.all(Array.from({ length: 1_000 }, () => budget.take()))
  })

  test('tells how much of each limit is used', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budget = new CallBudget(WINDOWS, clock)
    const used = () => budget.stats().windows.map((window) => window.used)
    for (let calls = 0; calls < 3; calls++) {
      await budget.take()
      if (calls < 2) budget.noteLeft()
    }
    expect(budget.stats().windows[0]).toEqual({ limit: 10, perMs: 1_000, used: 3 })
    expect(used()).toEqual([3, 3, 3])
    await clock.advance(3_000)
    expect(used()).toEqual([0, 3, 3])
    await clock.advance(60_000)
    expect(used()).toEqual([0, 0, 3])
  })
})

describe('the budgets of a broker', () => {
  const SECOND = [{ count: 1, perMs: 900 }]

  test('wait for each class by itself; a class without limits of its own counts as other', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budgets = new CallBudgets({ order: SECOND, other: SECOND }, clock)
    await Promise.all([budgets.take('order'), budgets.take('profile')])
    const second = budgets.take('other')
    expect(budgets.stats()).toMatchObject([
      { callClass: 'order', waiting: 0 },
      { callClass: 'other', waiting: 1 },
    ])
    await clock.advance(5_000)
    await second
  })

  test('a class that names another one shares its calls', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budgets = new CallBudgets({ order: SECOND, quote: 'order' }, clock)
    await budgets.take('quote')
    budgets.noteLeft('quote')
    const order = budgets.take('order', 'order')
    expect(budgets.orderStats()).toMatchObject({ waiting: 1 })
    expect(budgets.stats()).toHaveLength(1)
    await clock.advance(1_000)
    await order
  })

  test('go on with the day that a book shows, as old as its orders are', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budgets = new CallBudgets({ order: [{ count: 10, perMs: DAY_MS }] }, clock)
    const book = [20, 1, 1, 1, 1, 1, 1, 1, 1].map((hours) => clock.ago(hours * HOUR_MS))
    budgets.noteEarlier('order', book)
    budgets.noteEarlier('order', [clock.ago(2 * HOUR_MS)])
    const used = () => budgets.orderStats().windows[0]?.used
    expect(used()).toBe(9)
    await expect(budgets.take('order', 'order')).rejects.toThrow('call limit')
    await budgets.take('order', 'cancel')
    budgets.noteLeft('order')
    expect(used()).toBe(10)
    await clock.advance(5 * HOUR_MS)
    expect(used()).toBe(9)
  })

  test('a book of what this program sent itself counts nothing twice', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const budgets = new CallBudgets({ order: [{ count: 10, perMs: DAY_MS }] }, clock)
    await clock.advance(HOUR_MS)
    budgets.noteLeft('order')
    budgets.noteEarlier('order', [clock.now()])
    expect(budgets.orderStats().windows[0]?.used).toBe(1)
  })

  test('without any limit nothing waits', async () => {
    const budgets = new CallBudgets({}, new VirtualClock(FRIDAY_11), 0)
    await Promise.all(Array.from({ length: 100 }, () => budgets.take('order')))
  })
})
