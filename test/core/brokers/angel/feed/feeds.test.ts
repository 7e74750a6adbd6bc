import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { angel } from '../../../../../src/core/brokers/angel/index.js'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import type { Tick } from '../../../../../src/core/market/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { eventually } from '../../../../support/eventually.js'
import { orderOf, SESSION, startRig, until } from '../rig.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' }
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const CALL = { symbol: 'SENSEX31JAN3080000CE', exchange: 'BFO' }

let clock: VirtualClock
let rig: Awaited<ReturnType<typeof startRig>>
let ticks: Tick[]
beforeEach(async () => {
  clock = new VirtualClock('2026-11-27T10:00:00+05:30')
  rig = await startRig(clock)
  ticks = []
})
afterEach(() => rig.close())

async function feed(client = rig.client) {
  const { ticks: found } = client
  if (!found) throw new Error('no feed')
  await found.open((tick) => ticks.push(tick))
  return found
}
const received = () => rig.fake.feeds.received.map((text) => JSON.parse(text))

describe('the price feed', () => {
  it('groups a subscription by exchange, and sends one request for each mode', async () => {
    const prices = await feed()
    prices.subscribe([INFY, CALL, SBIN], 2)
    await until(() => rig.fake.feeds.received.length === 1)
    expect(received()).toMatchObject([
      {
        action: 1,
        params: {
          mode: 2,
          tokenList: [
            { exchangeType: 1, tokens: ['1594', '3045'] },
            { exchangeType: 4, tokens: ['3045'] },
          ],
        },
      },
    ])
    await until(() => ticks.length === 3)
    expect(ticks.find(({ exchange }) => exchange === 'BFO')).toMatchObject({ symbol: CALL.symbol, ltp: 900 })
  })

  it('ends the old mode of a symbol when it gets another', async () => {
    const prices = await feed()
    prices.subscribe([INFY], 3)
    prices.subscribe([INFY], 1)
    await until(() => rig.fake.feeds.received.length === 3)
    expect(received().map(({ action, params }) => [action, params.mode])).toEqual([
      [1, 3],
      [0, 3],
      [1, 1],
    ])
    await until(() => ticks.length === 2)
    ticks.length = 0
    rig.fake.setPrice('NSE:INFY-EQ', 1501)
    await until(() => ticks.length > 0)
    expect(ticks).toMatchObject([{ ltp: 1501, volume: 0 }])
    expect(ticks[0]?.depth).toBeUndefined()
  })

  it('reads the best five whichever flag the buyers have', async () => {
    rig.fake.feeds.buyFlag = 1
    const prices = await feed()
    prices.subscribe([INFY], 3)
    await until(() => ticks.length > 0)
    expect(ticks[0]).toMatchObject({ bid: 1499.95, ask: 1500.05, timestamp: clock.now(), oi: 7 })
  })

  it('subscribes everything again after a drop, in its mode', async () => {
    const prices = await feed()
    prices.subscribe([INFY], 3)
    prices.subscribe([SBIN], 1)
    await until(() => ticks.length === 2)
    rig.fake.feeds.disconnectAll()
    await until(() => rig.context.lines.some(({ event }) => event === 'broker.socket_dropped'))
    ticks.length = 0
    await clock.advance(1_000)
    await until(() => ticks.length === 2)
    expect(rig.fake.feeds.dials).toBe(2)
  })

  it('is heard each second and a half without a price, so that a quiet market does not look like a lost feed', async () => {
    const prices = await feed()
    await clock.advance(1500)
    await until(() => prices.silentMs?.() === 0)
    await clock.advance(1000)
    expect(prices.silentMs?.()).toBe(1000)
    await clock.advance(500)
    await until(() => prices.silentMs?.() === 0)
  })

  it('pings every ten seconds, and a connection that answers nothing is dropped', async () => {
    const prices = await feed()
    await clock.advance(10_000)
    await until(() => prices.silentMs?.() === 0)
    rig.fake.feeds.isMute = true
    await eventually(async () => {
      await clock.advance(13_000)
      return rig.context.lines.some(({ event }) => event === 'broker.socket_dropped')
    })
  })

  it('spreads more symbols than one connection carries, and refuses more than all of them', async () => {
    const instrumentOf = (symbol: string): Instrument => ({
      symbol,
      brokerSymbol: `${symbol}-EQ`,
      name: symbol,
      exchange: 'NSE',
      brokerExchange: 'NSE',
      token: symbol.slice(1),
      expiry: '',
      strike: 0,
      lotSize: 1,
      instrumentType: 'EQ',
      tickSize: 0.05,
    })
    const instruments = {
      ...rig.context.instruments,
      count: 0,
      find: (symbol: string) => instrumentOf(symbol),
    }
    const client = angel.connect(SESSION, { ...rig.context, instruments })
    const prices = await feed(client)
    const refs = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, place) => ({ symbol: `S${from + place}`, exchange: 'NSE' }))
    prices.subscribe(refs(0, 2500), 1)
    await until(() => rig.fake.feeds.dials === 3)
    await until(() => received().length >= 3)
    const sizes = received().map(({ params }) => params.tokenList[0].tokens.length)
    expect(sizes.sort()).toEqual([1000, 1000, 500])
    expect(() => prices.subscribe(refs(2500, 3001), 1)).toThrow('at most 3000 instruments')
    await client.close()
  })

  it('refuses a symbol that the feed does not have, and changes nothing', async () => {
    const prices = await feed()
    expect(() => prices.subscribe([INFY, { symbol: 'NOSUCH', exchange: 'NSE' }], 1)).toThrow('not found')
    expect(rig.fake.feeds.received).toEqual([])
  })

  it('logs an error of the broker and a frame that cannot be read', async () => {
    const prices = await feed()
    prices.subscribe([INFY], 1)
    await until(() => ticks.length > 0)
    rig.fake.feeds.sendRaw(JSON.stringify({ errorCode: 'E1002', errorMessage: `no ${SESSION.accessToken}` }))
    const broken = Buffer.alloc(51)
    broken.writeUInt8(1, 0)
    broken.writeBigInt64LE(2n ** 62n, 43)
    rig.fake.feeds.sendRaw(broken)
    await until(() => rig.context.lines.some(({ event }) => event === 'angel.unreadable_frame'))
    const lines = JSON.stringify(rig.context.lines)
    expect(lines).toContain('E1002')
    expect(lines).not.toContain(SESSION.accessToken)
  })
})

