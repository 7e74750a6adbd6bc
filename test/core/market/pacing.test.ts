import { expect, test } from 'vitest'
import { CallPacer } from '../../../src/core/market/pacing.js'
import { VirtualClock } from '../../../src/core/time/index.js'

const THREE_A_SECOND = [{ count: 3, perMs: 1000 }]

/** A pacer, and calls that record when they start and take a given time. */
function open() {
  const clock = new VirtualClock(0)
  const pacer = new CallPacer(clock)
  const sent: [name: string, at: number][] = []
  const call = (name: string, takesMs = 0, windows = THREE_A_SECOND) =>
    pacer.run(windows, async () => {
      sent.push([name, clock.monotonic()])
      if (takesMs > 0) await clock.sleep(takesMs)
      return name
    })
  return { clock, sent, call, start: clock.monotonic() }
}

test('calls start one after the other, evenly spaced, in order of arrival', async () => {
  const { clock, sent, call, start } = open()
  const answers = Promise.all([call('a', 100), call('b'), call('c')])
  await clock.advance(5000)
  expect(await answers).toEqual(['a', 'b', 'c'])
  expect(sent).toEqual([
    ['a', start],
    ['b', start + 100 + 334],
    ['c', start + 100 + 2 * 334],
  ])
})

test('a call after a pause does not wait', async () => {
  const { clock, sent, call, start } = open()
  await call('a')
  await clock.advance(1000)
  await call('b')
  expect(sent).toEqual([
    ['a', start],
    ['b', start + 1000],
  ])
})

test('a failed call does not delay the next', async () => {
  const { clock, call } = open()
  const pacer = new CallPacer(clock)
  await expect(pacer.run(THREE_A_SECOND, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const next = pacer.run(THREE_A_SECOND, async () => 'b')
  await clock.advance(400)
  expect(await next).toBe('b')
  expect(await call('c')).toBe('c')
})

test('without limits nothing waits', async () => {
  const { call, sent, start } = open()
  await Promise.all(['a', 'b', 'c'].map((name) => call(name, 0, [])))
  expect(sent.map(([, at]) => at)).toEqual([start, start, start])
})

test('calls whose turn would come too late are refused', async () => {
  const { clock, call } = open()
  const waiting = Array.from({ length: 30 }, (_, index) => call(String(index)))
  await expect(call('x')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 11 })
  await clock.advance(60_000)
  expect(await Promise.all(waiting)).toHaveLength(30)
  expect(await call('y')).toBe('y')
})
