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

const STRADDLE = { underlying: 'NIFTY', strategy: 'straddle', expiryDate: '29DEC26', quantity: 1 }

async function legsSent(data: Body): Promise<unknown> {
  const [body] = await sentBy('optionsMultiOrder', data)
  return body?.legs
}

test('the fields of an option strategy instruct each of its legs', async () => {
  const asked = { validity: 'TTL', validityTtl: '{{minutes}}', marketProtection: 2, algoId: 'A1' }
  const leg = { validity: 'TTL', validity_ttl: 5, market_protection: 2, algo_id: 'A1' }
  expect(await legsSent({ ...STRADDLE, ...asked })).toEqual([
    expect.objectContaining(leg),
    expect.objectContaining(leg),
  ])
})

test('a leg keeps its own instructions, and takes those of the node that fit it', async () => {
  const asked = { validity: 'TTL', validityTtl: 5, marketProtection: 2, algoId: 'A1' }
  const legs = [
    { offset: 'ATM', action: 'BUY', validity: 'DAY', algoId: 'B2' },
    { offset: 'ATM', action: 'BUY', priceType: 'LIMIT', price: 10, validityTtl: 9 },
    { offset: 'ATM', action: 'BUY', marketProtection: -1 },
  ]
  const [day, limit, own] = [
    { validity: 'DAY', market_protection: 2, algo_id: 'B2' },
    { validity: 'TTL', validity_ttl: 9, algo_id: 'A1' },
    { validity: 'TTL', validity_ttl: 5, market_protection: -1, algo_id: 'A1' },
  ]
  const sent = await legsSent({ ...STRADDLE, ...asked, legs })
  expect(sent).toEqual([day, limit, own].map((leg) => expect.objectContaining(leg)))
  const [first, second] = Array.isArray(sent) ? sent : []
  expect(first).not.toHaveProperty('validity_ttl')
  expect(second).not.toHaveProperty('market_protection')
})
