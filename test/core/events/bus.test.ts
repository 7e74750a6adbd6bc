import { describe, expect, test } from 'vitest'
import {
  BUS_CAPACITY,
  BUS_WORKERS,
  EventBus,
  type EventTopics,
  PACED_CAPACITY,
  PACED_LIMIT,
} from '../../../src/core/events/index.js'
import { recordingLogger } from '../logging/recording-logger.js'

const killSwitch: EventTopics['kill_switch'] = { engaged: true, by: 'asha', reason: 'test' }
const modeChanged: EventTopics['app_mode_changed'] = { analyze_mode: true }

const never = () => new Promise<void>(() => undefined)
const publishTimes = (bus: EventBus, times: number) => {
  for (let i = 0; i < times; i++) bus.publish('kill_switch', killSwitch)
}

describe('publishing', () => {
  test('returns before any subscriber runs', async () => {
    const bus = new EventBus(recordingLogger())
    const seen: unknown[] = []
    bus.subscribe('kill_switch', 'test', (payload) => void seen.push(payload))
    bus.publish('kill_switch', killSwitch)
    expect(seen).toEqual([])
    await bus.idle()
    expect(seen).toEqual([killSwitch])
  })

  test('reaches the subscribers of the topic and of all topics, and no others', async () => {
    const bus = new EventBus(recordingLogger())
    const seen: string[] = []
    bus.subscribe('kill_switch', 'one', () => void seen.push('one'))
    bus.subscribe('*', 'all', (_payload, topic) => void seen.push(`all:${topic}`))
    bus.subscribe('active_sessions_update', 'other', () => void seen.push('other'))
    bus.publish('kill_switch', killSwitch)
    bus.publish('app_mode_changed', modeChanged)
    await bus.idle()
    expect(seen).toEqual(['one', 'all:kill_switch', 'all:app_mode_changed'])
  })

  test('without a subscriber does nothing', async () => {
    const bus = new EventBus(recordingLogger())
    bus.publish('kill_switch', killSwitch)
    await bus.idle()
    expect(bus.stats()).toEqual({ pending: 0, max_pending: 0, dropped: 0 })
  })
})

describe('subscribing', () => {
  test('twice with the same name and topic subscribes once', async () => {
    const bus = new EventBus(recordingLogger())
    let calls = 0
    for (let i = 0; i < 2; i++) bus.subscribe('kill_switch', 'test', () => void calls++)
    bus.publish('kill_switch', killSwitch)
    await bus.idle()
    expect(calls).toBe(1)
  })

  test('ends when the returned function is called', async () => {
    const bus = new EventBus(recordingLogger())
    let calls = 0
    const end = bus.subscribe('kill_switch', 'test', () => void calls++)
    end()
    end()
    bus.publish('kill_switch', killSwitch)
    await bus.idle()
    expect(calls).toBe(0)
  })
})

