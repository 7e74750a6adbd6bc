import { describe, expect, test } from 'vitest'
import type { OrderUpdate } from '../../../../../src/core/events/index.js'
import {
  type FireOutcome,
  type OrderUpdatePayload,
  OrderWatches,
  readOrderUpdate,
} from '../../../../../src/core/flows/triggers/index.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'
import { ist } from '../support.js'

const EVENT: OrderUpdate = {
  mode: 'live',
  user_id: 'asha',
  broker: 'simulated',
  orderid: 'O1',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  price: 0,
  trigger_price: 0,
  pricetype: 'MARKET',
  product: 'MIS',
  order_status: 'complete',
  filled_quantity: 10,
  pending_quantity: 0,
  average_price: 812.4,
  rejection_reason: '',
}

function rig(outcome: () => FireOutcome | Promise<FireOutcome> = () => 'executed') {
  const clock = new VirtualClock(ist('2026-11-20 11:00:00'))
  const log = recordingLogger()
  const fired: [number, OrderUpdatePayload][] = []
  const retired: [number, string][] = []
  /** The orders that runs of workflow 1 have placed. */
  const placed = new Set<string>()
  /** Where orders go, and the end of the run of the workflows that is in progress. */
  const state = { account: 'AB1', ended: new Promise<void>(() => undefined) }
  const watches = new OrderWatches({
    clock,
    log,
    ended: () => state.ended,
    pin: () => {
      const { account } = state
      return () => state.account === account
    },
    isOwn: (workflowId, orderId) => workflowId === 1 && placed.has(orderId),
    fire: async ({ workflowId, payload }) => {
      fired.push([workflowId, payload])
      return outcome()
    },
    retire: (workflowId, reason) => void retired.push([workflowId, reason]),
  })
  const add = (workflowId: number, data: Record<string, unknown>, userId: string | undefined = 'asha') => {
    const { value, problems } = readOrderUpdate(data)
    if (!value) throw new Error(problems[0]?.message)
    watches.add(workflowId, value, userId)
  }
  return { clock, log, fired, retired, placed, state, watches, add }
}

describe('an event matches', () => {
  test.each<[string, Record<string, unknown>, Partial<OrderUpdate>, boolean]>([
    ['by symbol', { symbol: 'SBIN' }, {}, true],
    ['by order', { orderId: 'O1' }, {}, true],
    ['another order', { orderId: 'O2' }, {}, false],
    ['another symbol', { symbol: 'TCS' }, {}, false],
    ['an order in another symbol', { orderId: 'O1', symbol: 'TCS' }, {}, false],
    ['by exchange', { symbol: 'SBIN', exchange: 'nse' }, {}, true],
    ['another exchange', { symbol: 'SBIN', exchange: 'BSE' }, {}, false],
    ['an event without exchange', { symbol: 'SBIN', exchange: 'NSE' }, { exchange: '' }, false],
    ['another status', { symbol: 'SBIN' }, { order_status: 'open' }, false],
    ['any status', { symbol: 'SBIN', status: 'any' }, { order_status: 'open' }, true],
    [
      'a status in another spelling',
      { symbol: 'SBIN', status: 'trigger_pending' },
      { order_status: 'TRIGGER PENDING' },
      true,
    ],
    ['of another account', { symbol: 'SBIN' }, { user_id: 'ravi' }, false],
    ['of nobody', { symbol: 'SBIN' }, { user_id: undefined }, false],
    ['from the sandbox', { symbol: 'SBIN' }, { mode: 'analyze' }, true],
  ])('%s', async (_name, data, event, matched) => {
    const { clock, watches, add, fired } = rig()
    add(1, data)
    watches.onOrderUpdate({ ...EVENT, ...event })
    await clock.advance(0)
    expect(fired).toHaveLength(matched ? 1 : 0)
  })
})

test('the run gets the event, and a one-shot is removed and retired', async () => {
  const { clock, watches, add, fired, retired } = rig()
  add(1, { symbol: 'SBIN' })
  expect(watches.status()).toEqual({
    watches_count: 1,
    watches: [
      { workflow_id: 1, order_id: '', symbol: 'SBIN', exchange: '', status: 'complete', triggered: false },
    ],
  })
  watches.onOrderUpdate(EVENT)
  await clock.advance(0)
  expect(fired).toEqual([
    [
      1,
      {
        trigger_type: 'order_update',
        orderid: 'O1',
        symbol: 'SBIN',
        exchange: 'NSE',
        order_status: 'complete',
        filled_quantity: 10,
        average_price: 812.4,
        rejection_reason: '',
        triggered_at: '2026-11-20T11:00:00+05:30',
      },
    ],
  ])
  expect(retired).toEqual([[1, 'fired']])
  expect(watches.status().watches_count).toBe(0)
})

