import { expect, it, onTestFinished } from 'vitest'
import { upstox } from '../../../../src/core/brokers/upstox/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { FakeUpstox } from '../../../fixtures/fake-upstox/server.js'
import { contextFor, INFY, orderOf, SBIN, SESSION, startRig } from './rig.js'

async function open() {
  const rig = await startRig()
  onTestFinished(() => rig.close())
  return rig
}

it('positions have those in margin funding, once each', async () => {
  const { client, fake } = await open()
  fake.exchange.hold(SBIN, 'MTF', 5)
  fake.exchange.hold(INFY, 'I', 3)
  const rows = await client.portfolio.positions()
  expect(rows.map(({ product, quantity, symbol }) => [symbol, product, quantity])).toEqual([
    ['INFY', 'MIS', 3],
    ['SBIN', 'MTF', 5],
  ])
})

it('positions are shown without margin funding where the account has none, and not where it cannot be read', async () => {
  const { client, fake } = await open()
  fake.exchange.hold(INFY, 'I', 3)
  fake.script.set({ route: 'fundedPositions', actions: ['reject:UDAPI100500:not activated', '5xx_before'] })
  expect(await client.portfolio.positions()).toHaveLength(1)
  await expect(client.portfolio.positions()).rejects.toMatchObject({ kind: 'unavailable' })
})

it('a closed position has a realised profit and no average price', async () => {
  const { client, fake } = await open()
  await client.orders.place(orderOf({ quantity: 2 }), 'tag1')
  fake.setPrice(INFY, 1510)
  await client.orders.place(orderOf({ quantity: 2, action: 'SELL' }), 'tag2')
  expect(await client.portfolio.positions()).toMatchObject([
    { quantity: 0, averagePrice: 0, pnl: 20, realized: 20, unrealized: 0, dayPnl: 20 },
  ])
})

it('a position without a last price has the profit that the row tells, not the loss of its whole value', async () => {
  const { client, fake } = await open()
  fake.exchange.hold(INFY, 'I', 3)
  const [known] = await client.portfolio.positions()
  fake.book.isUnpriced = true
  const [row] = await client.portfolio.positions()
  expect(row).toMatchObject({ ltp: 0, pnl: known?.pnl, unrealized: known?.pnl, realized: 0 })
})

it('a contract whose size is not settled keeps the count of the broker, and says why', async () => {
  const { client, fake } = await open()
  fake.exchange.hold('MCX_FO|2002', 'D', 3)
  expect(await client.portfolio.positions()).toMatchObject([
    { symbol: 'NEWMETAL31JAN30FUT', quantity: 3, unsettled: expect.stringContaining('not settled') },
  ])
})

it('a multiplier that contradicts ours stops trading of the contract', async () => {
  const { client, context, fake } = await open()
  const listed = fake.exchange.price('MCX_FO|2001')?.listed
  if (!listed) throw new Error('not listed')
  const { multiplier } = listed
  onTestFinished(() => void Object.assign(listed, { multiplier }))
  listed.multiplier = 100
  fake.exchange.hold('MCX_FO|2001', 'D', 1)
  const order = orderOf({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 10 })
  await expect(client.orders.preparePlace?.(order)).rejects.toMatchObject({
    kind: 'unsupported',
    sent: 'never',
  })
  expect(context.lines).toMatchObject([
    { event: 'broker.multiplier_differs', fields: { multiplier: 100, lot: 10 } },
  ])
  expect(await client.portfolio.positions()).toMatchObject([{ quantity: 1, unsettled: expect.any(String) }])
})

it.each([
  ['lots', { multiplier: 10, count: 3, ltp: 72_200 }, 30, undefined],
  ['units', { multiplier: 1, count: 30, ltp: 72_200 }, 30, undefined],
  ['neither for sure', { multiplier: 1, count: 30, ltp: 72_150 }, 30, 'counts lots or units'],
] as const)(
  'a commodity whose row counts %s is read so',
  async (_name, { count, ltp, multiplier }, quantity, reason) => {
    const { client, fake } = await open()
    const listed = fake.exchange.price('MCX_FO|2001')?.listed
    if (!listed) throw new Error('not listed')
    const before = listed.multiplier
    onTestFinished(() => void Object.assign(listed, { multiplier: before }))
    listed.multiplier = multiplier
    fake.exchange.hold('MCX_FO|2001', 'D', count)
    fake.setPrice('MCX_FO|2001', ltp)
    const [row] = await client.portfolio.positions()
    expect([row?.symbol, row?.quantity]).toEqual(['GOLDM31JAN30FUT', quantity])
    if (reason === undefined) expect(row?.unsettled).toBeUndefined()
    else expect(row?.unsettled).toContain(reason)
  },
)

it('holdings count all shares, also those that are not delivered yet', async () => {
  const { client } = await open()
  expect(await client.portfolio.holdings()).toEqual([
    {
      symbol: 'TCS',
      exchange: 'NSE',
      product: 'CNC',
      ...{ quantity: 12, openingQuantity: 12, averagePrice: 3000, ltp: 3500, pnl: 6000 },
    },
  ])
})

it('funds are closed in the night, and nothing is made up then', async () => {
  const clock = new VirtualClock('2026-11-27T05:29:00+05:30')
  const fake = await FakeUpstox.start({ clock, limits: 'none' })
  const client = upstox.connect(SESSION, contextFor(fake.endpoints, clock))
  onTestFinished(async () => {
    await client.close()
    await fake.stop()
  })
  await expect(client.portfolio.funds()).rejects.toMatchObject({
    kind: 'unavailable',
    brokerCode: 'UDAPI100072',
  })
  await clock.advance(60_000)
  expect(await client.portfolio.funds()).toEqual({
    availableCash: '1000000.50',
    collateral: '50000.00',
    unrealized: '0.00',
    realized: '0.00',
    utilized: '25000.25',
  })
})

it('a margin of more than 20 orders is refused and never sent', async () => {
  const { client } = await open()
  const orders = Array.from({ length: 21 }, () => orderOf())
  await expect(client.margins?.estimate(orders)).rejects.toMatchObject({ kind: 'unsupported', sent: 'never' })
})
