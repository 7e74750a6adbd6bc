import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { RECONNECT_DELAYS_MS } from '../../../../../src/core/brokers/kit/socket/broker-socket.js'
import { zerodha } from '../../../../../src/core/brokers/zerodha/index.js'
import type { Tick } from '../../../../../src/core/market/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { contextFor, EVERY_SYMBOL, orderOf, SECRETS, SESSION, startRig, until } from '../rig.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' }
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const NIFTY = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }

let clock: VirtualClock
let rig: Awaited<ReturnType<typeof startRig>>
let ticks: Tick[]
beforeEach(async () => {
  clock = new VirtualClock('2025-09-04T10:00:00+05:30')
  rig = await startRig(clock)
  ticks = []
})
afterEach(async () => {
  await rig.close()
  expect(clock.pending).toBe(0)
  for (const secret of SECRETS) expect(JSON.stringify(rig.context.lines)).not.toContain(secret)
})

async function openPrices() {
  const feed = rig.client.ticks
  if (!feed) throw new Error('no price feed')
  await feed.open((tick) => ticks.push(tick))
  return feed
}

async function openOrders(onUpdate: (order: BrokerOrder) => void, onUnreadable?: () => void) {
  await rig.client.orderEvents?.open(onUpdate, onUnreadable)
}

const tickOf = (symbol: string, ltp: number) =>
  until(() => ticks.find((tick) => tick.symbol === symbol && tick.ltp === ltp))
const asked = () => rig.fake.ticker.received
const drops = () => rig.context.lines.filter((line) => line.event === 'broker.socket_dropped')

describe('prices', () => {
  it('one frame subscribes all tokens, one sets each mode, and ticks have our symbols', async () => {
    const feed = await openPrices()
    feed.subscribe([INFY, NIFTY], 3)
    feed.subscribe([SBIN], 1)
    expect(await tickOf('NIFTY', 24_000)).toMatchObject({ exchange: 'NSE_INDEX' })
    expect((await tickOf('INFY', 1500)).depth?.sell).toHaveLength(5)
    expect(await tickOf('SBIN', 800)).toMatchObject({ timestamp: clock.now() })
    expect(asked()).toEqual([
      '{"a":"subscribe","v":[408065,256265]}',
      '{"a":"mode","v":["full",[408065,256265]]}',
      '{"a":"subscribe","v":[779521]}',
      '{"a":"mode","v":["ltp",[779521]]}',
    ])
  })

  it('subscriptions made before opening are sent on opening', async () => {
    rig.client.ticks?.subscribe([INFY], 2)
    await openPrices()
    await tickOf('INFY', 1500)
  })

  it('a changed mode replaces the old one', async () => {
    const feed = await openPrices()
    feed.subscribe([INFY], 1)
    await tickOf('INFY', 1500)
    feed.subscribe([INFY], 3)
    await until(() => ticks.some((tick) => tick.depth))
  })

  it('an unknown symbol changes nothing; more than 9000 instruments are refused', async () => {
    const feed = await openPrices()
    expect(() => feed.subscribe([INFY, { symbol: 'NOPE', exchange: 'NSE' }], 2)).toThrow(
      'Symbol NOPE not found',
    )
    const crowded = zerodha.connect(SESSION, { ...contextFor({}, clock), instruments: EVERY_SYMBOL })
    const refs = Array.from({ length: 9001 }, (_, index) => ({ symbol: String(index + 1), exchange: 'NSE' }))
    expect(() => crowded.ticks?.subscribe(refs, 1)).toThrow('at most 9000')
    expect(() => crowded.ticks?.subscribe(refs.slice(1), 1)).not.toThrow()
    expect(() => crowded.ticks?.subscribe(refs.slice(1), 3)).not.toThrow()
    expect(asked()).toEqual([])
  })

  describe('of more than 3000 instruments', () => {
    const refs = Array.from({ length: 7000 }, (_, index) => ({ symbol: String(index + 1), exchange: 'NSE' }))
    let crowded: ReturnType<typeof zerodha.connect>
    beforeEach(() => {
      crowded = zerodha.connect(SESSION, { ...rig.context, instruments: EVERY_SYMBOL })
    })
    afterEach(() => crowded.close())

    /** The number of tokens that each connection carries. */
    const carried = () => rig.fake.ticker.carried()

    it('need three connections, each within the limit, whether they are subscribed before or after opening', async () => {
      crowded.ticks?.subscribe(refs.slice(0, 6500), 1)
      await crowded.ticks?.open(() => {})
      crowded.ticks?.subscribe(refs.slice(6500), 2)
      await until(() => carried().join() === '3000,3000,1000')
      crowded.ticks?.unsubscribe(refs.slice(0, 10))
      await until(() => carried().join() === '2990,3000,1000')
      expect(rig.fake.ticker.overfull).toBe(0)
    })

    it('are subscribed again where they were after a drop', async () => {
      crowded.ticks?.subscribe(refs, 1)
      await crowded.ticks?.open(() => {})
      await until(() => carried().join() === '3000,3000,1000')
      rig.fake.ticker.disconnectAll()
      await until(() => drops().length === 3)
      await clock.advance(1000)
      await until(() => [...carried()].sort().join() === '1000,3000,3000')
    })

    it('an order update arrives once', async () => {
      const updates: BrokerOrder[] = []
      crowded.ticks?.subscribe(refs, 1)
      await crowded.orderEvents?.open((update) => updates.push(update))
      await until(() => rig.fake.ticker.connections === 3)
      await rig.client.orders.place(orderOf(), 'U3')
      await until(() => updates.some((update) => update.status === 'complete'))
      expect(updates.map((update) => update.status)).toEqual(['open', 'open', 'complete'])
    })
  })
})

