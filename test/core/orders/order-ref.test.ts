import { describe, expect, test } from 'vitest'
import { isOrderRef, newBatchRef, newOrderRef, timeOfOrderRef } from '../../../src/core/orders/order-ref.js'
import { VirtualClock } from '../../../src/core/time/index.js'

describe('an order reference', () => {
  const clock = new VirtualClock(Date.parse('2026-11-20T11:00:00+05:30'))

  test('has 18 letters and digits, which every broker takes as a tag, and says when it was made', () => {
    const made = Array.from({ length: 500 }, () => newOrderRef(clock))
    for (const ref of made) expect(ref).toMatch(/^S[A-Z0-9]{17}$/)
    expect(newBatchRef(clock)).toMatch(/^B[A-Z0-9]{17}$/)
    expect(new Set(made).size).toBe(500)
    expect(made.every(isOrderRef)).toBe(true)
    expect(timeOfOrderRef(made[0] ?? '')).toBe(clock.now())
  })

  test('sorts by time', async () => {
    const first = newOrderRef(clock)
    await clock.advance(1)
    expect(newOrderRef(clock) > first).toBe(true)
  })

  test('of 20 characters, as earlier versions made them, is still known', () => {
    const old = `${newOrderRef(clock)}7K`
    expect(isOrderRef(old)).toBe(true)
    expect(timeOfOrderRef(old)).toBe(clock.now())
  })

  test.each([
    '',
    'S1M8',
    '250408000989443',
    'S'.repeat(17),
    'S'.repeat(19),
    'S'.repeat(21),
    'SILOU0123456789012',
  ])('%s is none', (text) => expect(isOrderRef(text)).toBe(false))
})
