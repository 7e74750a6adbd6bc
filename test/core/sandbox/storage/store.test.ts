import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newOrder } from '../../../../src/core/sandbox/engine/new-order.js'
import { newAccount, newFunds } from '../../../../src/core/sandbox/engine/state.js'
import type { SandboxHolding, SandboxPosition, SandboxTrade } from '../../../../src/core/sandbox/schema.js'
import { Changes } from '../../../../src/core/sandbox/storage/changes.js'
import { SandboxStore } from '../../../../src/core/sandbox/storage/store.js'
import { Database } from '../../../../src/core/storage/index.js'
import { tempDir } from '../../../support/files/temp.js'
import { findInstrument, orderOf } from '../harness.js'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-03-12T10:00:00+05:30')

let db: Database
let store: SandboxStore
beforeEach(async () => {
  db = await Database.open({ file: join(tempDir(), 'sandbox.db'), schema: 'sandbox' })
  store = new SandboxStore(db)
})
afterEach(() => db.close())

/** One flush. */
const flush = (record: (changes: Changes) => void) =>
  store.write(() => {
    const changes = new Changes()
    record(changes)
    return changes
  })

const position = (userId: string, symbol: string, quantity: number): SandboxPosition => ({
  userId,
  symbol,
  exchange: 'NSE',
  product: 'CNC',
  quantity,
  cost: 0n,
  margin: 0n,
  realized: 0n,
  todayRealized: 0n,
  todaySession: '2026-03-12',
  openingSession: '',
  openingQuantity: 0,
  openingCost: 0n,
  contractValue: 1,
  ltp: 0n,
  createdAt: NOW,
  openedAt: NOW,
  updatedAt: NOW,
})
const holding = (userId: string, symbol: string, quantity: number): SandboxHolding => ({
  userId,
  symbol,
  exchange: 'NSE',
  quantity,
  cost: 0n,
  ltp: 0n,
  settledAt: NOW,
})
const trade = (): SandboxTrade => ({
  tradeId: 'TRADE-1',
  orderId: '26031200000001',
  userId: 'asha',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 1,
  price: 1n,
  product: 'CNC',
  strategy: 'test',
  tradedAt: NOW,
})
const account = (userId: string) => newAccount(newFunds(userId, 1_000_000n, NOW)).funds

/** Returns the stored rows of a kind, as `user symbol quantity`. */
const rows = async (kind: 'positions' | 'holdings' | 'orders') =>
  (await db.queryRaw(`select user_id, symbol, quantity from sandbox_${kind} order by 1, 2`)).map((row) =>
    Object.values(row).join(' '),
  )