test('two events at once fire a one-shot once', async () => {
  const { clock, watches, add, fired } = rig()
  add(1, { symbol: 'SBIN' })
  watches.onOrderUpdate(EVENT)
  watches.onOrderUpdate({ ...EVENT, orderid: 'O2' })
  await clock.advance(0)
  expect(fired).toHaveLength(1)
})

test('runs that wait hold up no other watch', async () => {
  const { clock, watches, add, fired } = rig(() => new Promise(() => undefined))
  for (let id = 1; id <= 5; id++) add(id, { symbol: 'SBIN' })
  add(6, { symbol: 'TCS' })
  watches.onOrderUpdate(EVENT)
  watches.onOrderUpdate({ ...EVENT, orderid: 'O2', symbol: 'TCS' })
  await clock.advance(0)
  expect(fired.map(([id]) => id)).toEqual([1, 2, 3, 4, 5, 6])
})

describe('an event that arrives while its workflow runs, started by something else, waits for the end of that run', () => {
  const BUSY: readonly ['once' | 'every_time', number][] = [
    ['once', 1],
    ['every_time', 0],
  ]

  /** A watch of SBIN with an event of its own, whose workflow runs until `end`. */
  async function busy(trigger: 'once' | 'every_time') {
    let answer: FireOutcome = 'already_running'
    let ended = () => {}
    const parts = rig(() => answer)
    const { clock, watches, add, state } = parts
    state.ended = new Promise((resolve) => (ended = resolve))
    add(1, { symbol: 'SBIN', trigger })
    watches.onOrderUpdate(EVENT)
    await clock.advance(0)
    expect(watches.status().watches).toMatchObject([{ triggered: true }])
    const end = async () => {
      answer = 'executed'
      ended()
      await clock.advance(0)
    }
    return { ...parts, end }
  }

  test.each(BUSY)('and starts it then (%s)', async (trigger, retirements) => {
    const { fired, retired, end } = await busy(trigger)
    expect(retired).toEqual([])
    await end()
    expect(fired.map(([, { orderid }]) => orderid)).toEqual(['O1', 'O1'])
    expect(retired).toHaveLength(retirements)
  })

  test.each(BUSY)('but not where another account is used by then (%s)', async (trigger) => {
    const { fired, retired, state, watches, end, log } = await busy(trigger)
    state.account = 'CD2'
    await end()
    expect([fired.length, retired.length]).toEqual([1, 0])
    expect(watches.status().watches).toMatchObject([{ triggered: false }])
    expect(log.lines).toMatchObject([{ event: 'flow.order_update_dropped', fields: { orderid: 'O1' } }])
  })

  test.each(BUSY)('but not if that run has placed its order (%s)', async (trigger) => {
    const { fired, placed, retired, end } = await busy(trigger)
    placed.add('O1')
    await end()
    expect([fired.length, retired.length]).toEqual([1, 0])
  })

  test('and the newest one after it starts a watch that fires once, if the first one starts nothing', async () => {
    const { fired, retired, state, watches, end } = await busy('once')
    state.account = 'CD2'
    watches.onOrderUpdate({ ...EVENT, orderid: 'O2' })
    watches.onOrderUpdate({ ...EVENT, orderid: 'O3' })
    await end()
    expect(fired.map(([, { orderid }]) => orderid)).toEqual(['O1', 'O3'])
    expect(retired).toHaveLength(1)
  })

  test.each(BUSY)('but not if its watch was removed (%s)', async (trigger) => {
    const { fired, watches, end } = await busy(trigger)
    watches.remove(1)
    await end()
    expect(fired).toHaveLength(1)
  })

  test('but not if that run has placed its order', async () => {
    const { fired, placed, watches, end } = await busy('every_time')
    placed.add('O1')
    await end()
    expect(fired).toHaveLength(1)
    expect(watches.status().watches).toMatchObject([{ triggered: false }])
  })
})

