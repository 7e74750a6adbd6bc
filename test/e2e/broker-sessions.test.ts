import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.js'
import type { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { EVERY_FAKE_BROKER } from '../support/process/fake-brokers.js'

/* The session of a public client, with every number of an order as text, through the plugin of every broker. */

type Members = Record<string, unknown>
interface Data {
  data: Members
}

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const ORDER = { strategy: 'Python', ...SBIN, action: 'BUY', product: 'MIS', quantity: '2' } as const
const IST_MS = 5.5 * 3_600_000
const dayAt = (days: number) => new Date(Date.now() + IST_MS + days * 86_400_000).toISOString().slice(0, 10)

describe.each(EVERY_FAKE_BROKER)('$id', (plugin) => {
  let broker: FakeBrokerProcess
  let daemon: DaemonProcess
  beforeAll(async () => {
    broker = await FakeBrokerProcess.start(plugin)
    daemon = await broker.desk()
  })
  afterAll(async () => {
    await daemon.dispose()
    await broker.dispose()
  })

  /** Asks as the client does, and returns the answer of a success. */
  async function ask<T = { orderid?: string }>(endpoint: string, body: Members = {}): Promise<T & Members> {
    const { status, body: answer, text } = await daemon.api<T & Members>(endpoint, body)
    expect([endpoint, status, text]).toEqual([endpoint, 200, text])
    expect(answer).toMatchObject({ status: 'success' })
    return answer
  }

  const statusOf = async (orderid: string) =>
    (await ask<Data>('orderstatus', { strategy: 'Python', orderid })).data

  it('an order is placed, changed, read and cancelled', async () => {
    const price = await daemon.priceAt(0.95)
    const limit = { ...ORDER, pricetype: 'LIMIT', price: String(price) }
    const { orderid = '' } = await ask('placeorder', limit)
    await eventually(async () => (await statusOf(orderid)).order_status === 'open', 'it rests')
    const change = { quantity: '3', price: String(price - 1), trigger_price: '0', disclosed_quantity: '0' }
    await ask('modifyorder', { ...limit, ...change, orderid })
    await eventually(async () => {
      const row = await statusOf(orderid)
      return Number(row.quantity) === 3 && Number(row.price) === price - 1
    }, 'it is changed')
    expect(await ask('orderbook')).toMatchObject({
      data: {
        orders: expect.arrayContaining([expect.objectContaining({ orderid, ...SBIN, product: 'MIS' })]),
      },
    })
    await ask('cancelorder', { strategy: 'Python', orderid })
    await eventually(async () => (await statusOf(orderid)).order_status === 'cancelled', 'it is cancelled')
  })

  it('a position is opened, read in every book, and closed', async () => {
    const { orderid = '' } = await ask('placeorder', { ...ORDER, pricetype: 'MARKET' })
    await eventually(async () => (await statusOf(orderid)).order_status === 'complete', 'it is filled')
    expect(await ask('tradebook')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ orderid, ...SBIN, quantity: 2 })]),
    })
    expect(await ask('positionbook')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ ...SBIN, product: 'MIS', quantity: 2 })]),
    })
    const position = { strategy: 'Python', ...SBIN, product: 'MIS' }
    expect(Number((await ask('openposition', position)).quantity)).toBe(2)
    await ask('closeposition', { strategy: 'Python' })
    await eventually(async () => Number((await ask('openposition', position)).quantity) === 0, 'it is closed')
  })

  it('the account: funds, holdings and the margin of an order', async () => {
    expect(Number((await ask<Data>('funds')).data.availablecash)).toBeGreaterThan(0)
    expect(await ask('holdings')).toMatchObject({ data: { holdings: expect.any(Array) } })
    const position = {
      ...SBIN,
      action: 'BUY',
      product: 'MIS',
      pricetype: 'LIMIT',
      quantity: '10',
      price: '800',
    }
    const { data } = await ask<Data>('margin', { positions: [{ ...position, trigger_price: '0' }] })
    expect(data.total_margin_required).toBeGreaterThan(0)
  })

  it('prices: quotes, depth and bars', async () => {
    expect((await ask<Data>('quotes', SBIN)).data.ltp).toBeGreaterThan(0)
    const INFY = { symbol: 'INFY', exchange: 'NSE' }
    const { results } = await ask('multiquotes', { symbols: [SBIN, INFY] })
    expect(results).toMatchObject([
      { ...SBIN, data: { ltp: expect.any(Number) } },
      { ...INFY, data: { ltp: expect.any(Number) } },
    ])
    const { data: depth } = await ask<{ data: { bids: Members[]; asks: Members[] } }>('depth', SBIN)
    expect(Number(depth.bids[0]?.price)).toBeLessThan(Number(depth.asks[0]?.price))
    const span = { start_date: dayAt(-10), end_date: dayAt(-1) }
    const { data: bars } = await ask<{ data: Members[] }>('history', { ...SBIN, interval: 'D', ...span })
    expect(bars.length).toBeGreaterThan(0)
    for (const bar of bars) expect(Number(bar.low)).toBeLessThanOrEqual(Number(bar.high))
  })

  it('the stream brings a price of the broker', async () => {
    const { ws_url }: { ws_url: string } = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8'))
    const socket = new WebSocket(ws_url)
    const frames: Members[] = []
    socket.on('message', (text) => frames.push(JSON.parse(String(text))))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(JSON.stringify({ action: 'authenticate', api_key: daemon.apikey }))
    socket.send(JSON.stringify({ action: 'subscribe', ...SBIN, mode: 'Quote' }))
    const tick = () => frames.find(({ type }) => type === 'market_data')
    await eventually(() => tick() !== undefined, 'a tick arrives')
    expect(tick()).toMatchObject({ ...SBIN, broker: plugin.id, data: { ltp: expect.any(Number) } })
    socket.close()
  })

  it('a GTT is placed, read and cancelled, where the broker keeps one, and refused in words elsewhere', async () => {
    const price = await daemon.priceAt(0.9)
    const gtt = { ...ORDER, product: 'CNC', trigger_type: 'SINGLE', pricetype: 'LIMIT', price: String(price) }
    const body = { ...gtt, triggerprice_sl: String(price + 1) }
    const placed = await daemon.api<Members>('placegttorder', body)
    if (placed.status === 501) {
      expect(placed.body.message).toMatch(/takes no/)
      return
    }
    expect([placed.status, placed.text]).toEqual([200, placed.text])
    const { trigger_id } = placed.body
    expect(await ask('gttorderbook')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ trigger_id, ...SBIN })]),
    })
    await ask('cancelgttorder', { strategy: 'Python', trigger_id })
  })

  it('everything open is cancelled at once', async () => {
    const price = String(await daemon.priceAt(0.95))
    for (const _ of [1, 2]) await ask('placeorder', { ...ORDER, pricetype: 'LIMIT', price })
    const cancelled = await ask<{ canceled_orders: string[]; failed_cancellations: string[] }>(
      'cancelallorder',
      {
        strategy: 'Python',
      },
    )
    expect([cancelled.canceled_orders.length, cancelled.failed_cancellations]).toEqual([2, []])
  })
})
