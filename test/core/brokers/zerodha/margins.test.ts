import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BrokerMargins } from '../../../../src/core/brokers/broker.js'
import { orderOf, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

function margins(): BrokerMargins {
  if (!rig.client.margins) throw new Error('no margins')
  return rig.client.margins
}

const CALL = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', product: 'NRML', quantity: 75 } as const
const PUT = { ...CALL, symbol: 'NIFTY29JAN3024000PE' }

test('one order has its own margin', async () => {
  expect(await margins().estimate([orderOf({ quantity: 2, product: 'CNC' })])).toEqual({
    total: 3000,
    span: 0,
    exposure: 0,
  })
  expect(rig.fake.requests).toEqual(['POST /margins/orders'])
})

test('several orders have the margin of the basket after what they cover for each other', async () => {
  const sold = await margins().estimate([orderOf({ ...CALL, action: 'SELL' })])
  const both = await margins().estimate([orderOf({ ...CALL, action: 'SELL' }), orderOf(PUT)])
  expect(rig.fake.requests.at(-1)).toBe('POST /margins/basket')
  expect(both.span).toBeCloseTo((sold.span ?? 0) / 2, 6)
  expect(both.total).toBeCloseTo(sold.total + 205 * 75 - (sold.span ?? 0) / 2, 6)
})

test('a contract that Kite counts in lots is asked for in lots; its margin is in rupees', async () => {
  const gold = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 20 } as const
  const { total } = await margins().estimate([orderOf(gold)])
  expect(total).toBeCloseTo(72_150 * 20 * 0.2, 4)
})

test.each([
  ['a product that cannot be placed', { product: 'CO' }, 'unsupported'],
  ['an unknown symbol', { symbol: 'NOSUCH' }, 'validation'],
] as const)('%s is not asked for', async (_name, changes, kind) => {
  await expect(margins().estimate([orderOf(changes)])).rejects.toMatchObject({ kind, sent: 'never' })
  expect(rig.fake.requests).toEqual([])
})
