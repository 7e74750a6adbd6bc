import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExchangeTimer, exchangeMs, noteExchanges } from '../../../src/core/orders/broker-time.js'
import { type OrderResult, success } from '../../../src/core/orders/result.js'

/** The answer to a request whose exchange took so long. */
async function timed(from: number, length: number): Promise<OrderResult> {
  const readings = [from, from + length]
  const timer = new ExchangeTimer({ monotonic: () => readings.shift() ?? 0 })
  await timer.read(async () => undefined)
  return timer.note(success({}))
}

test('what is waited for at the same time counts once, whatever the order', async () => {
  const span = fc.record({ from: fc.nat(50), length: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(span, { minLength: 1, maxLength: 8 }), async (spans) => {
      const ends = await Promise.all(spans.map(({ from, length }) => timed(from, length)))
      const waited = spans.flatMap(({ from, length }) => Array.from({ length }, (_, index) => from + index))
      expect(exchangeMs(noteExchanges(success({}), ends))).toBe(new Set(waited).size)
    }),
  )
})

test('an answer without an exchange has no time of one, and nothing of it is in the answer', async () => {
  expect(exchangeMs(success({}))).toBeUndefined()
  expect(exchangeMs(noteExchanges(success({}), [success({})]))).toBeUndefined()
  expect(await timed(1, 2)).toEqual(success({}))
})

test('only a call that changes something may have left something behind, also when it fails', async () => {
  const timer = new ExchangeTimer({ monotonic: () => 0 })
  await timer.read(async () => undefined)
  expect(timer.begun).toBe(false)
  await expect(timer.send(() => Promise.reject(new Error('x')))).rejects.toThrow('x')
  expect(timer.begun).toBe(true)
})
