import { expect, it } from 'vitest'
import { outcomeOf } from '../../../src/tui/orders/place-review.js'

it('an order that only waits for approval is a bad result, and a placed one is not', () => {
  const queued = { status: 'success', message: 'queued', mode: 'semi_auto', pending_order_id: 7 } as const
  expect(outcomeOf(queued)).toEqual({ text: 'waits for approval 7.', isBad: true })
  expect(outcomeOf({ ...queued, warning: 'The kill switch is on: crash.' })).toEqual({
    text: 'waits for approval 7. It would be refused now: The kill switch is on: crash.',
    isBad: true,
  })
  expect(outcomeOf({ status: 'success', orderid: '12' })).toBe('LIVE order 12 is placed.')
})
