import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { silentLogger } from '../../../../src/core/logging/index.js'
import { toMoney } from '../../../../src/core/money/index.js'
import { StrategyTotals } from '../../../../src/core/orders/index.js'
import { SANDBOX_FILLS } from '../../../../src/core/sandbox/index.js'
import type { SandboxTrade } from '../../../../src/core/sandbox/schema.js'
import { Changes } from '../../../../src/core/sandbox/storage/changes.js'
import { SandboxStore } from '../../../../src/core/sandbox/storage/store.js'
import { Database } from '../../../../src/core/storage/index.js'
import { sessionDate } from '../../../../src/core/time/index.js'
import { tempDir } from '../../../support/files/temp.js'
import { Rig, USER } from '../harness.js'

const NOW = Date.parse('2026-03-12T10:00:00+05:30')
const RULES = { sessionOf: sessionDate, hasEnded: () => false }

const trade = fc.record({
  userId: fc.constantFrom(USER, 'ravi'),
  strategy: fc.constantFrom('orb', 'vwap'),
  action: fc.constantFrom('BUY' as const, 'SELL' as const),
  quantity: fc.integer({ min: 1, max: 9 }),
  paise: fc.integer({ min: 5, max: 90_000 }),
})
const step = fc.oneof(
  { weight: 9, arbitrary: trade.map((made) => ({ kind: 'trade' as const, made })) },
  { weight: 2, arbitrary: fc.constant({ kind: 'store' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
)

it('the totals of the sandbox equal the cash flow of its trades since the last reset of the account', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, chunk) => {
        const db = await Database.open({ file: join(tempDir(), 'sandbox.db'), schema: 'sandbox' })
        const store = new SandboxStore(db)
        const totals = new StrategyTotals(db, SANDBOX_FILLS, RULES, silentLogger, chunk)
        const write = (record: (changes: Changes) => void) =>
          store.write(() => {
            const changes = new Changes()
            record(changes)
            return changes
          })
        const sum = { quantity: 0, cash: 0n }
        try {
          for (const [place, one] of steps.entries()) {
            if (one.kind === 'store') await totals.catchUp()
            if (one.kind === 'reset') {
              await write((changes) => changes.reset(USER))
              Object.assign(sum, { quantity: 0, cash: 0n })
            }
            if (one.kind !== 'trade') continue
            const { paise, ...made } = one.made
            const price = toMoney(paise / 100)
            const row: SandboxTrade = {
              tradeId: `T${place}`,
              orderId: `O${place}`,
              symbol: 'SBIN',
              exchange: 'NSE',
              product: 'CNC',
              ...made,
              price,
              tradedAt: NOW + place,
            }
            await write((changes) => changes.trades.add(row))
            if (made.userId !== USER || made.strategy !== 'orb') continue
            const units = made.action === 'BUY' ? made.quantity : -made.quantity
            sum.quantity += units
            sum.cash -= price * BigInt(units)
          }
          const { legs } = await totals.of(USER, 'orb')
          const [leg] = legs
          // The realized profit is what came in, and what the open units cost or brought.
          const open = (leg?.cost ?? 0n) * (sum.quantity > 0 ? 1n : -1n)
          expect(legs.length).toBeLessThanOrEqual(1)
          expect(leg?.quantity ?? 0).toBe(sum.quantity)
          expect((leg?.realized ?? 0n) - open).toBe(sum.cash)
        } finally {
          await db.close()
        }
      },
    ),
    { numRuns: 40 },
  )
})

it.each(['AUTO_SQUARE_OFF', 'EXPIRY_SETTLEMENT'])(
  'a close by %s counts for every strategy with a leg in its contract, and opens none',
  async (own) => {
    const db = await Database.open({ file: join(tempDir(), 'sandbox.db'), schema: 'sandbox' })
    try {
      const totals = new StrategyTotals(db, SANDBOX_FILLS, RULES, silentLogger, 1)
      const made = (
        strategy: string,
        action: 'BUY' | 'SELL',
        price: number,
        place: number,
      ): SandboxTrade => ({
        tradeId: `T${place}`,
        orderId: `O${place}`,
        symbol: 'SBIN',
        exchange: 'NSE',
        product: 'MIS',
        userId: USER,
        strategy,
        action,
        quantity: 10,
        price: toMoney(price),
        tradedAt: NOW + place,
      })
      await new SandboxStore(db).write(() => {
        const changes = new Changes()
        changes.trades.add(made('orb', 'BUY', 800, 1))
        changes.trades.add(made('vwap', 'BUY', 801, 2))
        changes.trades.add(made(own, 'SELL', 810, 3))
        changes.trades.add(made('late', 'SELL', 811, 4))
        return changes
      })
      const of = async (strategy: string) => (await totals.of(USER, strategy)).legs

      expect(await of('orb')).toMatchObject([{ quantity: 0, realized: toMoney(100) }])
      expect(await of('vwap')).toMatchObject([{ quantity: 0, realized: toMoney(90) }])
      expect(await of('late')).toMatchObject([{ quantity: -10, realized: 0n }])
      expect(await of(own)).toEqual([])
    } finally {
      await db.close()
    }
  },
)

it.each([1, 100])('totals by earlier rules are counted again, in chunks of %d', async (chunk) => {
  const rig = await Rig.open()
  try {
    await rig.trade('BUY', 10, 250)
    await rig.trade('SELL', 10, 260)
    await rig.db.write(async (tx) => {
      await tx.exec(
        "insert into strategy_legs values (?, 'test', 'NSE', 'SBIN', 'MIS', 10, '1', '2', '3', '2026-03-12')",
        [USER],
      )
      await tx.exec('insert into strategy_cursor (id, last_fill) values (1, 1)')
    })
    const totals = () => new StrategyTotals(rig.db, SANDBOX_FILLS, RULES, silentLogger, chunk)
    const right = [{ symbol: 'SBIN', quantity: 0, cost: 0n, realized: toMoney(100) }]
    expect((await totals().of(USER, 'test')).legs).toMatchObject(right)
    await rig.trade('BUY', 5, 250)
    expect((await totals().of(USER, 'test')).legs).toMatchObject([
      { ...right[0], quantity: 5, cost: toMoney(1_250) },
    ])
  } finally {
    await rig.close()
  }
})

it.each([1, 100])('legs end with the reset of the account on its day, in chunks of %d', async (chunk) => {
  const rig = await Rig.open()
  try {
    const totals = new StrategyTotals(rig.db, SANDBOX_FILLS, RULES, silentLogger, chunk)
    const legs = async () => (await totals.of(USER, 'test')).legs
    const nrml = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', product: 'NRML' } as const
    await rig.trade('BUY', 75, 24_500, nrml)
    expect(await legs()).toMatchObject([{ quantity: 75 }])
    await rig.trade('SELL', 10, 250)
    await rig.sandbox.changeSetting('reset_day', 'Friday')
    await rig.pass('2026-03-13T10:00:00+05:30')
    expect((await rig.sandbox.books.positions(USER)).positions).toEqual([])
    expect(await legs()).toEqual([])
    await rig.trade('SELL', 75, 24_600, nrml)
    expect(await legs()).toMatchObject([{ symbol: nrml.symbol, quantity: -75, realized: 0n }])
  } finally {
    await rig.close()
  }
})
