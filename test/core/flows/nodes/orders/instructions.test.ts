import { describe, expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }

function run(type: string, data: Body, variables: Body = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, data, { lots: { 'NFO:NIFTY': 65 }, variables })
}

async function sentBy(type: string, data: Body) {
  const { ports } = await run(type, data, { minutes: 5 })
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

describe.each<[type: string, of: (amo: unknown) => Body, order: (body: Body) => unknown, named: string]>([
  ['placeOrder', (amo) => ({ ...SBIN, amo }), (body) => body, ''],
  ['optionsOrder', (amo) => ({ ...STRADDLE, amo }), (body) => body, ''],
  ['basketOrder', (amo) => ({ orders: [{ ...SBIN, amo }] }), ({ orders }) => orders, 'Order 1: '],
  ['optionsMultiOrder', (amo) => ({ ...STRADDLE, legs: [{ amo }] }), ({ legs }) => legs, 'Leg 1: '],
])('the flag of %s', (type, of, order, named) => {
  test.each([true, 'true', ' True', 1, '1'])('is set by %j', async (amo) => {
    const { ports } = await run(type, of(amo))
    expect(ports.sent.map(({ body }) => [order(body)].flat())).toEqual([
      [expect.objectContaining({ amo: true })],
    ])
  })

  test.each([false, 'false', ' False', 0, '0'])('is not set by %j', async (amo) => {
    const { ports } = await run(type, of(amo))
    expect(ports.sent.map(({ body }) => [order(body)].flat())).toEqual([
      [expect.not.objectContaining({ amo: true })],
    ])
  })

  test.each(['treu', 'after', 2])('sends nothing for %j', async (amo) => {
    const { failure, ports } = await run(type, of(amo))
    expect(failure).toBe(`${named}amo '${amo}' is not true or false`)
    expect(ports.sent).toEqual([])
  })
})
