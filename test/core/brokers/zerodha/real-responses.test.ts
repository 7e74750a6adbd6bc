import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrokerClient } from '../../../../src/core/brokers/broker.js'
import { decodeFrame } from '../../../../src/core/brokers/zerodha/feed/tick-codec.js'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { toOrder } from '../../../../src/core/brokers/zerodha/orders/rows.js'
import { envelope, orderRow } from '../../../../src/core/brokers/zerodha/wire.js'
import { frame } from '../../../fixtures/fake-kite/packets.js'
import { contextFor, orderOf, SESSION } from './rig.js'

/**
 * Kite's own sample responses. SVC_TEST_DATA names a folder that contains `kite-mocks`. They are not part of
 * this project; without them these tests are skipped.
 */
const folder = join(process.env.SVC_TEST_DATA ?? '', 'kite-mocks')
const present = process.env.SVC_TEST_DATA !== undefined && existsSync(folder)
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** The sample response of each call. */
const FILES: Readonly<Record<string, string>> = {
  'GET /orders': 'orders.json',
  'GET /orders/1': 'order_info.json',
  'POST /orders/regular': 'order_response.json',
  'PUT /orders/regular/1': 'order_modify.json',
  'DELETE /orders/regular/1': 'order_cancel.json',
  'GET /trades': 'trades.json',
  'GET /gtt/triggers': 'gtt_get_orders.json',
  'GET /gtt/triggers/123': 'gtt_get_order.json',
  'POST /gtt/triggers': 'gtt_place_order.json',
  'PUT /gtt/triggers/123': 'gtt_modify_order.json',
  'DELETE /gtt/triggers/123': 'gtt_delete_order.json',
  'POST /margins/orders': 'order_margins.json',
  'POST /margins/basket': 'basket_margins.json',
  'POST /orders/iceberg': 'autoslice_response.json',
  'GET /portfolio/positions': 'positions.json',
  'GET /portfolio/holdings': 'holdings.json',
  'GET /user/margins': 'margins.json',
  'GET /user/profile': 'profile.json',
  'POST /session/token': 'generate_session.json',
  'DELETE /session/token': 'session_logout.json',
  'GET /quote': 'quote.json',
  'GET /instruments/historical/408065/minute': 'historical_minute.json',
  'GET /instruments/historical/408065/5minute': 'historical_oi.json',
  'GET /instruments': 'instruments_all.csv',
}

