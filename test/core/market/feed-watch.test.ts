import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/core/logging/index.js'
import { FeedWatch, type SymbolRef, symbolKey, type Tick, TickHub } from '../../../src/core/market/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }

function tick(ref: SymbolRef): Tick {
  const quote = {
    ltp: 100,
    bid: 99,
    ask: 101,
    bidSize: 1,
    askSize: 1,
    open: 1,
    high: 1,
    low: 1,
    prevClose: 1,
  }
  const day = { volume: 1, oi: 0, timestamp: 0, lastQuantity: 1, averagePrice: 1 }
  return { ...ref, ...quote, ...day, totalBuyQuantity: 1, totalSellQuantity: 1 }
}

interface SetUp {
  reopen?: () => Promise<undefined>
  /** Milliseconds since the last data on the connection, for a feed with heartbeats. */
  connectionSilentMs?: (clock: VirtualClock) => number
}

function setUp({ reopen = async () => undefined, connectionSilentMs }: SetUp = {}) {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const hub = new TickHub({ clock, onListenerError: () => undefined })
  const start = clock.now()
  const done: string[] = []
  const at = () => (clock.now() - start) / 1000
  hub.attach({
    subscribe: (refs) => done.push(`${at()} ask ${refs.map(symbolKey).join()}`),
    unsubscribe: () => undefined,
  })
  const session = { connected: true, closed: new Set<string>() }
  const watch = new FeedWatch({
    clock,
    hub,
    log: silentLogger,
    connected: () => session.connected,
    refused: () => false,
    connectionSilentMs: () => connectionSilentMs?.(clock),
    trades: (exchange) => !session.closed.has(exchange),
    reopen: () => {
      done.push(`${at()} open`)
      return reopen()
    },
  })
  watch.start()
  /** Publishes a tick of each symbol every second, for the given seconds. */
  const flow = async (seconds: number, ...refs: SymbolRef[]) => {
    for (let second = 0; second < seconds; second++) {
      for (const ref of refs) hub.publish(tick(ref))
      await clock.advance(1000)
    }
  }
  return { clock, hub, watch, done, flow, session }
}

