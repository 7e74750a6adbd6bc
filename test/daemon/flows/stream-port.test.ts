import { describe, expect, it } from 'vitest'
import { type SymbolRef, type Tick, TickHub } from '../../../src/core/market/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { flowStream } from '../../../src/daemon/flows/stream-port.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const TICK: Tick = {
  ...SBIN,
  ltp: 812.4,
  bid: 812.35,
  ask: 812.45,
  bidSize: 10,
  askSize: 20,
  open: 800,
  high: 815,
  low: 799,
  prevClose: 805.5,
  volume: 1200,
  oi: 0,
  timestamp: 0,
  lastQuantity: 1,
  averagePrice: 810,
  totalBuyQuantity: 100,
  totalSellQuantity: 200,
}
const DEPTH = {
  buy: [{ price: 812.35, quantity: 10, orders: 1 }],
  sell: [{ price: 812.45, quantity: 20, orders: 1 }],
}

function stream(feed: { refuses?: boolean } = {}) {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const hub = new TickHub({ clock, onListenerError: () => {} })
  const asked: [string, readonly SymbolRef[], number?][] = []
  hub.attach({
    subscribe: (refs, mode) => {
      if (feed.refuses) throw new Error('no such symbol')
      asked.push(['subscribe', refs, mode])
    },
    unsubscribe: (refs) => asked.push(['unsubscribe', refs]),
  })
  const port = flowStream({ hub, clock, listed: { isListed: ({ symbol }) => symbol === 'SBIN' } })
  const next = (mode: 1 | 2 | 3, signal = new AbortController().signal, ref = SBIN) =>
    port.next(ref, mode, 5000, signal)
  return { clock, hub, asked, next }
}

const QUOTE = { ltp: 812.4, open: 800, high: 815, low: 799, close: 805.5, volume: 1200, prev_close: 805.5 }

describe('the next tick', () => {
  it('of a quote is not one that tells the price alone', async () => {
    const { hub, next } = stream()
    const answer = next(2)
    hub.publish({ ...TICK, open: 0, high: 0, low: 0, prevClose: 0, volume: 0 })
    hub.publish(TICK)
    expect(await answer).toMatchObject(QUOTE)
  })

  it.each([
    [1, { ltp: 812.4 }],
    [2, QUOTE],
    [3, { ...QUOTE, totalbuyqty: 100, totalsellqty: 200 }],
  ] as const)('of mode %i', async (mode, gives) => {
    const { hub, asked, next } = stream()
    const answer = next(mode)
    hub.publish({ ...TICK, depth: DEPTH })

    expect(await answer).toMatchObject(gives)
    expect(asked).toEqual([
      ['subscribe', [SBIN], mode],
      ['unsubscribe', [SBIN]],
    ])
  })

  it('of mode 3 has five levels and is not one without them', async () => {
    const { hub, next } = stream()
    const answer = next(3)
    hub.publish(TICK)
    hub.publish({ ...TICK, depth: DEPTH })

    expect((await answer)?.bids).toEqual([
      { price: 812.35, quantity: 10 },
      ...Array.from({ length: 4 }, () => ({ price: 0, quantity: 0 })),
    ])
  })

  it('is nothing once the time is over, and nobody listens any more', async () => {
    const { clock, hub, next } = stream()
    const answer = next(2)
    await clock.advance(5000)

    expect(await answer).toBeUndefined()
    expect(hub.symbols()).toEqual([])
  })

  it('is nothing for a symbol that is not listed; the feed is not asked', async () => {
    const { asked, next } = stream()

    expect(await next(1, undefined, { symbol: 'NOPE', exchange: 'NSE' })).toBeUndefined()
    expect(asked).toEqual([])
  })

  it('is nothing where the feed does not take the symbol', async () => {
    const { hub, next } = stream({ refuses: true })

    expect(await next(1)).toBeUndefined()
    expect(hub.symbols()).toEqual([])
  })

  it('is not waited for once the run is stopped', async () => {
    const { hub, next } = stream()
    const stop = new AbortController()
    const answer = next(1, stop.signal)
    stop.abort(new Error('stopped by hand'))

    await expect(answer).rejects.toThrow('stopped by hand')
    await expect(next(1, stop.signal)).rejects.toThrow('stopped by hand')
    expect(hub.symbols()).toEqual([])
  })
})

describe('a tick of this second that another subscriber received', () => {
  it.each([
    [2, 2, 0, true],
    [2, 1, 1000, true],
    [2, 2, 1001, false],
    [1, 2, 0, false],
    [2, 3, 0, false],
  ] as const)('in mode %i stands for one of mode %i after %i ms: %s', async (heard, wanted, age, stands) => {
    const { clock, hub, asked, next } = stream()
    hub.subscribe([SBIN], heard, () => {})
    hub.publish(TICK)
    await clock.advance(age)
    asked.length = 0
    const answer = next(wanted)
    if (!stands) hub.publish({ ...TICK, ltp: 900, depth: DEPTH })

    expect((await answer)?.ltp).toBe(stands ? 812.4 : 900)
    if (stands) expect(asked).toEqual([])
  })
})
