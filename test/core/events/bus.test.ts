import { describe, expect, test } from 'vitest'
import { BUS_CAPACITY, BUS_WORKERS, EventBus, type EventTopics } from '../../../src/core/events/index.js'
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
    bus.subscribe('force_logout', 'other', () => void seen.push('other'))
    bus.publish('kill_switch', killSwitch)
    bus.publish('app_mode_changed', modeChanged)
    await bus.idle()
    expect(seen).toEqual(['one', 'all:kill_switch', 'all:app_mode_changed'])
  })

  test('with nobody listening costs nothing and fails nothing', async () => {
    const bus = new EventBus(recordingLogger())
    bus.publish('kill_switch', killSwitch)
    await bus.idle()
    expect(bus.stats()).toEqual({ pending: 0, max_pending: 0, dropped: 0 })
  })
})

describe('subscribing', () => {
  test('twice under one name and topic is once', async () => {
    const bus = new EventBus(recordingLogger())
    let calls = 0
    for (let i = 0; i < 2; i++) bus.subscribe('kill_switch', 'test', () => void calls++)
    bus.publish('kill_switch', killSwitch)
    await bus.idle()
    expect(calls).toBe(1)
  })

  test('ends with the function it returned', async () => {
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

  test('the unit is the callback: four subscribers use four slots an event', () => {
    const bus = new EventBus(recordingLogger())
    for (const name of ['logs', 'stream', 'telegram', 'whatsapp']) bus.subscribe('kill_switch', name, never)
    publishTimes(bus, 251)
    expect(bus.stats()).toEqual({ pending: 1000, max_pending: 1000, dropped: 4 })
  })

  test('the first drop and every hundredth after it are told', () => {
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

  test('ten callbacks run at a time, and the rest follow as these finish', async () => {
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

  test('a burst of 1000 quick callbacks is handled whole, in order, with the event loop running between', async () => {
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

describe('isolation', () => {
  test('a subscriber that throws or rejects stops nothing else, is told, and frees its slot', async () => {
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

  test('more failures than the capacity leave every slot free', async () => {
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
