import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ADDED_COLUMNS } from '../../../../../src/core/brokers/simulated/exchange/tables.js'
import { Database } from '../../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { byTag } from '../../by-tag.js'
import { connect, contextOf, order, SESSION, tempDir, testPlugin } from '../support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const FRIDAY_20 = Date.parse('2026-11-20T20:00:00+05:30')
const MINUTE = 60_000

describe('an IOC order', () => {
  it('takes what the book has at once; the rest is cancelled', async () => {
    const { client } = connect()
    const { depth } = await client.market.depth(SBIN)
    const offered = depth.sell.reduce((sum, { quantity }) => sum + quantity, 0)
    await client.orders.place(order({ quantity: offered + 100, instructions: { validity: 'IOC' } }), 'ioc')
    expect(await byTag(client, 'ioc')).toMatchObject({
      status: 'cancelled',
      filledQuantity: offered,
      pendingQuantity: 0,
      rejectionReason: 'IOC order: the rest was not filled at once',
    })
  })
})

describe('a TTL order', () => {
  const ttl = order({
    priceType: 'LIMIT',
    price: 730,
    instructions: { validity: 'TTL', validityTtl: 5 },
  })

  it('ends at its minute', async () => {
    const { client, clock } = connect()
    await client.orders.place(ttl, 'ttl')
    await clock.advance(5 * MINUTE - 1_000)
    expect((await byTag(client, 'ttl'))?.status).toBe('open')
    await clock.advance(1_000)
    expect(await byTag(client, 'ttl')).toMatchObject({
      status: 'cancelled',
      rejectionReason: 'TTL order: its minutes are over',
    })
  })

  it('ends at its minute after a restart', async () => {
    const stateDir = tempDir()
    const { client, clock } = connect({}, undefined, stateDir)
    await client.orders.place(ttl, 'ttl')
    await client.close()
    const later = new VirtualClock(clock.now() + 6 * MINUTE)
    const again = testPlugin().connect(SESSION, contextOf(later, stateDir))
    await again.ready()
    await later.advance(1_000)
    expect((await byTag(again, 'ttl'))?.status).toBe('cancelled')
    await again.close()
  })
})

it('opens the file of a version that knew no instructions, with its orders', async () => {
  const stateDir = tempDir()
  const { client, clock } = connect({}, undefined, stateDir)
  await client.orders.place(order(), 'before')
  await client.close()
  const file = await Database.open({ file: join(stateDir, 'exchange.db'), schema: undefined })
  await file.write(async (tx) => {
    for (const { name } of ADDED_COLUMNS) await tx.exec(`alter table exchange_orders drop column ${name}`)
  })
  await file.close()
  const again = testPlugin().connect(SESSION, contextOf(new VirtualClock(clock.now()), stateDir))
  expect(await byTag(again, 'before')).toMatchObject({ status: 'complete' })
  await again.orders.place(order({ priceType: 'LIMIT', price: 730, instructions: { algoId: 'A1' } }), 'after')
  expect(await byTag(again, 'after')).toMatchObject({ status: 'open' })
  await again.close()
})

describe('an AMO', () => {
  it('is accepted while the exchange is closed, and trades from the opening on', async () => {
    const { client, clock } = connect({ sessions: 'market' }, FRIDAY_20)
    await expect(client.orders.place(order(), 'now')).rejects.toThrow('NSE is closed')
    await client.orders.place(order({ instructions: { amo: true } }), 'amo')
    expect((await byTag(client, 'amo'))?.status).toBe('open')
    await clock.advanceTo('2026-11-23T09:14:59+05:30')
    expect((await byTag(client, 'amo'))?.status).toBe('open')
    await clock.advanceTo('2026-11-23T09:15:05+05:30')
    expect((await byTag(client, 'amo'))?.status).toBe('complete')
  })
})

describe('market protection', () => {
  it('rests with what would trade beyond the band, until the book comes back', async () => {
    const { client, clock } = connect()
    const { depth, ltp } = await client.market.depth(SBIN)
    const best = depth.sell[0]
    if (!best) throw new Error('nobody sells')
    // Only the first level lies within.
    const percent = ((best.price - ltp) / ltp) * 100 + 0.001
    const within = depth.sell.filter(({ price }) => price <= ltp * (1 + percent / 100))
    const taken = within.reduce((sum, { quantity }) => sum + quantity, 0)
    await client.orders.place(
      order({ quantity: taken + 10, instructions: { marketProtection: percent } }),
      'protected',
    )
    expect(await byTag(client, 'protected')).toMatchObject({ status: 'open', filledQuantity: taken })
    for (let minute = 0; minute < 120 && clock.pending > 0; minute++) await clock.advance(MINUTE)
    const row = await byTag(client, 'protected')
    expect(row?.averagePrice).toBeLessThanOrEqual(ltp * (1 + percent / 100) + 0.005)
  })
})
