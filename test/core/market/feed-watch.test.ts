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
  /** Milliseconds since the connection said anything, of a feed with heartbeats. */
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
    connectionSilentMs: () => connectionSilentMs?.(clock),
    trades: (exchange) => !session.closed.has(exchange),
    reopen: () => {
      done.push(`${at()} open`)
      return reopen()
    },
  })
  watch.start()
  /** A tick of each symbol every second, for so many seconds. */
  const flow = async (seconds: number, ...refs: SymbolRef[]) => {
    for (let second = 0; second < seconds; second++) {
      for (const ref of refs) hub.publish(tick(ref))
      await clock.advance(1000)
    }
  }
  return { clock, hub, watch, done, flow, session }
}

describe('the feed watch', () => {
  it('leaves a feed that ticks, or that nobody listens to, alone', async () => {
    const { clock, done, flow, hub, watch } = setUp()
    expect(watch.state().state).toBe('idle')
    await clock.advance(60_000)
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    await flow(60, SBIN)
    expect(done).toEqual([])
    expect(watch.state()).toEqual({ state: 'live', age_ms: 1000, attempts: 0, losses: 0 })
  })

  it('notices a silent feed within five seconds, asks again, then opens it anew with growing waits', async () => {
    const { clock, done, hub, watch } = setUp({ reopen: () => Promise.reject(new Error('refused')) })
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    await clock.advance(5000)
    expect(watch.state()).toEqual({ state: 'lost', age_ms: 5000, attempts: 1, losses: 1 })
    await clock.advance(115_000)
    expect(done).toEqual(['5 ask NSE:SBIN', '6 open', '8 open', '13 open', '23 open', '53 open', '113 open'])
  })

  it('calls a feed back only once it has ticked for a while, and starts over with the next loss', async () => {
    const { clock, done, flow, hub, watch } = setUp()
    hub.subscribe([SBIN], 2, () => undefined)
    await clock.advance(7000)
    expect(watch.state().state).toBe('lost')
    // One snapshot in answer to the new subscription is not a feed.
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

  it('asks again for single symbols that are silent while others tick, less and less often', async () => {
    const { done, flow, hub } = setUp()
    hub.subscribe([SBIN, INFY], 2, () => undefined)
    done.length = 0
    await flow(200, SBIN)
    expect(done).toEqual(['31 ask NSE:INFY', '61 ask NSE:INFY', '121 ask NSE:INFY'])
  })

  it('expects nothing while what is listened to is closed, and from the opening on as much as ever', async () => {
    const { clock, done, flow, hub, session, watch } = setUp()
    const GOLD = { symbol: 'GOLD', exchange: 'MCX' }
    hub.subscribe([SBIN, GOLD], 2, () => undefined)
    await flow(10, SBIN, GOLD)
    done.length = 0
    // One of two exchanges closes: the feed is still there, and its silent symbols are not asked for.
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

  it('takes a connection that sends heartbeats for alive, however little its symbols trade', async () => {
    const { clock, done, hub, watch } = setUp({ connectionSilentMs: () => 900 })
    hub.subscribe([SBIN], 2, () => undefined)
    done.length = 0
    await clock.advance(30_000)
    expect([done, watch.state()]).toMatchObject([[], { state: 'live', losses: 0 }])
  })

  it('opens a connection anew that sends only heartbeats after two requests in vain', async () => {
    const { clock, done, hub, watch } = setUp({ connectionSilentMs: () => 900 })
    hub.subscribe([SBIN, INFY], 2, () => undefined)
    done.length = 0
    await clock.advance(130_000)
    expect(done).toEqual(['31 ask NSE:SBIN,NSE:INFY', '61 ask NSE:SBIN,NSE:INFY', '121 open'])
    expect(watch.state()).toMatchObject({ state: 'live', losses: 0 })
  })

  it('notices a connection without a heartbeat although its last tick is not old', async () => {
    const start = Date.parse('2026-11-20T11:00:00+05:30')
    const { flow, hub, watch } = setUp({ connectionSilentMs: (clock) => clock.monotonic() - start })
    hub.subscribe([SBIN], 2, () => undefined)
    await flow(6, SBIN)
    expect(watch.state()).toMatchObject({ state: 'lost', losses: 1 })
  })

  it.each([3_600_000, -3_600_000])('a clock step of %i ms is no silence', async (stepMs) => {
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

  it('nor is the time in which the machine slept; from then on it is as strict as ever', async () => {
    const { clock, done, flow, hub, watch } = setUp()
    hub.subscribe([SBIN], 2, () => undefined)
    await flow(10, SBIN)
    done.length = 0
    clock.suspend(3_600_000)
    expect(watch.state().state).toBe('live')
    await clock.advance(3000)
    // Its price is an hour old: it is asked for. The feed is not lost for that.
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
