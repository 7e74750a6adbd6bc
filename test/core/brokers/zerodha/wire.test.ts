import { expect, test } from 'vitest'
import { margins } from '../../../../src/core/brokers/zerodha/wire.js'

test('funds cannot be read without the balance of a segment, which would count as nothing', () => {
  const segment = { net: 100, available: { collateral: 0 }, utilised: { debits: 0 } }
  expect(margins.safeParse({ equity: segment }).success).toBe(true)
  for (const net of [undefined, null])
    expect(margins.safeParse({ equity: { ...segment, net } }).success).toBe(false)
})