describe('overload', () => {
  test('with a subscriber that never finishes, the 1001st callback is dropped and publishing still returns', async () => {
    const log = recordingLogger()
    const bus = new EventBus(log)
    bus.subscribe('kill_switch', 'stuck', never)
    publishTimes(bus, BUS_CAPACITY)
    expect(bus.stats()).toEqual({ pending: 1000, max_pending: 1000, dropped: 0 })
    publishTimes(bus, 1)
    expect(bus.stats()).toEqual({ pending: 1000, max_pending: 1000, dropped: 1 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(bus.stats().pending).toBe(1000)
  })

  test('the unit is the callback: four subscribers use four slots per event', () => {
    const bus = new EventBus(recordingLogger())
    for (const name of ['logs', 'stream', 'telegram', 'whatsapp']) bus.subscribe('kill_switch', name, never)
    publishTimes(bus, 251)
    expect(bus.stats()).toEqual({ pending: 1000, max_pending: 1000, dropped: 4 })
  })

  test('the first drop and every hundredth after it are logged', () => {
    const log = recordingLogger()
    const bus = new EventBus(log)
    bus.subscribe('kill_switch', 'stuck', never)
    publishTimes(bus, BUS_CAPACITY + 250)
    expect(log.lines.map((line) => [line.level, line.event, line.fields.dropped])).toEqual([
      ['warn', 'events.dropped', 1],
      ['warn', 'events.dropped', 101],
      ['warn', 'events.dropped', 201],
    ])
  })

  test('ten callbacks run at a time, and the others start as these finish', async () => {
    const bus = new EventBus(recordingLogger())
    const finish: (() => void)[] = []
    let running = 0
    let mostRunning = 0
    bus.subscribe('kill_switch', 'slow', async () => {
      running += 1
      mostRunning = Math.max(mostRunning, running)
      await new Promise<void>((resolve) => finish.push(resolve))
      running -= 1
    })
    publishTimes(bus, 35)
    while (bus.stats().pending > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      for (const done of finish.splice(0, 3)) done()
    }
    expect(mostRunning).toBe(BUS_WORKERS)
    expect(bus.stats()).toEqual({ pending: 0, max_pending: 35, dropped: 0 })
  })

  test('all callbacks of a burst of 1000 run in order, and the event loop gets turns in between', async () => {
    const bus = new EventBus(recordingLogger())
    const seen: number[] = []
    let turns = 0
    let counting = true
    const count = () => {
      turns += 1
      if (counting) setImmediate(count)
    }
    setImmediate(count)
    bus.subscribe('pending_order_created', 'test', ({ pending_order_id }) => void seen.push(pending_order_id))
    for (let i = 0; i < BUS_CAPACITY; i++) {
      bus.publish('pending_order_created', {
        user_id: 'asha',
        pending_order_id: i,
        api_type: 'placeorder',
        message: '',
      })
    }
    await bus.idle()
    counting = false
    expect(seen).toEqual(Array.from({ length: BUS_CAPACITY }, (_, i) => i))
    expect(turns).toBeGreaterThan(4)
  })
})

describe('a callback without a free slot', () => {
  const fill = (bus: EventBus) => {
    bus.subscribe('kill_switch', 'stuck', never)
    publishTimes(bus, BUS_CAPACITY)
  }

  test('runs at once for a vital subscriber and is not dropped', () => {
    const log = recordingLogger()
    const bus = new EventBus(log)
    fill(bus)
    const seen: boolean[] = []
    bus.subscribe('app_mode_changed', 'vital', (event) => void seen.push(event.analyze_mode), { vital: true })
    bus.publish('app_mode_changed', modeChanged)
    expect(seen).toEqual([true])
    expect([bus.stats().dropped, log.lines]).toEqual([0, []])
  })

  test('of a vital subscriber is queued while there is a slot', async () => {
    const bus = new EventBus(recordingLogger())
    const seen: boolean[] = []
    bus.subscribe('app_mode_changed', 'vital', (event) => void seen.push(event.analyze_mode), { vital: true })
    bus.publish('app_mode_changed', modeChanged)
    expect(seen).toEqual([])
    await bus.idle()
    expect(seen).toEqual([true])
  })

  test('is reported to a subscriber that asked for it, and fails no other', () => {
    const log = recordingLogger()
    const bus = new EventBus(log)
    fill(bus)
    const lost: string[] = []
    bus.subscribe('*', 'stream', () => undefined, { onDropped: (_payload, topic) => void lost.push(topic) })
    const broken = () => {
      throw new Error('broken')
    }
    bus.subscribe('*', 'broken', broken, { vital: true })
    bus.subscribe('*', 'ill-told', () => undefined, { onDropped: broken })
    bus.publish('app_mode_changed', modeChanged)
    expect(lost).toEqual(['app_mode_changed'])
    expect(log.lines.map((line) => [line.event, line.fields.subscriber])).toEqual([
      ['events.dropped', 'stream'],
      ['events.subscriber_failed', 'broken'],
      ['events.subscriber_failed', 'ill-told'],
    ])
  })
})

describe('paced publishing', () => {
  const created = (pending_order_id: number) => ({
    user_id: 'asha',
    pending_order_id,
    api_type: 'placeorder',
    message: '',
  })
  const burst = 3 * BUS_CAPACITY

  test('delivers any burst completely and in order, and leaves half of the slots to other events', async () => {
    const bus = new EventBus(recordingLogger())
    const seen: number[] = []
    for (const name of ['one', 'two', 'three']) {
      bus.subscribe('pending_order_created', name, ({ pending_order_id }) => {
        if (name === 'one') seen.push(pending_order_id)
      })
    }
    for (let i = 0; i < burst; i++) bus.publishPaced('pending_order_created', created(i))
    expect(bus.stats().pending).toBeLessThan(PACED_LIMIT + 3)
    await bus.idle()
    expect(seen).toEqual(Array.from({ length: burst }, (_, i) => i))
    expect(bus.stats()).toMatchObject({ pending: 0, dropped: 0 })
    expect(bus.stats().max_pending).toBeLessThan(PACED_LIMIT + 3)
  })

  test('does the same when every callback is slow', async () => {
    const bus = new EventBus(recordingLogger())
    const seen: number[] = []
    bus.subscribe('pending_order_created', 'slow', async ({ pending_order_id }) => {
      await Promise.resolve()
      seen.push(pending_order_id)
    })
    for (let i = 0; i < burst; i++) bus.publishPaced('pending_order_created', created(i))
    await bus.idle()
    expect(seen).toEqual(Array.from({ length: burst }, (_, i) => i))
  })

  test('an event without subscribers does not delay the events after it', async () => {
    const bus = new EventBus(recordingLogger())
    let heard = 0
    bus.subscribe('kill_switch', 'test', () => void heard++)
    for (let i = 0; i < PACED_LIMIT; i++) bus.publishPaced('kill_switch', killSwitch)
    for (let i = 0; i < burst; i++) bus.publishPaced('app_mode_changed', modeChanged)
    await bus.idle()
    bus.publishPaced('kill_switch', killSwitch)
    await bus.idle()
    expect(heard).toBe(PACED_LIMIT + 1)
  })

  test('publishes at once while there is room', () => {
    const bus = new EventBus(recordingLogger())
    bus.subscribe('kill_switch', 'test', never)
    bus.publishPaced('kill_switch', killSwitch)
    expect(bus.stats().pending).toBe(1)
  })

  test('behind a subscriber that never finishes, events wait up to a limit and are then dropped', () => {
    const log = recordingLogger()
    const bus = new EventBus(log)
    bus.subscribe('kill_switch', 'stuck', never)
    for (let i = 0; i < PACED_LIMIT + PACED_CAPACITY; i++) bus.publishPaced('kill_switch', killSwitch)
    expect(bus.stats()).toMatchObject({ pending: PACED_LIMIT, dropped: 0 })
    for (let i = 0; i < BUS_CAPACITY; i++) bus.publishPaced('kill_switch', killSwitch)
    expect(bus.stats()).toMatchObject({ pending: BUS_CAPACITY, dropped: PACED_LIMIT })
  })
})

describe('isolation', () => {
  test('a subscriber that throws or rejects is logged, frees its slot and stops no other', async () => {
    const log = recordingLogger()
    const bus = new EventBus(log)
    const seen: string[] = []
    bus.subscribe('kill_switch', 'throws', () => {
      throw new Error('broken')
    })
    bus.subscribe('kill_switch', 'rejects', async () => {
      throw new Error('broken later')
    })
    bus.subscribe('kill_switch', 'works', () => void seen.push('works'))
    publishTimes(bus, 2)
    await bus.idle()
    expect(seen).toEqual(['works', 'works'])
    expect(bus.stats()).toEqual({ pending: 0, max_pending: 6, dropped: 0 })
    expect(log.lines.map((line) => [line.event, line.fields.subscriber]).sort()).toEqual([
      ['events.subscriber_failed', 'rejects'],
      ['events.subscriber_failed', 'rejects'],
      ['events.subscriber_failed', 'throws'],
      ['events.subscriber_failed', 'throws'],
    ])
  })

  test('after more failures than the capacity, every slot is free', async () => {
    const bus = new EventBus(recordingLogger())
    bus.subscribe('kill_switch', 'throws', () => {
      throw new Error('broken')
    })
    for (let round = 0; round < 3; round++) {
      publishTimes(bus, BUS_CAPACITY)
      await bus.idle()
    }
    expect(bus.stats()).toEqual({ pending: 0, max_pending: 1000, dropped: 0 })
  })
})
