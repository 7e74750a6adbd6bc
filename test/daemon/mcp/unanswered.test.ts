import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/core/time/index.js'
import { UnansweredCalls } from '../../../src/daemon/mcp/calls/unanswered.js'

const here = () => false
const gone = () => true

/** Returns the key of a call that ends at once. */
function keyOf(calls: UnansweredCalls, call: string, isKnown = true): string {
  const { end, key } = calls.begin(call, here)
  end(isKnown)
  return key
}

test('the same call again has the same key only while its caller does not know how it ended', async () => {
  const clock = new VirtualClock(0)
  const calls = new UnansweredCalls(clock)
  expect(keyOf(calls, 'buy')).not.toBe(keyOf(calls, 'buy'))
  const first = keyOf(calls, 'buy', false)
  expect(keyOf(calls, 'sell')).not.toBe(first)
  expect(keyOf(calls, 'buy')).toBe(first)
  const second = keyOf(calls, 'buy', false)
  expect(second).not.toBe(first)
  await clock.advance(15 * 60_000)
  expect(keyOf(calls, 'buy')).not.toBe(second)
})

test('the same call again is the one that still runs for a caller who has gone', () => {
  const calls = new UnansweredCalls(new VirtualClock(0))
  const first = calls.begin('buy', gone)
  const again = calls.begin('buy', here)
  expect(again.key).toBe(first.key)
  expect(calls.begin('sell', here).key).not.toBe(first.key)
  // Whichever of the two ends first: the caller knows now, so the next call is a new request.
  again.end(true)
  first.end(false)
  expect(keyOf(calls, 'buy')).not.toBe(first.key)
})

test('two calls at the same time are two requests, and the end of one leaves the key of the other', () => {
  const calls = new UnansweredCalls(new VirtualClock(0))
  const [left, stays] = [calls.begin('buy', here), calls.begin('buy', here)]
  expect(stays.key).not.toBe(left.key)
  left.end(false)
  stays.end(true)
  expect(keyOf(calls, 'buy')).toBe(left.key)
})

test('forgets the oldest of many calls', () => {
  const calls = new UnansweredCalls(new VirtualClock(0))
  const keys = Array.from({ length: 1001 }, (_, one) => keyOf(calls, `call ${one}`, false))
  expect(keyOf(calls, 'call 0')).not.toBe(keys[0])
  expect(keyOf(calls, 'call 1')).toBe(keys[1])
})
