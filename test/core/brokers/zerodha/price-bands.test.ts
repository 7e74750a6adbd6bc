import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { startRig } from './rig.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' }

async function open(at: string) {
  const clock = new VirtualClock(at)
  const rig = await startRig(clock)
  return { ...rig, clock, close: rig.fake.prices.get('NSE:INFY')?.close ?? 0, end: () => rig.close() }
}

describe('the price band of a day', () => {
  test('is not known before the first quote, and that of the quote after it', async () => {
    const { client, close, end } = await open('2026-11-20T11:00:00+05:30')
    expect(client.priceBand?.(INFY)).toBeUndefined()
    await client.market.quotes([INFY])
    expect(client.priceBand?.(INFY)).toEqual({ lower: close * 0.9, upper: close * 1.1 })
    await end()
  })

  test('counts for five minutes, because exchanges move it within the day', async () => {
    const { client, clock, end } = await open('2026-11-20T11:00:00+05:30')
    await client.market.quotes([INFY])
    await clock.advance(5 * 60_000 - 1)
    expect(client.priceBand?.(INFY)).toBeDefined()
    await clock.advance(1)
    expect(client.priceBand?.(INFY)).toBeUndefined()
    await end()
  })

  test('of an index is none', async () => {
    const { client, end } = await open('2026-11-20T11:00:00+05:30')
    const nifty = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }
    await client.market.quotes([nifty])
    expect(client.priceBand?.(nifty)).toBeNull()
    await end()
  })

  test('of a broker that does not answer is not asked for again at once', async () => {
    const { client, fake, end } = await open('2026-11-20T11:00:00+05:30')
    await fake.stop()
    await expect(client.market.quotes([INFY])).rejects.toThrow()
    expect(client.priceBand?.(INFY)).toBeNull()
    await end()
  })
})
