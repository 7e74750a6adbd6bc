import { expect, test } from 'vitest'
import { approvePayload } from '../../../../src/daemon/operations/approvals/expected.js'

const LEG = {
  symbol: 'NIFTY28MAR2420800CE',
  exchange: 'NFO',
  action: 'BUY',
  quantity: 75,
  pricetype: 'MARKET',
  product: 'NRML',
  price: 0,
}

test('the approver of 20 option legs in 100 parts each can name them all', () => {
  const body = { expected: { mode: 'live', legs: Array.from({ length: 2000 }, () => LEG) } }
  expect(approvePayload.safeParse(body).success).toBe(true)
})
