import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { addDays, istInstant } from '../../../../src/core/time/index.js'
import { rounds } from '../../../support/chance/chance.js'
import { orderOf, Rig, USER } from '../harness.js'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const MINUTE = 60_000
const SYMBOLS = [
  { symbol: 'SBIN', exchange: 'NSE', lot: 1, products: ['MIS', 'CNC'] },
  { symbol: 'INFY', exchange: 'NSE', lot: 1, products: ['CNC', 'MIS'] },
  { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', lot: 75, products: ['NRML', 'MIS'] },
  { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO', lot: 75, products: ['NRML', 'MIS'] },
] as const

const step = fc.record({
  symbol: fc.integer({ min: 0, max: SYMBOLS.length - 1 }),
  product: fc.integer({ min: 0, max: 1 }),
  buy: fc.boolean(),
  lots: fc.integer({ min: 1, max: 20 }),
  paise: fc.integer({ min: 1_000, max: 30_000 }),
  kind: fc.constantFrom('market', 'limit', 'gtt', 'tick', 'restart', 'away'),
  minutes: fc.integer({ min: 1, max: 2_000 }),
})

/**
 * Checks the ledger on disk: cash, margin and delivered shares equal the capital plus realised profit, and
 * every unit of used margin belongs to a position, a waiting order or an active GTT.
 */
async function audit(rig: Rig): Promise<void> {
  const [row] = await rig.db.queryRaw(`
    select available_balance + used_margin - total_capital - realized_pnl
        + (select ifnull(sum(cost), 0) from sandbox_holdings) as cash,
      used_margin
        - (select ifnull(sum(margin_blocked), 0) from sandbox_positions)
        - (select ifnull(sum(margin_blocked), 0) from sandbox_gtt)
        - (select ifnull(sum(margin_blocked), 0) from sandbox_orders) as margin,
      (select count(*) from sandbox_positions where quantity = 0 and (cost <> 0 or margin_blocked <> 0)) as ghosts,
      (select count(*) from sandbox_gtt where gtt_status <> 'active' and margin_blocked <> 0) as idle
    from sandbox_funds where user_id = '${USER}'`)
  expect(row).toEqual({ cash: 0, margin: 0, ghosts: 0, idle: 0 })
}

async function act(rig: Rig, one: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const { symbol, exchange, lot, products } = SYMBOLS[one.symbol] ?? SYMBOLS[0]
  const ref = { symbol, exchange }
  const price = one.paise / 100
  const order = {
    ...ref,
    action: one.buy ? ('BUY' as const) : ('SELL' as const),
    quantity: one.lots * lot,
    product: products[one.product] ?? products[0],
  }
  if (one.kind === 'market') {
    rig.price(price, ref)
    await rig.sandbox.place(USER, orderOf(order))
  } else if (one.kind === 'limit') {
    await rig.sandbox.place(USER, orderOf({ ...order, priceType: 'LIMIT', price }))
  } else if (one.kind === 'gtt') {
    await rig.sandbox.gtt.place(USER, {
      ...order,
      product: products[0] === 'NRML' ? 'NRML' : 'CNC',
      strategy: 'gtt',
      type: 'SINGLE',
      priceType: 'MARKET',
      legs: [{ kind: one.buy ? 'stop' : 'target', triggerPrice: price, price: 0 }],
      expiresAt: undefined,
    })
  } else if (one.kind === 'tick') {
    await rig.tick(price, ref)
  } else if (one.kind === 'restart') {
    await rig.reboot()
  } else {
    await rig.down(new Date(rig.clock.now() + one.minutes * MINUTE).toISOString())
  }
  await rig.clock.advance(one.minutes * MINUTE)
  await rig.sandbox.books.orderbook(USER)
}

describe('random operations with crashes at random moments', () => {
  it('the ledger balances after every job, and no job runs twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
        const rig = await Rig.open('2026-03-23T09:30:00+05:30')
        rigs.push(rig)
        await rig.funds()
        for (const one of steps) {
          await act(rig, one)
          await audit(rig)
        }
        const jobs = await rig.db.queryRaw('select job, slot, due_at, ran_at from sandbox_jobs')
        expect(new Set(jobs.map(({ job, due_at }) => `${job} ${due_at}`)).size).toBe(jobs.length)
        const { trades, orders } = await rig.dump()
        const filled = orders?.filter((row) => Object(row).status === 'complete')
        expect(trades).toHaveLength(filled?.length ?? 0)
        expect(rig.logged.filter((event) => event.endsWith('failed'))).toEqual([])
        rigs.pop()
        await rig.close()
      }),
      { numRuns: rounds(8), endOnFailure: true },
    )
  })

  it('a day with restarts at random moments ends like a day without restarts', async () => {
    const day = async (restarts: readonly number[]) => {
      const rig = await Rig.open('2026-03-25T09:30:00+05:30')
      rigs.push(rig)
      rig.price(250)
      rig.price(40, { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' })
      await rig.trade('BUY', 10, 250)
      await rig.trade('BUY', 7, 250, { product: 'CNC' })
      const option = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO', product: 'NRML' } as const
      await rig.trade('SELL', 75, 40, option)
      rig.price(260)
      const end = istInstant(addDays('2026-03-25', 6), '09:00')
      for (const at of [...restarts].sort((a, b) => a - b)) {
        await rig.clock.advanceTo(rig.clock.now() + at)
        await rig.reboot()
      }
      await rig.clock.advanceTo(end)
      await rig.sandbox.books.orderbook(USER)
      const rows = await rig.db.queryRaw('select job, slot, due_at from sandbox_jobs order by due_at, job')
      const daily = await rig.db.queryRaw('select * from sandbox_daily_pnl order by date')
      const funds = await rig.funds()
      rigs.pop()
      await rig.close()
      return { rows, daily, funds }
    }
    const undisturbed = await day([])
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 36 * 60 * MINUTE }), { minLength: 1, maxLength: 4 }),
        async (restarts) => {
          expect(await day(restarts)).toEqual(undisturbed)
        },
      ),
      { numRuns: rounds(4), endOnFailure: true },
    )
  })
})
