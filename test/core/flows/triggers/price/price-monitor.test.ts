import { describe, expect, test } from 'vitest'
import {
  type FiredAlert,
  type FireOutcome,
  PriceMonitor,
  readPriceAlert,
} from '../../../../../src/core/flows/triggers/index.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'
import { ist } from '../support.js'

const START = ist('2026-11-20 11:00:00')

/** Prices by symbol: `streamed` come from current ticks, `quoted` from quote requests. */
function rig(outcome: (alert: FiredAlert) => FireOutcome | Promise<FireOutcome> = () => 'executed') {
  const clock = new VirtualClock(START)
  const log = recordingLogger()
  const streamed = new Map<string, number>()
  const quoted = new Map<string, number | undefined>()
  const watched = new Set<string>()
  const asked: string[][] = []
  const fired: [number, number][] = []
  const payloads: unknown[] = []
  const retired: [number, string][] = []
  const state = { tickAgeMs: 0, quotesFail: false, broker: 'zerodha', onQuote: () => {} }
  const monitor = new PriceMonitor({
    clock,
    log,
    broker: () => state.broker,
    lastTick: ({ symbol }) => {
      const ltp = streamed.get(symbol)
      return ltp === undefined ? undefined : { ltp, at: clock.now() - state.tickAgeMs }
    },
    quote: async (refs) => {
      asked.push(refs.map(({ symbol }) => symbol))
      state.onQuote()
      if (state.quotesFail) throw new Error('broker is away')
      const prices = new Map<string, number>()
      for (const { symbol, exchange } of refs) {
        const ltp = quoted.get(symbol)
        if (ltp !== undefined) prices.set(`${exchange}:${symbol}`, ltp)
      }
      return prices
    },
    watch: ({ symbol }) => {
      watched.add(symbol)
      return () => void watched.delete(symbol)
    },
    fire: async (alert) => {
      fired.push([alert.workflowId, alert.payload.trigger_price])
      payloads.push(alert.payload)
      return outcome(alert)
    },
    retire: (workflowId, reason) => void retired.push([workflowId, reason]),
  })
  const add = (workflowId: number, data: Record<string, unknown>, activatedAt = clock.now()) => {
    const { value, problems } = readPriceAlert({ symbol: 'SBIN', exchange: 'NSE', ...data })
    if (!value) throw new Error(problems[0]?.message)
    monitor.add(workflowId, value, activatedAt)
  }
  return { clock, log, monitor, add, streamed, quoted, watched, asked, fired, payloads, retired, state }
}

const above = { condition: 'above', price: 800 }

test('a one-shot fires once, is removed and retired, and the monitor becomes idle', async () => {
  const { clock, monitor, add, streamed, fired, payloads, retired, watched } = rig()
  add(1, above)
  streamed.set('SBIN', 799)
  await clock.advance(20_000)
  expect(fired).toEqual([])
  expect(monitor.status()).toEqual({
    running: true,
    alerts_count: 1,
    poll_interval: 5,
    alerts: [
      {
        workflow_id: 1,
        symbol: 'SBIN',
        exchange: 'NSE',
        condition: 'greater_than',
        target_price: 800,
        last_price: 799,
        triggered: false,
      },
    ],
  })
  streamed.set('SBIN', 801)
  await clock.advance(5_000)
  expect(fired).toEqual([[1, 801]])
  expect(payloads).toEqual([
    { trigger_type: 'price_alert', trigger_price: 801, triggered_at: '2026-11-20T11:00:25+05:30' },
  ])
  expect(retired).toEqual([[1, 'fired']])
  expect(monitor.status()).toMatchObject({ running: false, alerts_count: 0 })
  expect(clock.pending).toBe(0)
  expect(watched.size).toBe(0)
})

test('the first and the fortieth alert of a process both run and are retired', async () => {
  const { clock, add, streamed, fired, retired } = rig()
  streamed.set('SBIN', 801)
  for (let id = 1; id <= 40; id++) {
    add(id, above)
    await clock.advance(5_000)
  }
  expect(fired).toHaveLength(40)
  expect(retired).toHaveLength(40)
})