describe('the feed watch', () => {
  it('does nothing for a feed that ticks or has no listeners', async () => {
    const { clock, done, flow, hub, watch } = setUp()
    expect(watch.state().state).toBe('idle')
    await clock.advance(60_000)
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    await flow(60, SBIN)
    expect(done).toEqual([])
    expect(watch.state()).toEqual({ state: 'live', age_ms: 1000, attempts: 0, losses: 0 })
  })

  it('detects a silent feed within five seconds, subscribes again, then reconnects with growing delays', async () => {
    const { clock, done, hub, watch } = setUp({ reopen: () => Promise.reject(new Error('refused')) })
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    await clock.advance(5000)
    expect(watch.state()).toEqual({ state: 'lost', age_ms: 5000, attempts: 1, losses: 1 })
    await clock.advance(115_000)
    expect(done).toEqual(['5 ask NSE:SBIN', '6 open', '8 open', '13 open', '23 open', '53 open', '113 open'])
  })

  it('counts a feed as restored only after it has ticked for a while, and starts over at the next loss', async () => {
    const { clock, done, flow, hub, watch } = setUp()
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(7000)
    expect(watch.state().state).toBe('lost')
    // A single snapshot after the new subscription does not restore the feed.
    await flow(1, SBIN)
    await clock.advance(7000)
    expect(watch.state()).toMatchObject({ state: 'lost', losses: 1 })
    await flow(12, SBIN)
    expect(watch.state()).toMatchObject({ state: 'live', attempts: 0, losses: 1 })
    done.length = 0
    await clock.advance(4000)
    expect(done).toHaveLength(1)
    expect(watch.state()).toMatchObject({ state: 'lost', attempts: 1, losses: 2 })
  })

  it('subscribes silent symbols again while others tick, with growing delays', async () => {
    const { done, flow, hub } = setUp()
    hub.subscribe([SBIN, INFY], 2, () => undefined)
    done.length = 0
    await flow(200, SBIN)
    expect(done).toEqual(['31 ask NSE:INFY', '61 ask NSE:INFY', '121 ask NSE:INFY'])
  })

  it('expects no ticks while the exchanges are closed, and expects them again after the opening', async () => {
    const { clock, done, flow, hub, session, watch } = setUp()
    const GOLD = { symbol: 'GOLD', exchange: 'MCX' }
    hub.subscribe([SBIN, GOLD], 2, () => undefined)
    await flow(10, SBIN, GOLD)
    done.length = 0
    // One of two exchanges closes: the feed stays live, and its silent symbols are not subscribed again.
    session.closed.add('NSE')
    await flow(100, GOLD)
    expect([done, watch.state().state]).toEqual([[], 'live'])
    session.closed.add('MCX')
    await clock.advance(8 * 3_600_000)
    expect([done, watch.state()]).toMatchObject([[], { state: 'closed', losses: 0 }])

    session.closed.clear()
    await clock.advance(4000)
    expect(watch.state()).toMatchObject({ state: 'live', losses: 0 })
    await clock.advance(2000)
    expect(watch.state()).toMatchObject({ state: 'lost', losses: 1 })
    session.closed.add('NSE').add('MCX')
    await clock.advance(2000)
    expect(watch.state()).toMatchObject({ state: 'closed', attempts: 0 })
  })

  it('does nothing without a broker session', async () => {
    const { clock, done, hub, session, watch } = setUp()
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    session.connected = false
    await clock.advance(60_000)
    expect(watch.state().state).toBe('disconnected')
    expect(done).toEqual([])
  })

  it('treats a connection with heartbeats as live, however little its symbols trade', async () => {
    const { clock, done, hub, watch } = setUp({ connectionSilentMs: () => 900 })
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    await clock.advance(30_000)
    expect([done, watch.state()]).toMatchObject([[], { state: 'live', losses: 0 }])
  })

  it('reconnects a connection with heartbeats only after two requests without a tick', async () => {
    const { clock, done, hub, watch } = setUp({ connectionSilentMs: () => 900 })
    hub.subscribe([SBIN, INFY], 2, () => undefined)
    done.length = 0
    await clock.advance(130_000)
    expect(done).toEqual(['31 ask NSE:SBIN,NSE:INFY', '61 ask NSE:SBIN,NSE:INFY', '121 open'])
    expect(watch.state()).toMatchObject({ state: 'live', losses: 0 })
  })

  it('reconnects a connection with heartbeats once per session for a symbol that seldom trades', async () => {
    const { clock, done, flow, hub, session } = setUp({ connectionSilentMs: () => 900 })
    const opened = () => done.filter((line) => line.endsWith('open')).length
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(3_600_000)
    await flow(1, SBIN)
    await clock.advance(3_600_000)
    expect(opened()).toBe(1)
    session.closed.add('NSE')
    await clock.advance(1000)
    session.closed.delete('NSE')
    await clock.advance(600_000)
    expect(opened()).toBe(2)
  })

  it('detects a connection without a heartbeat even if its last tick is recent', async () => {
    const start = Date.parse('2026-11-20T11:00:00+05:30')
    const { flow, hub, watch } = setUp({ connectionSilentMs: (clock) => clock.monotonic() - start })
    hub.subscribe([SBIN], 2, () => undefined)
    await flow(6, SBIN)
    expect(watch.state()).toMatchObject({ state: 'lost', losses: 1 })
  })

  it.each([3_600_000, -3_600_000])('does not count a clock step of %i ms as silence', async (stepMs) => {
    const { clock, done, flow, hub, watch } = setUp()
    hub.subscribe([SBIN], 2, () => undefined)
    await flow(10, SBIN)
    done.length = 0
    clock.step(stepMs)
    expect(watch.state().state).toBe('live')
    expect(hub.ageMs(SBIN)).toBe(1000)
    await flow(10, SBIN)
    expect([done, watch.state()]).toMatchObject([[], { state: 'live', losses: 0 }])
    await clock.advance(5000)
    expect(watch.state()).toMatchObject({ state: 'lost', losses: 1 })
  })

  it('does not count the sleep of the machine as silence, and works as before afterwards', async () => {
    const { clock, done, flow, hub, watch } = setUp()
    hub.subscribe([SBIN], 2, () => undefined)
    await flow(10, SBIN)
    done.length = 0
    clock.suspend(3_600_000)
    expect(watch.state().state).toBe('live')
    await clock.advance(3000)
    // The price is an hour old, so the symbol is subscribed again. The feed is not lost.
    expect(done).toEqual(['3610 ask NSE:SBIN'])
    expect(watch.state()).toMatchObject({ state: 'live', losses: 0 })
    await clock.advance(3000)
    expect(watch.state()).toMatchObject({ state: 'lost', losses: 1 })
  })

  it('stops', () => {
    const { clock, watch } = setUp()
    watch.stop()
    expect(clock.pending).toBe(0)
  })
})