describe('every time: events that arrive during a run', () => {
  function slow() {
    const ends: (() => void)[] = []
    const parts = rig(() => new Promise((resolve) => ends.push(() => resolve('executed'))))
    parts.add(1, { symbol: 'SBIN', trigger: 'every_time' })
    const arrive = (...ids: string[]) => {
      for (const orderid of ids) parts.watches.onOrderUpdate({ ...EVENT, orderid })
    }
    const started = () => parts.fired.map(([, { orderid }]) => orderid)
    /** Ends the run that began as this one. */
    const end = async (place: number) => {
      ends[place]?.()
      await parts.clock.advance(0)
    }
    return { ...parts, arrive, started, end }
  }

  test('get their runs, one after another', async () => {
    const { arrive, started, end, watches, retired, log } = slow()
    arrive('A', 'B', 'C')
    expect(started()).toEqual(['A'])
    await end(0)
    expect(started()).toEqual(['A', 'B'])
    arrive('D')
    await end(1)
    await end(2)
    expect(started()).toEqual(['A', 'B', 'C', 'D'])
    expect(watches.status().watches).toMatchObject([{ triggered: true }])
    await end(3)
    expect(watches.status().watches).toMatchObject([{ triggered: false }])
    expect([retired, log.lines]).toEqual([[], []])
  })

  test('start nothing after a change of the account', async () => {
    const { arrive, started, end, state, log } = slow()
    arrive('A', 'B', 'C')
    state.account = 'CD2'
    arrive('D')
    await end(0)
    expect(started()).toEqual(['A', 'D'])
    expect(log.lines.map(({ fields }) => fields?.orderid)).toEqual(['B', 'C'])
  })

  test('start nothing once the watch is removed', async () => {
    const { arrive, started, end, watches } = slow()
    arrive('A', 'B')
    watches.remove(1)
    await end(0)
    expect(started()).toEqual(['A'])
  })

  test('are dropped and logged beyond a hundred', async () => {
    const { arrive, started, end, log } = slow()
    arrive(...Array.from({ length: 102 }, (_, place) => `O${place}`))
    expect(log.lines).toMatchObject([{ event: 'flow.order_update_dropped', fields: { orderid: 'O101' } }])
    for (let place = 0; place < 102; place++) await end(place)
    expect(started()).toHaveLength(101)
  })
})

describe('what a broker reports more than once starts a watch once', () => {
  const EVERY_TIME = { symbol: 'SBIN', status: 'any', trigger: 'every_time' }
  const AGAIN: OrderUpdate[] = [EVENT, { ...EVENT, order_status: 'COMPLETE', average_price: 812.41 }]

  test('after its run, also with others in between', async () => {
    const { clock, watches, add, fired } = rig()
    add(1, EVERY_TIME)
    for (const event of [EVENT, { ...EVENT, orderid: 'O2' }, ...AGAIN]) {
      watches.onOrderUpdate(event)
      await clock.advance(0)
    }
    expect(fired.map(([, { orderid }]) => orderid)).toEqual(['O1', 'O2'])
  })

  test('during its run', async () => {
    const ends: (() => void)[] = []
    const { clock, watches, add, fired } = rig(
      () => new Promise((resolve) => ends.push(() => resolve('executed'))),
    )
    add(1, EVERY_TIME)
    for (const event of [EVENT, ...AGAIN]) watches.onOrderUpdate(event)
    await clock.advance(0)
    ends[0]?.()
    await clock.advance(0)
    expect(fired).toHaveLength(1)
  })

  test('but another status and another fill start it again', async () => {
    const { clock, watches, add, fired } = rig()
    add(1, EVERY_TIME)
    for (const filled_quantity of [0, 4, 4, 7]) {
      watches.onOrderUpdate({ ...EVENT, order_status: 'open', filled_quantity })
      await clock.advance(0)
    }
    watches.onOrderUpdate({ ...EVENT, order_status: 'cancelled', filled_quantity: 7 })
    await clock.advance(0)
    expect(fired.map(([, { filled_quantity }]) => filled_quantity)).toEqual([0, 4, 7, 7])
  })

  test.each<FireOutcome>(['refused', 'dropped'])(
    'and one for which nothing ran (%s) may start it by its repetition',
    async (first) => {
      let outcome = first
      const { clock, watches, add, fired } = rig(() => outcome)
      add(1, EVERY_TIME)
      for (const event of [EVENT, ...AGAIN]) {
        watches.onOrderUpdate(event)
        await clock.advance(0)
        outcome = 'executed'
      }
      expect(fired).toHaveLength(2)
    },
  )

  test('however many orders there are, what it remembers stays small', async () => {
    const { clock, watches, add, fired } = rig()
    add(1, EVERY_TIME)
    for (let order = 0; order <= 1000; order++) {
      watches.onOrderUpdate({ ...EVENT, orderid: `O${order}` })
      await clock.advance(0)
    }
    watches.onOrderUpdate({ ...EVENT, orderid: 'O1000' })
    await clock.advance(0)
    expect(fired).toHaveLength(1001)
    watches.onOrderUpdate({ ...EVENT, orderid: 'O0' })
    await clock.advance(0)
    expect(fired).toHaveLength(1002)
  })
})