test.each<FireOutcome>(['already_running', 'dropped', 'refused'])(
  'a one-shot whose run was %s fires again',
  async (outcome) => {
    let answer: FireOutcome = outcome
    const { clock, add, streamed, fired, retired } = rig(() => answer)
    streamed.set('SBIN', 801)
    add(1, above)
    await clock.advance(1_000)
    expect([fired.length, retired.length]).toEqual([1, 0])
    answer = 'executed'
    await clock.advance(5_000)
    expect([fired.length, retired.length]).toEqual([2, 1])
  },
)

test('a crossing during a run of the workflow is detected again', async () => {
  let answer: FireOutcome = 'already_running'
  const { clock, add, streamed, fired } = rig(() => answer)
  streamed.set('SBIN', 799)
  add(1, { condition: 'crosses_above', price: 800 })
  await clock.advance(1_000)
  streamed.set('SBIN', 802)
  await clock.advance(5_000)
  answer = 'executed'
  await clock.advance(5_000)
  expect(fired).toHaveLength(2)
})

describe('the prices of one broker say nothing of those of another', () => {
  const crossing = { condition: 'crossing_up', price: 800 }

  test('the first check at another broker has no previous price', async () => {
    const { clock, monitor, add, streamed, fired, state } = rig()
    streamed.set('SBIN', 799)
    add(1, crossing)
    add(2, { ...crossing, trigger: 'every_time' })
    await clock.advance(1_000)
    state.broker = 'dhan'
    streamed.set('SBIN', 810)
    await clock.advance(5_000)
    expect(fired).toEqual([])
    expect(monitor.status().alerts).toMatchObject([{ last_price: 810 }, { last_price: 810 }])
    streamed.set('SBIN', 799)
    await clock.advance(5_000)
    streamed.set('SBIN', 801)
    await clock.advance(5_000)
    expect(fired).toEqual([
      [1, 801],
      [2, 801],
    ])
  })

  test('quotes that were asked of another broker are not used', async () => {
    const { clock, monitor, add, quoted, fired, state } = rig()
    quoted.set('SBIN', 801)
    add(1, above)
    state.onQuote = () => {
      state.broker = 'dhan'
    }
    await clock.advance(1_000)
    expect(fired).toEqual([])
    expect(monitor.status().alerts).toMatchObject([{ last_price: null }])
    await clock.advance(5_000)
    expect(fired).toEqual([[1, 801]])
  })

  test('an alert that waits for a worker does not start', async () => {
    const { clock, add, streamed, fired, state } = rig(() => new Promise(() => undefined))
    streamed.set('SBIN', 801)
    for (let id = 1; id <= 5; id++) add(id, above)
    await clock.advance(500)
    state.broker = 'dhan'
    await clock.advance(4_000)
    expect(fired.map(([id]) => id)).toEqual([1, 2, 3, 4])
    streamed.set('SBIN', 802)
    await clock.advance(1_000)
    expect(fired.at(-1)).toEqual([5, 802])
  })
})

test('a run with an unknown outcome does not run twice', async () => {
  const { clock, monitor, add, streamed, fired, log } = rig(() => {
    throw new Error('disk full')
  })
  streamed.set('SBIN', 801)
  add(1, above)
  await clock.advance(60_000)
  expect(fired).toHaveLength(1)
  expect(monitor.status().alerts).toMatchObject([{ triggered: true }])
  expect(log.lines).toMatchObject([{ level: 'error', event: 'flow.alert_failed' }])
})

test('every time: each check fires while no run of it is queued or running', async () => {
  let end = (_outcome: FireOutcome) => {}
  const { clock, add, streamed, fired, retired } = rig(() => new Promise((resolve) => (end = resolve)))
  streamed.set('SBIN', 801)
  add(1, { ...above, trigger: 'every_time' })
  await clock.advance(21_000)
  expect(fired).toHaveLength(1)
  end('executed')
  await clock.advance(5_000)
  expect(fired).toHaveLength(2)
  expect(retired).toEqual([])
})

test('every time: a crossing is compared with the previous check', async () => {
  const { clock, add, streamed, fired } = rig()
  add(1, { condition: 'crossing_down', price: 800, trigger: 'every_time' })
  for (const price of [799, 801, 799, 798, 802, 799.5]) {
    streamed.set('SBIN', price)
    await clock.advance(5_000)
  }
  expect(fired).toEqual([
    [1, 799],
    [1, 799.5],
  ])
})

