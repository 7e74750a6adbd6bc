import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokerError } from '../../../src/core/brokers/index.js'
import { BrokerTimer } from '../../../src/core/orders/broker-time.js'

/** Measures calls that begin and end at these instants, of a request that arrived at 0. */
async function timerOf(spans: readonly { from: number; length: number }[]): Promise<BrokerTimer> {
  const readings = [0, ...spans.flatMap(({ from, length }) => [from, from + length])]
  const timer = new BrokerTimer({ monotonic: () => readings.shift() ?? 0 })
  for (const _ of spans) await timer.read(async () => undefined)
  return timer
}

test('what is waited for at the same time counts once, whatever the order', async () => {
  const span = fc.record({ from: fc.nat(50), length: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 8 }), async (spans) => {
      const waited = spans.flatMap(({ from, length }) => Array.from({ length }, (_, index) => from + index))
      expect((await timerOf(spans)).durations().rttMs).toBe(new Set(waited).size)
    }),
  )
})

test('a request that asked its broker nothing has no time of it', async () => {
  expect((await timerOf([])).durations().rttMs).toBe(0)
})

test('only a call that changes something may have left something behind, also when it fails', async () => {
  const timer = new BrokerTimer({ monotonic: () => 0 })
  await timer.read(async () => undefined)
  expect(timer.begun).toBe(false)
  await expect(timer.send(() => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(timer.begun).toBe(true)
})

test('the time before the execution and after the answer is apart from the wait for the broker', async () => {
  const readings = [15, 20, 50, 58]
  const timer = new BrokerTimer({ monotonic: () => readings.shift() ?? Number.NaN }, 10)
  await timer.send(async () => undefined)
  expect(timer.durations()).toEqual({ totalMs: 48, validationMs: 5, rttMs: 30, responseMs: 8 })
})

test.each([
  ['the broker answered', undefined, true],
  ['the broker refused', new BrokerError('rejected', 'no', { sent: 'yes' }), true],
  ['the answer was lost', new BrokerError('network', 'lost', { sent: 'maybe' }), true],
  ['nothing was sent', new BrokerError('network', 'no connection', { sent: 'never' }), false],
] as const)('%s: whether the order reached it', async (_name, error, reached) => {
  const timer = new BrokerTimer({ monotonic: () => 0 })
  await timer.send(async () => (error ? Promise.reject(error) : undefined)).catch(() => undefined)
  expect(timer.reached).toBe(reached)
})