describe.skipIf(!present)('real responses (skipped unless SVC_TEST_DATA names them)', () => {
  let server: Server
  let client: BrokerClient
  let context: ReturnType<typeof contextFor>
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://fake').pathname
      const file = FILES[`${request.method} ${path}`]
      if (file) response.end(read(file))
      else response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    context = contextFor({ api: `http://127.0.0.1:${port}` })
    client = zerodha.connect(SESSION, context)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('every sample response of the REST API is a success envelope', () => {
    const ours = (name: string) => name.endsWith('.json') && !/^(ticker_|mf_|postback)/.test(name)
    const samples = readdirSync(folder).filter(ours)
    expect(samples.length).toBeGreaterThan(40)
    for (const name of samples) {
      expect([name, envelope.parse(JSON.parse(read(name))).status]).toEqual([name, 'success'])
    }
  })

  it('a postback has the fields of an order update', () => {
    expect(toOrder(context, orderRow.parse(JSON.parse(read('postback.json'))))).toMatchObject({
      orderId: '220303000308932',
      status: 'complete',
      averagePrice: 470,
    })
  })

  it('orders', async () => {
    const orders = await client.orders.list()
    expect(orders).toHaveLength(JSON.parse(read('orders.json')).data.length)
    expect(orders[0]).toMatchObject({
      orderId: '100000000000000',
      status: 'cancelled',
      symbol: 'USDINR21JUNFUT',
      exchange: 'CDS',
      price: 72,
      product: 'NRML',
      timestamp: Date.parse('2021-05-31T09:18:58+05:30'),
    })
    expect(await client.orders.place(orderOf(), 'T1')).toMatchObject({ orderId: '151220000000000' })
    expect(await client.orders.modify('1', orderOf())).toEqual({ orderId: '151220000000000' })
    expect(await client.orders.cancel('1')).toEqual({ orderId: '151220000000000' })
  })

  it('an iceberg is one order with its whole quantity, and a protected limit is MARKET', async () => {
    const orders = await client.orders.list()
    expect(orders.find(({ tag }) => tag === 'icebergord')).toMatchObject({
      quantity: 1000,
      status: 'rejected',
    })
    const marked = orders.find(({ orderId }) => orderId === '1953341975595868160')
    expect(marked).toMatchObject({ priceType: 'MARKET', filledQuantity: 1, averagePrice: 156.7 })
    expect(marked).not.toHaveProperty('tag')
  })

  it('an answer with slices is not that of one order', async () => {
    const sliced = client.orders.place(orderOf({ quantity: 4, instructions: { icebergLegs: 2 } }), 'T1')
    await expect(sliced).rejects.toMatchObject({ kind: 'protocol', sent: 'maybe' })
  })

  it('GTTs', async () => {
    const { gtts } = client
    expect(await gtts?.list()).toMatchObject([
      {
        triggerId: '112127',
        type: 'single',
        status: 'active',
        symbol: 'INFY',
        triggerPrices: [702],
        lastPrice: 798,
        legs: [{ action: 'BUY', quantity: 1, price: 702.5, product: 'CNC' }],
        createdAt: Date.parse('2019-09-12T13:25:16+05:30'),
      },
      { triggerId: '105099', type: 'two-leg', status: 'rejected', triggerPrices: [102, 103.7] },
    ])
    expect(await gtts?.gtt?.('123')).toMatchObject({
      status: 'rejected',
      rejectionReason: expect.stringContaining('lower circuit limit of 70.65'),
    })
    const legs = [{ kind: 'stop', triggerPrice: 700, price: 699 } as const]
    const { strategy, symbol, exchange, action, quantity } = orderOf()
    const gtt = { strategy, symbol, exchange, action, quantity, product: 'CNC', priceType: 'LIMIT' } as const
    const whole = { ...gtt, type: 'SINGLE', legs, expiresAt: undefined } as const
    const at = { tag: 'T1', lastPrice: 800 }
    expect(await gtts?.place(whole, at)).toEqual({ triggerId: '123' })
    expect(await gtts?.modify('123', whole, at)).toEqual({ triggerId: '123' })
    expect(await gtts?.cancel('123')).toEqual({ triggerId: '123' })
  })

  it('margins: of one order its own, of a basket the one after its cover', async () => {
    const one = await client.margins?.estimate([orderOf()])
    expect(one).toEqual({ total: 1498, span: 0, exposure: 0 })
    const both = await client.margins?.estimate([orderOf(), orderOf()])
    expect(both?.total).toBeCloseTo(34_786.725, 6)
    expect(both?.span).toBeCloseTo(7788, 6)
  })

  it('trades', async () => {
    const trades = await client.orders.trades()
    expect(trades).toHaveLength(JSON.parse(read('trades.json')).data.length)
    expect(trades[1]).toMatchObject({
      price: 72.755,
      product: 'MIS',
      timestamp: Date.parse('2021-05-31T11:18:27+05:30'),
    })
  })

  it('portfolio', async () => {
    const positions = await client.portfolio.positions()
    expect(positions).toHaveLength(JSON.parse(read('positions.json')).data.net.length)
    expect(positions[1]).toMatchObject({ quantity: 0, pnl: 801, realized: 801, unrealized: 0 })
    const holdings = await client.portfolio.holdings()
    const funded = { symbol: 'AARON', product: 'MTF', quantity: 1000, averagePrice: 100 }
    expect(holdings).toMatchObject([{ product: 'CNC' }, funded, { symbol: 'SBIN', quantity: 16 }])
    expect(holdings[0]).toEqual({
      symbol: 'AARON',
      exchange: 'NSE',
      product: 'CNC',
      quantity: 1,
      openingQuantity: 1,
      averagePrice: 161,
      ltp: 352.95,
      pnl: 191.95,
    })
    expect(await client.portfolio.funds()).toMatchObject({
      availableCash: '346093.30',
      utilized: '145706.55',
      collateral: '0.00',
    })
  })

  it('quotes, depth and history', async () => {
    const infy = { symbol: 'INFY', exchange: 'NSE' }
    expect((await client.market.quotes([infy]))[0]).toMatchObject({
      ltp: 1412.95,
      ask: 1412.95,
      askSize: 5191,
      bid: 0,
      prevClose: 1389.65,
      timestamp: Date.parse('2021-06-08T15:45:52+05:30'),
    })
    expect((await client.market.depth(infy)).depth.sell[0]).toEqual({
      price: 1412.95,
      quantity: 5191,
      orders: 13,
    })
    const span = { ...infy, from: '2019-12-04', to: '2019-12-04' }
    const bars = await client.market.history({ ...span, interval: '5m' })
    expect(bars[0]).toEqual({
      timestamp: Date.parse('2019-12-04T09:15:00+05:30') / 1000,
      open: 12009.9,
      high: 12019.35,
      low: 12001.25,
      close: 12001.5,
      volume: 163275,
      oi: 13667775,
    })
    expect((await client.market.history({ ...span, interval: '1m' })).length).toBeGreaterThan(0)
  })

  it('log-in and log-out', async () => {
    const fields = { api_key: 'key', api_secret: 'secret', request_token: 'token' }
    expect(await zerodha.auth.complete(fields, context)).toMatchObject({
      accessToken: 'key:XXXXXX',
      userId: 'AB1234',
    })
    await zerodha.auth.logout?.(SESSION, context)
  })

  it('the instrument table', async () => {
    let rows = 0
    for await (const batch of zerodha.instruments.download(SESSION, context)) rows += batch.length
    expect(rows).toBeGreaterThan(0)
  })

  it.each(['quote', 'full'])('the binary %s packet, field by field', (mode) => {
    const [tick] = decodeFrame(frame([Buffer.from(read(`ticker_${mode}.packet`), 'base64')]))
    const wanted = JSON.parse(read(`ticker_${mode}.json`))
    expect(tick).toMatchObject({
      token: wanted.instrument_token,
      ltp: wanted.last_price,
      lastQuantity: wanted.last_quantity,
      averagePrice: wanted.average_price,
      volume: wanted.volume,
      totalBuyQuantity: wanted.buy_quantity,
      totalSellQuantity: wanted.sell_quantity,
      ...wanted.ohlc,
      oi: wanted.oi ?? 0,
      oiDayHigh: wanted.oi_day_high ?? 0,
      oiDayLow: wanted.oi_day_low ?? 0,
      lastTradeTime: Date.parse(wanted.last_trade_time ?? '') || 0,
      exchangeTime: Date.parse(wanted.timestamp ?? '') || 0,
      depth: wanted.depth,
    })
  })
})
