import { expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }

async function sentBy(type: string, data: Body) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  const { ports } = await runNode(definition, data, { variables: { minutes: 5 } })
  return ports.sent.map(({ body }) => body)
}

test.each(['placeOrder', 'smartOrder', 'splitOrder'])(
  '%s asks the broker for what its fields say',
  async (type) => {
    const asked = {
      validity: 'ttl',
      validityTtl: '{{minutes}}',
      icebergLegs: '3',
      marketProtection: 1.5,
      algoId: 'A1',
    }
    expect(await sentBy(type, { ...SBIN, ...asked })).toEqual([
      expect.objectContaining({
        validity: 'TTL',
        validity_ttl: 5,
        iceberg_legs: 3,
        market_protection: 1.5,
        algo_id: 'A1',
      }),
    ])
    expect(await sentBy(type, { ...SBIN, amo: true })).toEqual([expect.objectContaining({ amo: true })])
    const [plain] = await sentBy(type, { ...SBIN, amo: false, validity: '' })
    expect(Object.keys(plain ?? {})).not.toEqual(expect.arrayContaining(['amo', 'validity']))
  },
)

test('each order of a basket asks for its own', async () => {
  const orders = [{ ...SBIN, validity: 'IOC', algo_id: 'A1' }, { ...SBIN, amo: true }, SBIN]
  const [body] = await sentBy('basketOrder', { basketName: 'b', orders })
  const rows: unknown = body?.orders
  expect(rows).toEqual([
    expect.objectContaining({ validity: 'IOC', algo_id: 'A1' }),
    expect.objectContaining({ amo: true }),
    expect.not.objectContaining({ amo: expect.anything() }),
  ])
})
