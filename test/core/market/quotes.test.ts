import { describe, expect, it } from 'vitest'
import { type BrokerClient, BrokerError } from '../../../src/core/brokers/broker.js'
import { MarketData, type PriceBand, TickHub } from '../../../src/core/market/index.js'
import { connect } from '../brokers/simulated/support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }
const NOPE = { symbol: 'NOPE', exchange: 'NSE' }

/** Market data over a simulated client, with the batches requested from the broker. */
function setUp(maxBatch = 500) {
  const { client, clock, plugin } = connect()
  const batches: string[][] = []
  const told: { band: PriceBand | null | undefined; fails: boolean } = { band: null, fails: false }
  const watched: BrokerClient = {
    ...client,
    orders: client.orders,
    portfolio: client.portfolio,
    close: () => client.close(),
    priceBand: () => told.band,
    market: {
      ...client.market,
      quotes: (refs) => {
        batches.push(refs.map((ref) => ref.symbol))
        if (told.fails) return Promise.reject(new Error('down'))
        return client.market.quotes(refs)
      },
    },
  }
  const hub = new TickHub({ clock, onListenerError: () => undefined })
  const manifest = { ...plugin.manifest, quotes: { maxBatch } }
  const market = new MarketData({ hub, broker: () => ({ client: watched, manifest }) })
  return { client, clock, plugin, hub, market, batches, told }
}

describe('market data', () => {
  it('uses the stream while the tick is fresh, and the broker otherwise', async () => {
    const { client, clock, hub, market, batches } = setUp()
    await client.ticks.open((tick) => hub.publish(tick))
    hub.attach(client.ticks)
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(1000)
    expect((await market.quote(SBIN)).ltp).toBe(hub.last(SBIN)?.ltp)
    expect(batches).toEqual([])
    client.drop('feed')
    await clock.advance(1001)
    await market.quote(SBIN)
    expect(batches).toEqual([['SBIN']])
  })

  it('asks the broker for what the ticks of a feed do not tell: a missing order book is no empty one', async () => {
    const { client, clock, hub, market, batches } = setUp()
    await client.ticks.open((tick) => hub.publish({ ...tick, bid: 0, ask: 0, bidSize: 0, askSize: 0 }))
    hub.attach(client.ticks)
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(1000)
    expect(await market.quotes([SBIN])).toMatchObject([{ ask: expect.closeTo(hub.last(SBIN)?.ltp ?? 0, -2) }])
    expect(batches).toEqual([['SBIN']])
    expect(await market.quote(SBIN, { withBook: true })).toMatchObject({
      ask: expect.closeTo(hub.last(SBIN)?.ltp ?? 0, -2),
    })
    expect(batches.splice(1)).toEqual([['SBIN']])
    // Who needs the price alone waits for nobody.
    expect(await market.quote(SBIN)).toBe(hub.last(SBIN))
    expect(batches).toEqual([['SBIN']])
  })

  it('takes the tick of an index as a whole quote: it has no order book', async () => {
    const { client, clock, hub, market, batches } = setUp()
    const nifty = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }
    await client.ticks.open((tick) => hub.publish({ ...tick, bid: 0, ask: 0 }))
    hub.attach(client.ticks)
    hub.subscribe([nifty], 2, () => undefined)
    await clock.advance(1000)
    expect(await market.quotes([nifty])).toEqual([hub.last(nifty)])
    expect(batches).toEqual([])
  })

  it('takes the empty order book of a tick that tells it for one', async () => {
    const { client, clock, hub, market, batches } = setUp()
    const depth = { buy: [], sell: [] }
    await client.ticks.open((tick) => hub.publish({ ...tick, bid: 0, ask: 0, depth }))
    hub.attach(client.ticks)
    hub.subscribe([SBIN], 3, () => undefined)
    await clock.advance(1000)
    expect(await market.quotes([SBIN])).toMatchObject([{ bid: 0, ask: 0 }])
    expect(batches).toEqual([])
  })

  it('asks the broker once for the price band of a symbol with fresh ticks', async () => {
    const { client, clock, hub, market, batches, told } = setUp()
    await client.ticks.open((tick) => hub.publish(tick))
    hub.attach(client.ticks)
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(1000)
    told.band = undefined
    expect(market.fresh(SBIN, { withBand: true })).toBeUndefined()
    await market.quote(SBIN)
    expect(batches).toEqual([])
    await market.quote(SBIN, { withBand: true })
    expect(batches).toEqual([['SBIN']])
    told.band = { lower: 700, upper: 900 }
    await market.quote(SBIN, { withBand: true })
    expect(batches).toEqual([['SBIN']])
    expect(market.fresh(SBIN, { withBand: true })).toEqual(market.fresh(SBIN))
    expect(market.priceBand(SBIN)).toEqual({ lower: 700, upper: 900 })
  })

  it('does without the price band if the broker fails while ticks are fresh', async () => {
    const { client, clock, hub, market, told } = setUp()
    await client.ticks.open((tick) => hub.publish(tick))
    hub.attach(client.ticks)
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(1000)
    told.band = undefined
    told.fails = true
    expect(await market.quote(SBIN, { withBand: true })).toEqual(market.fresh(SBIN))
  })

  it('does not use a last-price tick as a quote', async () => {
    const { client, clock, hub, market, batches } = setUp()
    await client.ticks.open((tick) => hub.publish(tick))
    hub.attach(client.ticks)
    hub.subscribe([SBIN], 1, () => undefined)
    await clock.advance(1000)
    await market.quote(SBIN)
    expect(batches).toEqual([['SBIN']])
  })

  it("requests batches of the broker's size and returns results in order, with errors for bad symbols", async () => {
    const { market, batches } = setUp(2)
    const answers = await market.quotes([SBIN, NOPE, INFY])
    expect(answers).toMatchObject([SBIN, { error: expect.stringContaining('NOPE') }, INFY])
    expect(batches).toEqual([['SBIN', 'NOPE'], ['INFY']])
  })

  it('returns an error if the broker does not have the symbol', async () => {
    const { market } = setUp()
    await expect(market.quote(NOPE)).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'not_found',
    })
  })

  it('passes depth and history through and checks the interval first', async () => {
    const { market } = setUp()
    expect((await market.depth(SBIN)).depth.buy).toHaveLength(5)
    const bars = await market.history({ ...SBIN, interval: '5m', from: '2026-11-20', to: '2026-11-20' })
    expect(bars.length).toBeGreaterThan(100)
    expect(market.intervals()).toContain('D')
    await expect(
      market.history({ ...SBIN, interval: '7m', from: '2026-11-20', to: '2026-11-20' }),
    ).rejects.toMatchObject({ code: 'validation', errors: { interval: [expect.stringContaining('1m, 3m')] } })
  })

  it("converts a broker error to the service's error with the broker's status", async () => {
    const { market, plugin } = setUp()
    plugin.faults.set([{ kind: 'fail', httpStatus: 429, message: 'too many' }])
    const failure = await market.quotes([SBIN]).catch((error: unknown) => error)
    expect(failure).not.toBeInstanceOf(BrokerError)
    expect(failure).toMatchObject({
      name: 'ServiceError',
      code: 'rate_limited',
      brokerStatus: 429,
      message: 'too many',
    })
  })
})