test('an alert expires relative to its activation, also after a restart', async () => {
  const { clock, monitor, add, streamed, fired, retired } = rig()
  streamed.set('SBIN', 700)
  add(1, { ...above, expiration: '1h' }, START - 3_595_000)
  add(2, { ...above, expiration: '4h' }, START - 3_595_000)
  await clock.advance(4_000)
  expect(retired).toEqual([])
  streamed.set('SBIN', 801)
  await clock.advance(1_000)
  expect(retired).toEqual([
    [1, 'expired'],
    [2, 'fired'],
  ])
  expect(fired).toEqual([[2, 801]])
  expect(monitor.status().alerts_count).toBe(0)
})

test('symbols that do not stream are quoted in one call per check, and symbols without a price are skipped', async () => {
  const { clock, monitor, add, streamed, quoted, asked, fired, state } = rig()
  streamed.set('TCS', 100)
  quoted.set('SBIN', 801)
  quoted.set('ITC', 0)
  add(1, above)
  add(2, above)
  add(3, { ...above, symbol: 'ITC' })
  add(4, { ...above, symbol: 'INFY' })
  add(5, { ...above, symbol: 'TCS' })
  await clock.advance(1_000)
  expect(asked).toEqual([['SBIN', 'ITC', 'INFY']])
  expect(fired).toEqual([
    [1, 801],
    [2, 801],
  ])
  expect(monitor.status().alerts.map(({ last_price }) => last_price)).toEqual([null, null, 100])
  state.tickAgeMs = 10_001
  await clock.advance(5_000)
  expect(asked.at(-1)).toEqual(['ITC', 'INFY', 'TCS'])
})

test('failing quotes are logged once and keep the last prices', async () => {
  const { clock, monitor, add, quoted, fired, state, log } = rig()
  quoted.set('SBIN', 799)
  add(1, { condition: 'crossing_up', price: 800 })
  await clock.advance(1_000)
  state.quotesFail = true
  await clock.advance(30_000)
  expect(monitor.status().alerts).toMatchObject([{ last_price: 799 }])
  expect(log.lines).toMatchObject([{ level: 'warn', event: 'flow.alert_quotes_failed' }])
  state.quotesFail = false
  quoted.set('SBIN', 801)
  await clock.advance(5_000)
  expect(fired).toEqual([[1, 801]])
})

test('an unknown condition is logged as an error and disturbs no other alert', async () => {
  const { clock, monitor, add, streamed, fired, log } = rig()
  streamed.set('SBIN', 801)
  monitor.add(
    1,
    {
      symbol: 'SBIN',
      exchange: 'NSE',
      levels: { condition: 'roughly', price: 800 },
      trigger: 'once',
      expiresAfterMs: undefined,
    },
    START,
  )
  add(2, above)
  await clock.advance(30_000)
  expect(fired).toEqual([[2, 801]])
  expect(log.lines).toMatchObject([
    {
      level: 'error',
      event: 'flow.alert_not_evaluated',
      fields: { workflowId: 1, error: 'Unknown price alert condition: roughly' },
    },
  ])
})

