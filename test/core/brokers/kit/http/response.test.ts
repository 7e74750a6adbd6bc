import { expect, test } from 'vitest'
import { z } from 'zod'
import { isSuccess, readAs } from '../../../../../src/core/brokers/kit/http/response.js'

test('a success that cannot be read names the field, and may have been sent', () => {
  const schema = z.object({ order: z.object({ id: z.string() }) })
  expect(readAs('POST /orders', { order: { id: '1' } }, schema)).toEqual({ order: { id: '1' } })
  const unreadable = (value: unknown) => () => readAs('POST /orders', value, schema)
  expect(unreadable({ order: { id: 1 } })).toThrow(
    expect.objectContaining({
      kind: 'protocol',
      sent: 'maybe',
      message: 'POST /orders: the answer has no readable "order.id"',
    }),
  )
  expect(unreadable(undefined)).toThrow('POST /orders: the answer has no readable "data"')
})

test.each([
  [199, false],
  [200, true],
  [204, true],
  [299, true],
  [300, false],
])('the status %i is a success: %s', (status, success) => {
  expect(isSuccess({ status })).toBe(success)
})
