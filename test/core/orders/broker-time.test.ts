import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokerTimer } from '../../../src/core/orders/index.js'

/** Measures calls that begin and end at these instants. */
async function timerOf(spans: readonly { from: number; length: number }[]): Promise<BrokerTimer> {
  const readings = spans.flatMap(({ from, length }) => [from, from + length])
  const timer = new BrokerTimer({ monotonic: () => readings.shift() ?? 0 })
  for (const _ of spans) await timer.read(async () => undefined)
  return timer
}

test('what is waited for at the same time counts once, whatever the order', async () => {
  const span = fc.record({ from: fc.nat(50), length: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 8 }), async (spans) => {
      const waited = spans.flatMap(({ from, length }) => Array.from({ length }, (_, index) => from + index))
      expect((await timerOf(spans)).elapsedMs).toBe(new Set(waited).size)
    }),
  )
})

test('a request that asked its broker nothing has no time of it', async () => {
  expect((await timerOf([])).elapsedMs).toBeUndefined()
})

test('only a call that changes something may have left something behind, also when it fails', async () => {
  const timer = new BrokerTimer({ monotonic: () => 0 })
  await timer.read(async () => undefined)
  expect(timer.begun).toBe(false)
  await expect(timer.send(() => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(timer.begun).toBe(true)
})
