import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/core/time/index.js'
import { UnansweredCalls } from '../../../src/daemon/mcp/calls/unanswered.js'

test('the same call again has the same key only while its caller does not know how it ended', async () => {
  const clock = new VirtualClock(0)
  const calls = new UnansweredCalls(clock)
  const first = calls.keyOf('buy')
  expect(calls.keyOf('buy')).not.toBe(first)
  calls.note('buy', first, false)
  expect(calls.keyOf('buy')).toBe(first)
  expect(calls.keyOf('sell')).not.toBe(first)
  calls.note('buy', first, true)
  expect(calls.keyOf('buy')).not.toBe(first)
  calls.note('buy', first, false)
  await clock.advance(15 * 60_000)
  expect(calls.keyOf('buy')).not.toBe(first)
})

test('forgets the oldest of many calls', () => {
  const calls = new UnansweredCalls(new VirtualClock(0))
  for (let one = 0; one <= 1000; one++) calls.note(`call ${one}`, `key ${one}`, false)
  expect(calls.keyOf('call 0')).not.toBe('key 0')
  expect(calls.keyOf('call 1')).toBe('key 1')
})