describe('one flush', () => {
  it('deletes before it inserts: a row that is deleted and created again under the same key exists', async () => {
    await flush((changes) => {
      changes.funds.add(account('asha'))
      for (const symbol of ["O'HARA", 'SBIN', 'INFY']) changes.positions.add(position('asha', symbol, 1))
      for (const symbol of ['SBIN', 'TCS']) changes.holdings.add(holding('asha', symbol, 1))
    })
    await flush((changes) => {
      changes.removePosition(position('asha', 'SBIN', 1))
      changes.removePosition(position('asha', "O'HARA", 1))
      changes.positions.add(position('asha', 'SBIN', 5))
      changes.removeHolding(holding('asha', 'SBIN', 1))
      changes.removeHolding(holding('asha', 'TCS', 1))
      changes.holdings.add(holding('asha', 'TCS', 6))
    })
    expect(await rows('positions')).toEqual(['asha INFY 1', 'asha SBIN 5'])
    expect(await rows('holdings')).toEqual(['asha TCS 6'])
  })

  it('deletes the rows of the user who is reset and of no other, before it writes later rows', async () => {
    const order = (userId: string, orderId: string) => {
      const request = { ...orderOf({ quantity: 2 }), product: 'MIS' } as const
      const instrument = findInstrument('SBIN', 'NSE')
      if (!instrument) throw new Error('no SBIN')
      return newOrder({ userId, orderId }, { request, instrument, price: 0n, triggerPrice: 0n }, NOW)
    }
    await flush((changes) => {
      for (const userId of ['asha', 'ravi']) {
        changes.funds.add(account(userId))
        changes.orders.add(order(userId, userId === 'asha' ? '26031200000001' : '26031200000002'))
        changes.positions.add(position(userId, 'SBIN', 1))
        changes.holdings.add(holding(userId, 'SBIN', 1))
        changes.dailyPnl.add({
          userId,
          date: '2026-03-11',
          realized: 0n,
          positionsUnrealized: 0n,
          holdingsUnrealized: 0n,
          totalMtm: 0n,
          available: 0n,
          used: 0n,
          portfolioValue: 0n,
        })
        changes.gtts.add({
          gttId: `GTT-${userId}`,
          userId,
          triggerType: 'single',
          status: 'active',
          symbol: 'SBIN',
          exchange: 'NSE',
          lastPrice: 0n,
          strategy: 'dip',
          margin: 0n,
          legs: [
            {
              legNumber: 1,
              triggerPrice: 1n,
              direction: 'below',
              action: 'BUY',
              quantity: 1,
              price: 1n,
              priceType: 'LIMIT',
              product: 'CNC',
              status: 'pending',
              triggeredOrderId: null,
              margin: 0n,
              claimedAt: null,
            },
          ],
          createdAt: NOW,
          updatedAt: NOW,
          expiresAt: NOW + DAY_MS,
        })
      }
    })
    await flush((changes) => {
      changes.positions.add(position('asha', 'INFY', 9))
      changes.reset('asha')
      changes.funds.add(account('asha'))
      changes.positions.add(position('asha', 'TCS', 3))
      changes.orders.add(order('asha', '26031299999999'))
    })
    expect(await rows('positions')).toEqual(['asha TCS 3', 'ravi SBIN 1'])
    expect(await rows('holdings')).toEqual(['ravi SBIN 1'])
    expect(await rows('orders')).toEqual(['asha SBIN 2', 'ravi SBIN 2'])
    const left = await Promise.all(
      ['gtt', 'gtt_legs', 'daily_pnl', 'funds'].map((table) =>
        db.queryRaw(`select count(*) as n from sandbox_${table}`),
      ),
    )
    expect(left.map(([row]) => row?.n)).toEqual([1, 1, 1, 2])
  })

  it('is stored completely or not at all', async () => {
    await flush((changes) => changes.positions.add(position('asha', 'SBIN', 1)))
    const half = flush((changes) => {
      changes.removePosition(position('asha', 'SBIN', 1))
      changes.positions.add(position('asha', 'INFY', 2))
      changes.trades.add(trade())
      changes.trades.add(trade())
    })
    await expect(half).rejects.toThrow('UNIQUE')
    expect(await rows('positions')).toEqual(['asha SBIN 1'])
  })
})

it('the ledger of jobs reaches back sixty days, and keeps the latest mark of a job however old', async () => {
  const marks = (job: string, ...daysAgo: number[]) =>
    flush((changes) => {
      for (const days of daysAgo) {
        const at = NOW - days * DAY_MS
        changes.jobs.add({ job, slot: String(days), dueAt: at, ranAt: at })
      }
    })
  await marks('reset', 300, 200)
  await marks('t1', 62, 61, 59)
  await marks('close.NSE', 70)
  // The flush that writes a new mark also deletes old ones.
  await marks('t1', 0)
  const left = await db.queryRaw('select job, slot from sandbox_jobs order by due_at')
  expect(left.map(({ job, slot }) => `${job} ${slot}`)).toEqual([
    'reset 200',
    'close.NSE 70',
    't1 59',
    't1 0',
  ])
  expect([...(await store.load()).jobs].map(([job, { slot }]) => `${job} ${slot}`).sort()).toEqual([
    'close.NSE 70',
    'reset 200',
    't1 0',
  ])
})