describe('order updates', () => {
  it('arrive for each state of an order', async () => {
    const updates: BrokerOrder[] = []
    await rig.client.orderEvents?.open((order) => updates.push(order))
    const stop = orderOf({ priceType: 'SL', price: 1601, triggerPrice: 1600 })
    const { orderId } = await rig.client.orders.place(stop, 'TAG1')
    rig.fake.setPrice('NSE:INFY-EQ', 1600)
    await until(() => updates.length === 2)
    expect(updates).toMatchObject([
      { orderId, tag: 'TAG1', status: 'trigger pending' },
      { orderId, tag: 'TAG1', status: 'complete', averagePrice: 1600, pendingQuantity: 0 },
    ])
    expect(rig.context.lines).toEqual([])
  })

  it('that say that the session has ended are a refusal of the session', async () => {
    await rig.client.orderEvents?.open(() => undefined)
    await until(() => rig.client.orderEvents?.state().connected)
    rig.fake.feeds.push('AG8002', {}, 'Token Expired')
    await until(() => rig.refusals() === 1)
    expect(rig.client.orderEvents?.state().connected).toBe(false)
  })

  it('that cannot be read are logged, told as lost and passed over', async () => {
    const updates: BrokerOrder[] = []
    let lost = 0
    await rig.client.orderEvents?.open(
      (order) => updates.push(order),
      () => lost++,
    )
    rig.fake.feeds.push('AB01', { orderid: '' })
    await rig.client.orders.place(orderOf(), 'TAG1')
    await until(() => updates.length > 0)
    expect(rig.context.lines.map(({ event }) => event)).toEqual(['angel.unreadable_order_update'])
    expect(lost).toBe(1)
  })
})
