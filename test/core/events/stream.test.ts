import { describe, expect, test } from 'vitest'
import { EventStream, STREAM_CAPACITY, type StreamFrame } from '../../../src/core/events/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { eventNumbers } from '../../support/event-numbers.js'
import { recordingLogger } from '../logging/recording-logger.js'

const START = '2026-03-02T10:00:00+05:30'

async function openStream(clock = new VirtualClock(START), numbers = eventNumbers()) {
  const log = recordingLogger()
  return { clock, log, stream: await EventStream.open(clock, log, numbers) }
}

const texts = (frames: readonly StreamFrame[]) => frames.map((frame) => JSON.parse(frame.text))

describe('delivery', () => {
  test('a frame has its type, number, name, payload and time', async () => {
    const { clock, stream } = await openStream()
    const seen: StreamFrame[] = []
    stream.subscribe('asha', (frame) => seen.push(frame))
    const before = stream.lastSeq
    stream.publish('order_event', { symbol: 'SBIN', mode: 'live' }, 'asha')
    expect(seen[0]?.text).toBe(
      `{"type":"event","seq":${before + 1},"event":"order_event","data":{"symbol":"SBIN","mode":"live"},"ts":${clock.now()}}`,
    )
  })

  test('an event of a user reaches only that user, an event without a user reaches all', async () => {
    const { stream } = await openStream()
    const seen: Record<string, string[]> = { asha: [], ravi: [] }
    for (const user of ['asha', 'ravi']) stream.subscribe(user, (frame) => seen[user]?.push(frame.event))
    const start = stream.lastSeq
    stream.publish('order_event', {}, 'asha')
    stream.publish('kill_switch', {})
    expect(seen).toEqual({ asha: ['order_event', 'kill_switch'], ravi: ['kill_switch'] })
    expect(stream.since(start, 'ravi').events.map((frame) => frame.event)).toEqual(['kill_switch'])
  })

  test('a listener that throws or has left does not affect the others', async () => {
    const { stream, log } = await openStream()
    const seen: number[] = []
    stream.subscribe('asha', () => {
      throw new Error('socket gone')
    })
    stream.subscribe('asha', (frame) => seen.push(frame.seq))
    stream.subscribe('asha', () => seen.push(-1))()
    stream.publish('order_event', {})
    expect(seen).toEqual([stream.lastSeq])
    expect(log.lines.map((line) => line.event)).toEqual(['events.listener_failed'])
  })

  test('the text is built once for all listeners, and never without one', async () => {
    const { stream } = await openStream()
    let made = 0
    const data = { toJSON: () => ({ made: ++made }) }
    stream.publish('order_event', data)
    expect(made).toBe(0)
    const used: string[] = []
    for (let i = 0; i < 3; i++) stream.subscribe('asha', (frame) => used.push(frame.text))
    stream.publish('order_event', data)
    expect(made).toBe(1)
    expect(new Set(used).size).toBe(1)
  })
})

describe('a lost event', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('uses up its number, and its user gets one gap event for all losses of a turn', async () => {
    const { stream } = await openStream()
    const seen: Record<string, StreamFrame[]> = { asha: [], ravi: [] }
    for (const user of ['asha', 'ravi']) stream.subscribe(user, (frame) => seen[user]?.push(frame))
    const start = stream.lastSeq
    stream.publish('order_event', { i: 1 }, 'asha')
    stream.reportLoss('asha')
    stream.reportLoss('asha')
    stream.publish('order_event', { i: 2 }, 'asha')
    stream.reportLoss('asha')
    await turn()
    const told = texts(seen.asha ?? []).map(({ seq, event, data }) => [seq - start, event, data])
    expect(told).toEqual([
      [1, 'order_event', { i: 1 }],
      [4, 'order_event', { i: 2 }],
      [6, 'gap', { lost: 3, from: start + 2, to: start + 5 }],
    ])
    expect(seen.ravi).toEqual([])
    stream.reportLoss()
    await turn()
    expect([seen.asha?.at(-1)?.event, seen.ravi?.at(-1)?.event]).toEqual(['gap', 'gap'])
  })

  test('is a gap for a client that reconnects, and no older event takes its place', async () => {
    const { stream } = await openStream()
    for (let i = 0; i < STREAM_CAPACITY; i++) stream.publish('order_event', { i })
    const last = stream.lastSeq
    stream.reportLoss('asha')
    await turn()
    const { events, gap } = stream.since(last, 'asha')
    expect([events.map((frame) => [frame.seq - last, frame.event]), gap]).toEqual([[[2, 'gap']], false])
  })
})

describe('resuming', () => {
  test('returns exactly the events after the number, oldest first, without a gap', async () => {
    const { stream } = await openStream()
    const start = stream.lastSeq
    for (let i = 1; i <= 5; i++) stream.publish('order_event', { i })
    const { events, gap } = stream.since(start + 2, 'asha')
    expect(texts(events).map((frame) => frame.data.i)).toEqual([3, 4, 5])
    expect(events.map((frame) => frame.seq)).toEqual([start + 3, start + 4, start + 5])
    expect(gap).toBe(false)
    expect(stream.since(stream.lastSeq, 'asha')).toEqual({ events: [], gap: false })
  })

  test('the last 10,000 events are kept; a request for an older one reports a gap', async () => {
    const { stream } = await openStream()
    const start = stream.lastSeq
    for (let i = 1; i <= STREAM_CAPACITY + 3; i++) stream.publish('order_event', { i })
    const whole = stream.since(start + 3, 'asha')
    expect([whole.events.length, whole.gap]).toEqual([STREAM_CAPACITY, false])
    const partial = stream.since(start + 2, 'asha')
    expect([partial.events.length, partial.gap]).toEqual([STREAM_CAPACITY, true])
    expect(texts(partial.events.slice(0, 1))[0].data.i).toBe(4)
  })

  test.each([
    ['from before the start', -1],
    ['from another run, ahead of this one', 1_000_000_000],
    ['that is not a number', Number.NaN],
  ])('a number %s is a gap', async (_name, offset) => {
    const { stream } = await openStream()
    stream.publish('order_event', {})
    expect(stream.since(stream.lastSeq - 1 + offset, 'asha').gap).toBe(true)
  })

  test('numbers rise across restarts and stay exact integers', async () => {
    const clock = new VirtualClock(START)
    const first = (await openStream(clock)).stream
    for (let i = 0; i < 900; i++) first.publish('order_event', {})
    await clock.advance(1)
    const second = (await openStream(clock)).stream
    second.publish('order_event', {})
    expect(second.lastSeq).toBeGreaterThan(first.lastSeq)
    expect(Number.isSafeInteger(second.lastSeq)).toBe(true)
    expect(second.since(first.lastSeq, 'asha')).toMatchObject({
      gap: true,
      events: [{ seq: second.lastSeq }],
    })
  })

  test('numbers rise across a restart before which the clock was set back', async () => {
    const numbers = eventNumbers()
    const first = (await openStream(new VirtualClock(START), numbers)).stream
    for (let i = 0; i < 1_600_000; i++) first.reportLoss()
    expect(numbers.writes, 'a write reserves many numbers').toBe(4)
    const earlier = new VirtualClock('2026-01-01T10:00:00+05:30')
    const second = (await openStream(earlier, numbers)).stream
    expect(second.lastSeq).toBeGreaterThanOrEqual(first.lastSeq)
    second.publish('order_event', {})
    expect(second.since(first.lastSeq, 'asha')).toMatchObject({
      gap: true,
      events: [{ seq: second.lastSeq }],
    })
  })
})
