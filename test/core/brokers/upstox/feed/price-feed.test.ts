import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { upstox } from '../../../../../src/core/brokers/upstox/index.js'
import { InMemoryDirectory } from '../../../../../src/core/instruments/index.js'
import type { Tick } from '../../../../../src/core/market/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { eventually } from '../../../../support/eventually.js'
import { INFY, orderOf, SBIN, SESSION, startRig } from '../rig.js'

const [CASH, OTHER] = [
  { symbol: 'INFY', exchange: 'NSE' },
  { symbol: 'SBIN', exchange: 'NSE' },
]

async function open() {
  const clock = new VirtualClock('2026-11-27T11:00:00+05:30')
  const rig = await startRig(clock)
  onTestFinished(() => rig.close())
  const feed = rig.client.ticks
  if (!feed) throw new Error('no feed')
  const ticks: Tick[] = []
  await feed.open((tick) => ticks.push(tick))
  const last = (symbol: string) => ticks.findLast((tick) => tick.symbol === symbol)
  const asked = () =>
    rig.fake.feeds.received.map(({ method, data }) => [method, data.mode, ...data.instrumentKeys])
  return { ...rig, clock, feed, ticks, last, asked }
}

describe('the price feed', () => {
  it('asks in the mode that is wanted, changes it where another is, and asks again where a request may be lost', async () => {
    const { asked, fake, feed } = await open()
    feed.subscribe([CASH], 1)
    feed.subscribe([OTHER], 2)
    feed.subscribe([CASH], 3)
    feed.subscribe([CASH], 3)
    feed.unsubscribe([OTHER, CASH])
    await eventually(() => asked().length === 5)
    expect(asked()).toEqual([
      ['sub', 'ltpc', INFY],
      ['sub', 'full', SBIN],
      ['change_mode', 'full', INFY],
      ['sub', 'full', INFY],
      ['unsub', 'full', INFY, SBIN],
    ])
    expect(fake.feeds.unreadable).toEqual([])
  })

  it('gives the price alone in mode 1, the best prices in mode 2, and the depth in mode 3', async () => {
    const { feed, last } = await open()
    feed.subscribe([CASH], 1)
    await eventually(() => last('INFY') !== undefined)
    expect(last('INFY')).toMatchObject({ ltp: 1500, prevClose: 1500, bid: 0, volume: 0 })
    feed.subscribe([OTHER], 2)
    await eventually(() => last('SBIN') !== undefined)
    expect(last('SBIN')).toMatchObject({ ltp: 800, bid: 799.95, ask: 800.05, bidSize: 100, volume: 100_000 })
    expect(last('SBIN')?.depth).toBeUndefined()
    feed.subscribe([OTHER], 3)
    await eventually(() => last('SBIN')?.depth !== undefined)
    expect(last('SBIN')?.depth?.buy).toHaveLength(5)
  })

  it('subscribes everything again after a drop, at an address of its own', async () => {
    const { asked, clock, fake, feed, last, ticks } = await open()
    feed.subscribe([CASH], 3)
    feed.subscribe([OTHER], 1)
    await eventually(() => ticks.length === 2)
    fake.feeds.disconnectAll()
    ticks.length = 0
    await eventually(async () => {
      await clock.advance(500)
      return ticks.length === 2
    })
    expect(asked().slice(2)).toEqual([
      ['sub', 'ltpc', SBIN],
      ['sub', 'full', INFY],
    ])
    expect(new Set(fake.feeds.dials.market).size).toBe(2)
    expect(last('INFY')?.ltp).toBe(1500)
  })

  it('refuses an address that was used', async () => {
    const { fake } = await open()
    const used = `ws://127.0.0.1:${fake.port}/feed/market?code=${fake.feeds.dials.market[0]}`
    const socket = new WebSocket(used)
    await new Promise((resolve) => socket.on('error', resolve))
    expect(fake.feeds.refused).toBe(1)
  })

  it('logs a frame that cannot be read, and goes on', async () => {
    const { context, fake, feed, ticks } = await open()
    feed.subscribe([CASH], 1)
    fake.feeds.sendRaw(Uint8Array.from([0x12, 0x7f, 0x01]))
    await eventually(() => {
      fake.setPrice(INFY, 1501)
      return ticks.some(({ ltp }) => ltp === 1501)
    })
    expect(context.lines.map(({ event }) => event)).toContain('upstox.unreadable_frame')
  })

  it('keeps to the limits of one mode and of both, and changes nothing above them', async () => {
    const { context } = await open()
    const [row] = ['INFY'].map((symbol) => context.instruments.find(symbol, 'NSE'))
    if (!row) throw new Error('not listed')
    const many = Array.from({ length: 5001 }, (_, at) => ({
      ...row,
      symbol: `S${at}`,
      token: `NSE_EQ|${at}`,
    }))
    const client = upstox.connect(SESSION, { ...context, instruments: InMemoryDirectory.of(many) })
    onTestFinished(() => client.close())
    const refs = many.map(({ symbol, exchange }) => ({ symbol, exchange }))
    const subscribe = (count: number, mode: 1 | 3, from = 0) =>
      client.ticks?.subscribe(refs.slice(from, from + count), mode)
    expect(() => subscribe(5001, 1)).toThrow('at most 5000')
    subscribe(5000, 1)
    expect(() => subscribe(1, 3)).toThrow('at most 2000 instruments in the mode ltpc beside others')
    client.ticks?.unsubscribe(refs.slice(2000))
    subscribe(1500, 3, 2000)
    expect(() => subscribe(1, 3, 4000)).toThrow('at most 1500')
    client.ticks?.unsubscribe(refs.slice(0, 2000))
    subscribe(500, 3, 4000)
    expect(() => subscribe(1, 3, 4600)).toThrow('at most 2000')
  })

  it('stays connected while nothing changes, and drops a connection that is dead', async () => {
    const { clock, fake, feed, context } = await open()
    for (let seconds = 0; seconds < 60; seconds++) {
      await clock.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(fake.feeds.dials.market).toHaveLength(1)
    expect([feed.refused?.(), context.lines]).toEqual([false, []])
  })
})

describe('the order feed', () => {
  it('reports orders, and logs what it cannot read and tells it as lost', async () => {
    const { client, context, fake } = await open()
    const updates: BrokerOrder[] = []
    let lost = 0
    await client.orderEvents?.open(
      (order) => updates.push(order),
      () => lost++,
    )
    const { orderId } = await client.orders.place(orderOf(), 'tag1')
    await eventually(() => updates.length > 0)
    expect(updates.at(-1)).toMatchObject({
      orderId,
      tag: 'tag1',
      status: 'complete',
      symbol: 'INFY',
      product: 'MIS',
    })
    fake.feeds.sendText('{"update_type":"position"}')
    fake.feeds.sendText('no JSON')
    fake.feeds.sendText('{"update_type":"order","order_id":"1"}')
    await eventually(() => context.lines.length > 0)
    expect(context.lines.map(({ event }) => event)).toEqual(['upstox.unreadable_order_update'])
    expect(lost).toBe(1)
    expect([client.orderEvents?.state(), updates.length]).toEqual([{ connected: true, connections: 1 }, 1])
  })
})
