import { describe, expect, it } from 'vitest'
import {
  type StreamMode,
  type SymbolRef,
  symbolKey,
  type Tick,
  TickHub,
} from '../../../src/core/market/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }

function tick(ref: SymbolRef, ltp = 100): Tick {
  const quote = { ltp, bid: 99, ask: 101, bidSize: 1, askSize: 1, open: 1, high: 1, low: 1, prevClose: 1 }
  const day = { volume: 1, oi: 0, timestamp: 0, lastQuantity: 1, averagePrice: 1 }
  return { ...ref, ...quote, ...day, totalBuyQuantity: 1, totalSellQuantity: 1 }
}

function setUp() {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const errors: unknown[] = []
  const hub = new TickHub({ clock, onListenerError: (error) => errors.push(error) })
  const asked: string[] = []
  hub.attach({
    subscribe: (refs: readonly SymbolRef[], mode: StreamMode) =>
      asked.push(`+${refs.map(symbolKey).join()} ${mode}`),
    unsubscribe: (refs: readonly SymbolRef[]) => asked.push(`-${refs.map(symbolKey).join()}`),
  })
  return { clock, hub, errors, asked }
}

describe('the tick hub', () => {
  it('subscribes all symbols anew after a change of the instruments', () => {
    const { asked, hub } = setUp()
    hub.subscribe([SBIN], 1, () => undefined)
    hub.subscribe([INFY], 2, () => undefined)
    asked.length = 0
    hub.renew()
    expect(asked).toEqual(['-NSE:SBIN,NSE:INFY', '+NSE:SBIN 1', '+NSE:INFY 2'])
  })

  it('forgets the last prices when another broker is used, and goes on with the next ones', () => {
    const { hub } = setUp()
    hub.subscribe([SBIN], 1, () => undefined)
    hub.publish(tick(SBIN, 100))
    hub.forget()
    expect(hub.last(SBIN)).toBeUndefined()
    hub.publish(tick(SBIN, 900))
    expect(hub.last(SBIN)?.ltp).toBe(900)
  })

  it('delivers a tick only to the listeners of its symbol', () => {
    const { hub } = setUp()
    const heard: string[] = []
    hub.subscribe([SBIN], 1, (t) => heard.push(`a ${t.symbol}`))
    hub.subscribe([SBIN, INFY], 1, (t) => heard.push(`b ${t.symbol}`))
    hub.publish(tick(SBIN))
    hub.publish(tick(INFY))
    hub.publish(tick({ symbol: 'ITC', exchange: 'NSE' }))
    expect(heard).toEqual(['a SBIN', 'b SBIN', 'b INFY'])
  })

  it('serves the other listeners if one throws, and reports the error', () => {
    const { hub, errors } = setUp()
    let heard = 0
    hub.subscribe([SBIN], 1, () => {
      throw new Error('mine')
    })
    hub.subscribe([SBIN], 1, () => {
      heard += 1
    })
    hub.publish(tick(SBIN))
    expect(heard).toBe(1)
    expect(errors).toEqual([new Error('mine')])
  })

  it('subscribes the feed once per symbol, again only for a higher mode, and unsubscribes after the last listener', () => {
    const { hub, asked } = setUp()
    const first = hub.subscribe([SBIN, INFY, SBIN], 1, () => undefined)
    const second = hub.subscribe([SBIN], 1, () => undefined)
    const third = hub.subscribe([SBIN], 3, () => undefined)
    third()
    first()
    first()
    second()
    expect(asked).toEqual(['+NSE:SBIN,NSE:INFY 1', '+NSE:SBIN 3', '-NSE:INFY', '-NSE:SBIN'])
  })

  it('subscribes a new feed to all symbols with listeners', () => {
    const { hub } = setUp()
    hub.subscribe([SBIN], 1, () => undefined)
    hub.subscribe([INFY], 3, () => undefined)
    const asked: [string, number][] = []
    hub.attach({
      subscribe: (refs, mode) => asked.push([refs.map(symbolKey).join(), mode]),
      unsubscribe: () => undefined,
    })
    expect(asked).toEqual([
      ['NSE:SBIN', 1],
      ['NSE:INFY', 3],
    ])
  })

  it('keeps the last tick and its age while there is a listener', async () => {
    const { hub, clock } = setUp()
    expect([hub.last(SBIN), hub.ageMs(SBIN), hub.mode(SBIN)]).toEqual([undefined, undefined, undefined])
    const leave = hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(4000)
    expect(hub.ageMs(SBIN)).toBe(4000)
    expect(hub.stale(3000)).toEqual([SBIN])
    hub.publish(tick(SBIN, 123))
    await clock.advance(1000)
    expect([hub.last(SBIN)?.ltp, hub.ageMs(SBIN), hub.stale(3000)]).toEqual([123, 1000, []])
    leave()
    expect([hub.last(SBIN), hub.ageMs(SBIN), hub.symbols()]).toEqual([undefined, undefined, []])
  })

  it('allows a listener to leave or join during delivery', () => {
    const { hub } = setUp()
    const heard: string[] = []
    const leave = hub.subscribe([SBIN], 1, () => {
      heard.push('once')
      leave()
    })
    hub.subscribe([SBIN], 1, () => heard.push('always'))
    hub.publish(tick(SBIN))
    hub.publish(tick(SBIN))
    expect(heard).toEqual(['once', 'always', 'always'])
  })

  it('subscribes nothing if the feed refuses the subscription', () => {
    const { hub } = setUp()
    const asked: string[] = []
    hub.attach({
      subscribe: () => {
        throw new Error('full')
      },
      unsubscribe: (refs) => asked.push(`-${refs.map(symbolKey).join()}`),
    })
    expect(() => hub.subscribe([SBIN], 1, () => undefined)).toThrow('full')
    expect(hub.symbols()).toEqual([])
    expect(asked).toEqual(['-NSE:SBIN'])
  })

  it('keeps the mode of a symbol if the feed refuses a higher one', () => {
    const { hub } = setUp()
    let isFull = false
    const asked: string[] = []
    hub.attach({
      subscribe: (refs, mode) => {
        if (isFull && mode > 1) throw new Error('full')
        asked.push(`${refs.map(symbolKey).join()} ${mode}`)
      },
      unsubscribe: (refs) => asked.push(`-${refs.map(symbolKey).join()}`),
    })
    hub.subscribe([SBIN], 1, () => undefined)
    isFull = true
    expect(() => hub.subscribe([SBIN], 3, () => undefined)).toThrow('full')
    expect(hub.mode(SBIN)).toBe(1)
    isFull = false
    hub.subscribe([SBIN], 3, () => undefined)
    expect(asked).toEqual(['NSE:SBIN 1', 'NSE:SBIN 3'])
  })

  it('subscribes a new feed to each symbol separately if it refuses them together', () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const refused: string[] = []
    const hub = new TickHub({
      clock,
      onListenerError: () => undefined,
      onFeedRefusal: (error, ref) => refused.push(`${symbolKey(ref)}: ${String(error)}`),
    })
    hub.subscribe([SBIN, INFY], 2, () => undefined)
    const asked: string[] = []
    hub.attach({
      subscribe: (refs) => {
        if (refs.some(({ symbol }) => symbol === 'SBIN')) throw new Error('unknown')
        asked.push(...refs.map(symbolKey))
      },
      unsubscribe: () => undefined,
    })
    expect(asked).toEqual(['NSE:INFY'])
    expect(refused).toEqual(['NSE:SBIN: Error: unknown'])
  })

  it('reports the time since the last tick of any symbol', async () => {
    const { clock, hub } = setUp()
    expect(hub.silentMs()).toBeUndefined()
    await clock.advance(5000)
    const leave = hub.subscribe([SBIN], 1, () => undefined)
    expect(hub.silentMs()).toBe(0)
    await clock.advance(3000)
    hub.subscribe([INFY], 1, () => undefined)
    expect(hub.silentMs()).toBe(3000)
    hub.publish(tick(INFY))
    expect(hub.silentMs()).toBe(0)
    leave()
    expect([hub.ticks, hub.silentMs()]).toEqual([1, 0])
  })
})