describe('the connection', () => {
  it('is shared by prices and order updates', async () => {
    await Promise.all([openPrices(), openOrders(() => {})])
    await openOrders(() => {})
    expect(rig.fake.ticker.connections).toBe(1)
  })

  it('reconnects 1 s after a drop, with the current subscriptions only', async () => {
    const feed = await openPrices()
    feed.subscribe([INFY], 3)
    feed.subscribe([SBIN], 2)
    feed.unsubscribe([SBIN])
    await tickOf('INFY', 1500)
    rig.fake.ticker.disconnectAll()
    await until(() => drops().length === 1)
    await clock.advance(999)
    expect(rig.fake.ticker.connections).toBe(0)
    asked().length = 0
    await clock.advance(1)
    await until(() => asked().length === 2)
    expect(asked()).toEqual(['{"a":"subscribe","v":[408065]}', '{"a":"mode","v":["full",[408065]]}'])
    rig.fake.setPrice('NSE:INFY', 1510)
    await tickOf('INFY', 1510)
  })

  it('waits 1, 2, 5, 10, 30, 60 and 60 s while it is refused, and 1 s again after ten seconds of prices', async () => {
    const feed = await openPrices()
    feed.subscribe([INFY], 1)
    await tickOf('INFY', 1500)
    rig.fake.ticker.refuseNext(503, 500, 502, 503, 503, 503)
    rig.fake.ticker.disconnectAll()
    const expected = [...RECONNECT_DELAYS_MS, 60_000]
    for (const [index, delay] of expected.entries()) {
      await until(() => drops().length === index + 1)
      await clock.advance(delay)
    }
    await until(() => rig.fake.ticker.connections === 1)
    expect(drops().map((line) => line.fields.retryInMs)).toEqual(expected)
    // Prices that still come after ten seconds prove the connection.
    for (let second = 1; second <= 10; second++) {
      await clock.advance(1000)
      rig.fake.setPrice('NSE:INFY', 1500 + second)
      await tickOf('INFY', 1500 + second)
    }
    rig.fake.ticker.disconnectAll()
    await until(() => drops().length === expected.length + 1)
    expect(drops().at(-1)?.fields.retryInMs).toBe(1000)
  })

  it('stops reconnecting for good if the token is refused, even if it is opened again', async () => {
    await openPrices()
    rig.fake.ticker.refuseNext(403)
    rig.fake.ticker.disconnectAll()
    await until(() => drops().length === 1)
    await clock.advance(1000)
    await until(() => rig.context.lines.some((line) => line.event === 'broker.socket_refused'))
    await clock.advance(300_000)
    expect(rig.fake.ticker.connections).toBe(0)
    await expect(openPrices()).rejects.toMatchObject({ kind: 'auth', brokerStatus: 403 })
    expect([rig.fake.ticker.connections, rig.fake.ticker.refused]).toEqual([0, 1])
  })

  it('a first handshake refused with 503 is a network error, and opening can be tried again', async () => {
    rig.fake.ticker.refuseNext(503)
    await expect(openPrices()).rejects.toMatchObject({ kind: 'network', brokerStatus: 503 })
    await openPrices()
  })

  it('a first handshake refused with 403 is an auth error, and no other is tried', async () => {
    rig.fake.ticker.refuseNext(403)
    await expect(openPrices()).rejects.toMatchObject({ kind: 'auth', brokerStatus: 403 })
    await expect(openPrices()).rejects.toMatchObject({ kind: 'auth', brokerStatus: 403 })
    expect(rig.fake.ticker.refused).toBe(1)
  })

  it('a port without a server is an error too', async () => {
    const { client } = { client: zerodha.connect(SESSION, contextFor({ ticker: 'ws://127.0.0.1:1' }, clock)) }
    await expect(client.ticks?.open(() => {})).rejects.toMatchObject({ kind: 'network' })
    await client.close()
  })

  it('that is silent for over 5 s counts as dropped', async () => {
    await openPrices()
    for (let turn = 0; turn < 20; turn++) await clock.advance(0)
    rig.fake.ticker.delivery.mute = true
    await clock.advance(5000)
    expect(drops()).toEqual([])
    await clock.advance(1000)
    rig.fake.ticker.delivery.mute = false
    expect(drops()[0]?.fields).toEqual({ socket: 'ticker', reason: 'silent for 5000 ms', retryInMs: 1000 })
    await clock.advance(1000)
    await until(() => rig.fake.ticker.connections === 1)
  })

  it('reconnects when a connected price feed is opened again, and only then', async () => {
    await Promise.all([openPrices(), openOrders(() => {})])
    expect(rig.fake.ticker.dials).toBe(1)
    rig.client.ticks?.subscribe([INFY], 1)
    await openPrices()
    // A reconnect is already pending, so opening again starts no second one.
    await openPrices()
    await clock.advance(1000)
    await until(() => rig.fake.ticker.dials === 2)
    await tickOf('INFY', 1500)
    expect(rig.fake.ticker.connections).toBe(1)
  })

  it('is not dropped when the machine was asleep', async () => {
    await openPrices()
    for (let turn = 0; turn < 20; turn++) await clock.advance(0)
    clock.suspend(3_600_000)
    await clock.advance(5000)
    expect(drops()).toEqual([])
  })

  it('ends when closed, also during a reconnect delay', async () => {
    await openPrices()
    rig.fake.ticker.disconnectAll()
    await until(() => drops().length === 1)
    await rig.client.close()
    await clock.advance(120_000)
    expect(rig.fake.ticker.connections).toBe(0)
    await expect(openPrices()).rejects.toMatchObject({ sent: 'never' })
  })
})

