import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../../src/core/logging/index.js'
import {
  LIVE_FILLS,
  OrderJournal,
  type StrategyLeg,
  StrategyTotals,
} from '../../../../src/core/orders/index.js'
import { statesBefore } from '../../../../src/core/orders/journal/states.js'
import { addedFill } from '../../../../src/core/orders/strategy/live-fills.js'
import { type LegRules, legAfter, type StrategyFill } from '../../../../src/core/orders/strategy/pnl.js'
import {
  LEGS_OF_CONTRACTS,
  LEGS_OF_SESSION,
  LEGS_OF_STRATEGY,
} from '../../../../src/core/orders/strategy/totals.js'
import { Database } from '../../../../src/core/storage/index.js'
import { sessionDate } from '../../../../src/core/time/index.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { tempDir } from '../../../support/files/temp.js'

const USER = 'asha'
const STRATEGIES = ['orb', 'vwap'] as const
const RULES: LegRules = {
  sessionOf: sessionDate,
  hasEnded: ({ product }) => product === 'MIS',
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      strategy: fc.constantFrom(...STRATEGIES, 'close' as const),
      symbol: fc.constantFrom('SBIN', 'INFY'),
      product: fc.constantFrom('MIS' as const, 'CNC' as const),
      action: fc.constantFrom('BUY' as const, 'SELL' as const),
    }),
  },
  {
    // Quantities grow, shrink and repeat: reports come late and twice, some with another average price.
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      order: fc.nat(),
      quantity: fc.nat({ max: 12 }),
      price: fc.integer({ min: 1, max: 90_000 }).map((paise) => paise / 100),
      state: fc.constantFrom('partial' as const, 'partial' as const, 'filled' as const, 'cancelled' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('store' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('nextDay' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Placed = Extract<Step, { kind: 'place' }> & { ref: string; filled?: { quantity: number; price: number } }

/** A journal on a real file, and the list of every fill that it took. */
class World {
  readonly #clock = deskClock('2026-11-20T11:00:00+05:30')
  readonly #file = join(tempDir(), 'svc.db')
  readonly #orders: Placed[] = []
  readonly fills: (StrategyFill & { strategy: string })[] = []
  #db: Database | undefined

  constructor(private readonly chunk: number) {}

  async open(): Promise<void> {
    this.#db = await Database.open({ file: this.#file, schema: 'svc' })
  }

  get db(): Database {
    if (!this.#db) throw new Error('not open')
    return this.#db
  }

  get session(): string {
    return sessionDate(this.#clock.now())
  }

  totals(): StrategyTotals {
    return new StrategyTotals(this.db, LIVE_FILLS, RULES, silentLogger, this.chunk)
  }

  async run(one: Step): Promise<void> {
    const journal = new OrderJournal(this.db, this.#clock)
    await this.#clock.advance(1)
    if (one.kind === 'place') await this.#place(journal, one)
    if (one.kind === 'report') await this.#report(journal, one)
    if (one.kind === 'store') await this.totals().catchUp()
    if (one.kind === 'nextDay') await this.#clock.advance(24 * 3_600_000)
    if (one.kind === 'restart') {
      await this.db.close()
      await this.open()
    }
  }

  async #place(journal: OrderJournal, one: Extract<Step, { kind: 'place' }>): Promise<void> {
    const { action, product, symbol } = one
    const isClose = one.strategy === 'close'
    const strategy = isClose ? 'Squareoff' : one.strategy
    const ref = `S${this.#orders.length}`
    await journal.open([
      {
        orderRef: ref,
        userId: USER,
        operation: isClose ? 'closeposition' : 'placeorder',
        source: 'api',
        mode: 'live',
        broker: 'simulated',
        state: 'accepted',
        payload: { symbol, exchange: 'NSE', action, product, quantity: 12, strategy },
      },
    ])
    this.#orders.push({ ...one, ref })
  }

  async #report(journal: OrderJournal, report: Extract<Step, { kind: 'report' }>): Promise<void> {
    const order = this.#orders[report.order % Math.max(1, this.#orders.length)]
    if (!order) return
    const { quantity, price, state } = report
    const before = (await journal.find(order.ref))?.state
    await journal.move(order.ref, state, { filled: { quantity, price } })
    // An order that has ended takes the news of that end alone; the price of its last fill may come late.
    const isNews = before === state || statesBefore(state).some((one) => one === before)
    const added = addedFill(order.filled, { quantity, price })
    if (!isNews || !added) return
    order.filled = { quantity, price }
    const { symbol, product, action, strategy } = order
    const contract = { symbol, exchange: 'NSE', product, action, strategy }
    this.fills.push({ ...contract, ...added, at: this.#clock.now(), closesOnly: strategy === 'close' })
  }
}

/** Adds up every fill of a strategy, from the first. */
function recomputed(fills: World['fills'], strategy: string): StrategyLeg[] {
  const legs = new Map<string, StrategyLeg>()
  for (const fill of fills.filter((one) => one.closesOnly || one.strategy === strategy)) {
    const key = `${fill.symbol}:${fill.product}`
    const leg = legAfter(legs.get(key), fill, RULES)
    if (leg) legs.set(key, leg)
  }
  return sorted([...legs.values()])
}

const sorted = (legs: StrategyLeg[]) =>
  legs.toSorted((a, b) => `${a.symbol}:${a.product}`.localeCompare(`${b.symbol}:${b.product}`))

/** Returns whether a leg is open, or was traded in a session. */
const isOf = (session: string) => (leg: StrategyLeg) => leg.quantity !== 0 || leg.session === session
/** What a leg has without the profit of earlier sessions. */
const today = ({ realized: _, ...leg }: StrategyLeg) => leg

describe('running totals', () => {
  it('equal the sum of all fills: over late and repeated reports, closes, restarts, days and any chunk', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        async (steps, chunk) => {
          const world = new World(chunk)
          await world.open()
          try {
            for (const one of steps) await world.run(one)
            for (const strategy of STRATEGIES) {
              const { legs } = await world.totals().of(USER, strategy)
              expect(sorted(legs)).toEqual(recomputed(world.fills, strategy))
            }
            const { session } = world
            const ofSession = await world.totals().ofSession(USER, session)
            for (const strategy of STRATEGIES) {
              const legs = ofSession.flatMap((one) => (one.strategy === strategy ? [one.leg] : []))
              expect(sorted(legs).filter(isOf(session)).map(today)).toEqual(
                recomputed(world.fills, strategy).filter(isOf(session)).map(today),
              )
            }
          } finally {
            await world.db.close()
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('stored by two at once count every fill once', async () => {
    const world = new World(3)
    await world.open()
    try {
      const order = { kind: 'place', strategy: 'orb', symbol: 'SBIN', product: 'CNC', action: 'BUY' } as const
      for (let one = 0; one < 20; one++) {
        await world.run(order)
        await world.run({ kind: 'report', order: one, quantity: 12, price: 100.05, state: 'filled' })
      }
      const [a, b] = [world.totals(), world.totals()]
      await Promise.all([a.catchUp(), b.catchUp(), a.of(USER, 'orb'), b.of(USER, 'orb')])

      expect((await a.of(USER, 'orb')).legs).toMatchObject([{ quantity: 240 }])
      expect((await b.of(USER, 'orb')).legs).toEqual(recomputed(world.fills, 'orb'))
    } finally {
      await world.db.close()
    }
  })

  it.each([
    ['before', false],
    ['after', true],
  ])('count a fill once its price is known, %s later fills were stored', async (_when, stored) => {
    const world = new World(1)
    await world.open()
    try {
      const order = { kind: 'place', strategy: 'orb', symbol: 'SBIN', product: 'CNC', action: 'BUY' } as const
      for (const symbol of ['SBIN', 'INFY'] as const) await world.run({ ...order, symbol })
      await world.run({ kind: 'report', order: 0, quantity: 5, price: 0, state: 'partial' })
      await world.run({ kind: 'report', order: 1, quantity: 12, price: 1500, state: 'filled' })
      if (stored) await world.run({ kind: 'store' })
      expect((await world.totals().of(USER, 'orb')).legs).toMatchObject([{ symbol: 'INFY' }])

      await world.run({ kind: 'report', order: 0, quantity: 12, price: 100.05, state: 'filled' })
      const { legs } = await world.totals().of(USER, 'orb')
      expect(sorted(legs)).toMatchObject([
        { symbol: 'INFY', quantity: 12 },
        { symbol: 'SBIN', quantity: 12, cost: 12_006_000n },
      ])
    } finally {
      await world.db.close()
    }
  })

  it('are read along their indexes, from the cursor on', async () => {
    const world = new World(1)
    await world.open()
    try {
      const plan = async (sql: string, params: (string | number)[]) =>
        (await world.db.queryRaw(`explain query plan ${sql}`, params)).map(({ detail }) => detail)

      expect(await plan(LEGS_OF_STRATEGY, [USER, 'orb'])).toEqual([
        'SEARCH strategy_legs USING INDEX sqlite_autoindex_strategy_legs_1 (user_id=? AND strategy=?)',
      ])
      expect(await plan(LEGS_OF_SESSION, [USER, '2026-11-20'])).toEqual([
        expect.stringMatching(/^SEARCH strategy_legs USING INDEX \S+ \(user_id=\?\)$/),
      ])
      expect((await plan(LEGS_OF_CONTRACTS, ['[]']))[0]).toBe(
        'SEARCH strategy_legs USING INDEX strategy_legs_contract (user_id=? AND exchange=? AND symbol=? AND product=?)',
      )
      const fills = await plan(LIVE_FILLS.sql, [0, 9])
      expect(fills[0]).toBe('SEARCH f USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')
      expect(fills.filter((step) => String(step).startsWith('SCAN'))).toEqual([])
    } finally {
      await world.db.close()
    }
  })
})
