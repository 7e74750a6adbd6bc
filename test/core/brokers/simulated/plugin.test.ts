import { describe, expect, it } from 'vitest'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { connect, contextOf, FRIDAY_11, INSTRUMENTS, order, SESSION, tempDir, testPlugin } from './support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const OPTION = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO' }

/** Two minutes of trading: every tick and order update as text. */
async function recordedRun(seed: string): Promise<string> {
  const { client, clock } = connect({ seed })
  const ticks: string[] = []
  const updates: string[] = []
  await client.ticks.open((tick) => ticks.push(JSON.stringify(tick)))
  await client.orderEvents.open((update) => updates.push(JSON.stringify(update)))
  client.ticks.subscribe([SBIN, OPTION], 3)
  for (let step = 0; step < 12; step++) {
    const { ask, bid } = await client.market.depth(SBIN)
    await client.orders.place(order({ quantity: 4000 }), `buy${step}`)
    await client.orders.place(
      order({ action: 'SELL', priceType: 'LIMIT', price: ask + 0.5, quantity: 900 }),
      `sell${step}`,
    )
    await client.orders.place(
      order({ action: 'SELL', priceType: 'SL-M', triggerPrice: bid - 1, quantity: 50 }),
      `stop${step}`,
    )
    await clock.advance(10_000)
  }
  await client.orders.list()
  const books = [
    await client.orders.trades(),
    await client.portfolio.positions(),
    await client.portfolio.funds(),
  ]
  return [...ticks, ...updates, JSON.stringify(books)].join('\n')
}

describe('the simulated plugin', () => {
  it('gives byte-equal event logs for two runs with the same seed, and different ones for another seed', async () => {
    const first = await recordedRun('seed 1')
    expect(await recordedRun('seed 1')).toBe(first)
    expect(await recordedRun('seed 2')).not.toBe(first)
    expect(first.split('\n').length).toBeGreaterThan(240 + 36)
  })

  it('signs in without credentials and guarantees that a missing tag never arrived', async () => {
    const plugin = testPlugin()
    const session = await plugin.auth.complete({}, contextOf(new VirtualClock(FRIDAY_11), tempDir()))
    expect(session).toMatchObject({ issuedAt: FRIDAY_11 })
    expect(plugin.manifest).toMatchObject({
      id: 'simulated',
      tagLookup: 'authoritative',
      orderUpdates: 'push',
    })
    expect(plugin.manifest.credentialFields).toEqual([])
  })

  it('downloads its master in chunks', async () => {
    const plugin = testPlugin()
    const rows: Instrument[] = []
    const context = contextOf(new VirtualClock(FRIDAY_11), tempDir())
    for await (const chunk of plugin.instruments.download(SESSION, context)) rows.push(...chunk)
    expect(rows).toEqual(INSTRUMENTS)
  })

  it('returns a batch of quotes in order, with an error for a bad symbol', async () => {
    const { client } = connect()
    const answers = await client.market.quotes([SBIN, { symbol: 'NOPE', exchange: 'NSE' }, OPTION])
    expect(answers).toMatchObject([SBIN, { error: 'Symbol NOPE not found on NSE' }, OPTION])
    await expect(client.market.depth({ symbol: 'NOPE', exchange: 'NSE' })).rejects.toMatchObject({
      kind: 'not_found',
      brokerStatus: 404,
    })
  })

  it('ticks once per second for subscribed symbols, with depth only if requested, and matches the quotes', async () => {
    const { client, clock } = connect()
    const heard: { key: string; depth: boolean; ltp: number; at: number }[] = []
    await client.ticks.open((tick) =>
      heard.push({ key: tick.symbol, depth: tick.depth !== undefined, ltp: tick.ltp, at: tick.timestamp }),
    )
    client.ticks.subscribe([SBIN], 3)
    client.ticks.subscribe([OPTION], 1)
    await clock.advance(3000)
    client.ticks.unsubscribe([SBIN])
    await clock.advance(2000)
    expect(heard.filter(({ key }) => key === 'SBIN').map(({ depth }) => depth)).toEqual([true, true, true])
    expect(heard.filter(({ key }) => key === OPTION.symbol).map(({ depth }) => depth)).toEqual(
      new Array(5).fill(false),
    )
    const [quote] = await client.market.quotes([OPTION])
    expect(quote).toMatchObject({ ltp: heard.at(-1)?.ltp, timestamp: heard.at(-1)?.at })
    client.ticks.unsubscribe([OPTION])
    expect(clock.pending).toBe(0)
  })

  it('sends one tick for a closed market and is then silent', async () => {
    const { client, clock } = connect({ sessions: 'market' }, Date.parse('2026-11-21T11:00:00+05:30'))
    let ticks = 0
    await client.ticks.open(() => {
      ticks += 1
    })
    client.ticks.subscribe([SBIN], 1)
    await clock.advance(10_000)
    expect(ticks).toBe(1)
  })
})