describe('the orders of its own runs start no workflow every time', () => {
  const EVERY_TIME = { symbol: 'SBIN', trigger: 'every_time' }

  test('one that fills while its run still waits for its id, beside the order of somebody else', async () => {
    const ends: (() => void)[] = []
    const { clock, watches, add, fired, placed, log } = rig(
      () => new Promise((resolve) => ends.push(() => resolve('executed'))),
    )
    add(1, EVERY_TIME)
    for (const orderid of ['O1', 'OWN', 'O2']) watches.onOrderUpdate({ ...EVENT, orderid })
    await clock.advance(0)
    placed.add('OWN')
    ends[0]?.()
    await clock.advance(0)
    ends[1]?.()
    await clock.advance(0)
    expect(fired.map(([, { orderid }]) => orderid)).toEqual(['O1', 'O2'])
    expect(log.lines).toEqual([])
  })

  test('one that fills later', async () => {
    const { clock, watches, add, fired, placed } = rig()
    placed.add('OWN')
    add(1, EVERY_TIME)
    add(2, EVERY_TIME)
    watches.onOrderUpdate({ ...EVENT, orderid: 'OWN' })
    await clock.advance(0)
    expect(fired.map(([id]) => id)).toEqual([2])
    watches.onOrderUpdate(EVENT)
    await clock.advance(0)
    expect(fired.map(([id]) => id)).toEqual([2, 1, 2])
  })

  test.each([
    ['that it names does', { orderId: 'O1', trigger: 'every_time' }],
    ['starts it once', { symbol: 'SBIN', trigger: 'once' }],
  ])('but one %s', async (_, data) => {
    const { clock, watches, add, fired, placed } = rig()
    placed.add('O1')
    add(1, data)
    watches.onOrderUpdate(EVENT)
    await clock.advance(0)
    expect(fired).toHaveLength(1)
  })
})

test('a failing run is logged: a one-shot stays claimed, a watch that fires every time continues', async () => {
  const { clock, watches, add, fired, log } = rig(() => {
    throw new Error('disk full')
  })
  add(1, { symbol: 'SBIN' })
  add(2, { symbol: 'SBIN', trigger: 'every_time' })
  watches.onOrderUpdate(EVENT)
  await clock.advance(0)
  watches.onOrderUpdate({ ...EVENT, orderid: 'O2' })
  await clock.advance(0)
  expect(fired.map(([id]) => id)).toEqual([1, 2, 2])
  expect(log.lines.map(({ event }) => event)).toEqual(Array(3).fill('flow.order_watch_failed'))
})

test('a failed retirement is logged', async () => {
  const clock = new VirtualClock(0)
  const log = recordingLogger()
  const watches = new OrderWatches({
    clock,
    log,
    ended: async () => undefined,
    pin: () => () => true,
    isOwn: () => false,
    fire: async () => 'executed',
    retire: async () => {
      throw new Error('disk full')
    },
  })
  const { value } = readOrderUpdate({ symbol: 'SBIN' })
  if (value) watches.add(1, value, 'asha')
  watches.onOrderUpdate(EVENT)
  await clock.advance(0)
  expect(log.lines).toMatchObject([{ event: 'flow.retire_failed', fields: { workflowId: 1 } }])
})

test('a removed, replaced or stopped watch receives no events', async () => {
  const { clock, watches, add, fired } = rig()
  add(1, { symbol: 'SBIN' })
  add(2, { symbol: 'SBIN' })
  add(2, { symbol: 'TCS' })
  watches.remove(1)
  watches.remove(99)
  watches.onOrderUpdate(EVENT)
  watches.stop()
  watches.onOrderUpdate({ ...EVENT, symbol: 'TCS' })
  await clock.advance(0)
  expect(fired).toEqual([])
  expect(watches.status()).toEqual({ watches_count: 0, watches: [] })
})

test('a watch needs a user', () => {
  const { watches } = rig()
  const { value } = readOrderUpdate({ symbol: 'SBIN' })
  if (!value) throw new Error('unreadable')
  expect(() => watches.add(1, value, undefined)).toThrow('orderUpdateTrigger needs an account')
})