describe('four runs start at a time', () => {
  const endless = () => new Promise<FireOutcome>(() => undefined)
  const idsOf = (fired: readonly [number, number][]) => fired.map(([id]) => id)

  test('the others follow as they end; one of a removed alert does not', async () => {
    const ends: (() => void)[] = []
    const { clock, monitor, add, streamed, fired, log } = rig(
      () => new Promise((resolve) => ends.push(() => resolve('executed'))),
    )
    streamed.set('SBIN', 801)
    for (let id = 1; id <= 6; id++) add(id, above)
    await clock.advance(500)
    expect(idsOf(fired)).toEqual([1, 2, 3, 4])
    expect(monitor.status().alerts.map(({ triggered }) => triggered)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
    monitor.remove(5)
    ends[0]?.()
    await clock.advance(0)
    expect(idsOf(fired)).toEqual([1, 2, 3, 4, 6])
    expect(log.lines).toMatchObject(
      [5, 6].map((workflowId) => ({ event: 'flow.alert_delayed', fields: { workflowId } })),
    )
  })

  test('runs that wait hold up no other', async () => {
    const { clock, add, streamed, fired } = rig(endless)
    streamed.set('SBIN', 801)
    for (let id = 1; id <= 5; id++) add(id, above)
    await clock.advance(1_000)
    expect(idsOf(fired)).toEqual([1, 2, 3, 4, 5])
  })

  test('an alert that still waits when the price is gone starts only when it comes again, at the new price', async () => {
    const { clock, monitor, add, streamed, fired, log } = rig(endless)
    streamed.set('SBIN', 801)
    for (let id = 1; id <= 60; id++) add(id, above)
    await clock.advance(4_000)
    streamed.set('SBIN', 799)
    await clock.advance(8_000)
    const before = fired.length
    expect(before).toBeLessThan(30)
    expect(new Set(fired.map(([, price]) => price))).toEqual(new Set([801]))
    expect(monitor.status().alerts.at(-1)).toMatchObject({ triggered: false, last_price: 799 })
    streamed.set('SBIN', 805)
    await clock.advance(30_000)
    expect(idsOf(fired)).toEqual(Array.from({ length: 60 }, (_, place) => place + 1))
    expect(new Set(fired.slice(before).map(([, price]) => price))).toEqual(new Set([805]))
    expect(log.lines).toHaveLength(56)
  })

  test('an alert that still waits at a later check starts at the price of that check', async () => {
    const { clock, add, streamed, fired } = rig(endless)
    streamed.set('SBIN', 799)
    for (let id = 1; id <= 60; id++) add(id, { condition: 'crossing_up', price: 800, trigger: 'every_time' })
    await clock.advance(1_000)
    streamed.set('SBIN', 801)
    await clock.advance(5_000)
    streamed.set('SBIN', 803)
    await clock.advance(30_000)
    expect(idsOf(fired)).toEqual(Array.from({ length: 60 }, (_, place) => place + 1))
    expect(fired.at(0)).toEqual([1, 801])
    expect(fired.at(-1)).toEqual([60, 803])
  })

  test('without a price, an alert waits no longer than until the next check', async () => {
    const { clock, add, streamed, fired } = rig(endless)
    streamed.set('SBIN', 801)
    for (let id = 1; id <= 60; id++) add(id, above)
    await clock.advance(1_000)
    streamed.delete('SBIN')
    await clock.advance(60_000)
    expect(fired.length).toBeLessThan(30)
  })
})

test('an alert that was replaced during its run is not retired by it', async () => {
  let end = () => {}
  const { clock, monitor, add, streamed, retired } = rig(
    () => new Promise((resolve) => (end = () => resolve('executed'))),
  )
  streamed.set('SBIN', 801)
  add(1, above)
  await clock.advance(1_000)
  add(1, { condition: 'above', price: 900 })
  end()
  await clock.advance(1_000)
  expect(retired).toEqual([])
  expect(monitor.status().alerts).toMatchObject([{ target_price: 900 }])
})

test('a slow quote does not make checks overlap', async () => {
  const clock = new VirtualClock(START)
  let running = 0
  let most = 0
  let calls = 0
  const monitor = new PriceMonitor({
    clock,
    log: recordingLogger(),
    broker: () => 'zerodha',
    lastTick: () => undefined,
    quote: async () => {
      calls += 1
      running += 1
      most = Math.max(most, running)
      await clock.sleep(12_000)
      running -= 1
      return new Map()
    },
    fire: async () => 'executed',
    retire: () => undefined,
  })
  const { value } = readPriceAlert({ symbol: 'SBIN', exchange: 'NSE', ...above })
  if (value) monitor.add(1, value, START)
  await clock.advance(59_000)
  expect([most, calls]).toEqual([1, 5])
  monitor.stop()
  await clock.advance(60_000)
  expect(clock.pending).toBe(0)
})

test('a thousand alerts on a hundred symbols are checked in a few milliseconds', async () => {
  const { clock, monitor, add, streamed, fired } = rig()
  for (let id = 0; id < 1_000; id++) {
    const symbol = `S${id % 100}`
    streamed.set(symbol, 100)
    add(id, { symbol, condition: 'crosses_above', price: 800 + id })
  }
  await clock.advance(0)
  await clock.advance(50_000)
  expect(fired).toEqual([])
  expect(monitor.status().alerts_count).toBe(1_000)
})