describe('order updates', () => {
  it('report every state, including partial fills', async () => {
    const updates: BrokerOrder[] = []
    await openOrders((update) => updates.push(update))
    rig.fake.book.progress.fills = 2
    await rig.client.orders.place(orderOf({ quantity: 5 }), 'U1')
    await until(() => updates.some((update) => update.status === 'complete'))
    expect(updates.map((update) => [update.status, update.filledQuantity, update.pendingQuantity])).toEqual([
      ['open', 0, 5],
      ['open', 0, 5],
      ['open', 2, 3],
      ['complete', 5, 0],
    ])
    expect(new Set(updates.map((update) => update.tag))).toEqual(new Set(['U1']))
  })

  it('that are duplicated or out of order are passed on in their order', async () => {
    const updates: string[] = []
    await openOrders((update) => updates.push(update.status))
    Object.assign(rig.fake.ticker.delivery, { duplicate: true, reorder: true })
    await rig.client.orders.place(orderOf(), 'U2')
    await until(() => updates.length === 6)
    expect(updates).toEqual(['complete', 'complete', 'open', 'open', 'open', 'open'])
  })

  it('ignore frames without an order, and tell one that cannot be read as lost', async () => {
    const updates: BrokerOrder[] = []
    let lost = 0
    await openOrders(
      (update) => updates.push(update),
      () => lost++,
    )
    for (const text of ['', '{', '[]', '{"type":"message","data":"hello"}', '{"type":"order","data":{}}']) {
      rig.fake.ticker.sendText(text)
    }
    rig.fake.ticker.sendText(JSON.stringify({ type: 'error', data: `bad ${SECRETS[0]}` }))
    await until(() => rig.context.lines.length === 2)
    expect(rig.context.lines.map((line) => line.event)).toEqual([
      'zerodha.unreadable_order_update',
      'zerodha.ticker_error',
    ])
    expect([updates, lost]).toEqual([[], 1])
  })
})
