import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../../src/core/errors/index.js'
import { basketOrderPayload } from '../../../../src/core/orders/index.js'
import { requestHash } from '../../../../src/core/orders/journal/idempotency.js'
import { optionsMultiOrderPayload, orderOf } from '../../../../src/core/orders/multi/schema.js'
import {
  instructionsIn,
  instructionText,
  lackOf,
  ORDER_INSTRUCTIONS,
  type OrderInstructions,
  placeOrderPayload,
  toOrderRequest,
} from '../../../../src/core/orders/schema.js'
import { parseWith } from '../../../../src/core/validation/index.js'

const PLAIN = { strategy: 's', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }
const LIMIT = { pricetype: 'LIMIT', price: 800 }

function errorsOf(body: object, schema: Parameters<typeof parseWith>[0] = placeOrderPayload) {
  try {
    parseWith(schema, body)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'validation') return error.errors ?? {}
    throw error
  }
  return {}
}

describe('instructions that contradict', () => {
  test.each<[string, object, string, string]>([
    ['TTL without minutes', { validity: 'TTL' }, 'validity_ttl', 'Required with validity TTL.'],
    ['minutes without TTL', { validity_ttl: 5 }, 'validity_ttl', 'Only with validity TTL.'],
    ['minutes of an IOC', { validity: 'IOC', validity_ttl: 5 }, 'validity_ttl', 'Only with validity TTL.'],
    [
      'an AMO that is IOC',
      { validity: 'IOC', amo: true },
      'amo',
      'Not with validity IOC or TTL: the order waits for the opening.',
    ],
    [
      'an iceberg that is IOC',
      { validity: 'IOC', iceberg_legs: 4 },
      'iceberg_legs',
      'Not with validity IOC.',
    ],
    ['an iceberg that is an AMO', { amo: true, iceberg_legs: 4 }, 'iceberg_legs', 'Not with amo.'],
    [
      'protection of a limit order',
      { ...LIMIT, market_protection: 2 },
      'market_protection',
      'Only with pricetype MARKET or SL-M.',
    ],
  ])('%s is refused with the field and the rule', (_name, terms, field, rule) => {
    expect(errorsOf({ ...PLAIN, ...terms })).toEqual({ [field]: [rule] })
  })

  test('in a row of a request, the row is named', () => {
    const { strategy, ...row } = PLAIN
    expect(errorsOf({ strategy, orders: [row, { ...row, validity: 'TTL' }] }, basketOrderPayload)).toEqual({
      'orders.1.validity_ttl': ['Required with validity TTL.'],
    })
    const leg = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, amo: true, iceberg_legs: 2 }
    const options = { strategy, underlying: 'NIFTY', exchange: 'NSE_INDEX', legs: [leg] }
    expect(errorsOf(options, optionsMultiOrderPayload)).toEqual({ 'legs.0.iceberg_legs': ['Not with amo.'] })
  })
})

test.each<[string, unknown, string]>([
  ['validity', 'GTC', 'Must be one of: DAY, IOC, TTL.'],
  ['validity_ttl', 0, 'Must be between 1 and 1440.'],
  ['validity_ttl', 1441, 'Must be between 1 and 1440.'],
  ['validity_ttl', 1.5, 'Not a valid integer.'],
  ['amo', 'maybe', 'Not a valid boolean.'],
  ['iceberg_legs', 1, 'Must be between 2 and 10.'],
  ['iceberg_legs', 11, 'Must be between 2 and 10.'],
  ['market_protection', 0, 'Must be -1, or above 0 and at most 100.'],
  ['market_protection', -2, 'Must be -1, or above 0 and at most 100.'],
  ['market_protection', 100.5, 'Must be -1, or above 0 and at most 100.'],
  ['algo_id', '', 'Must be 1 to 50 letters and digits.'],
  ['algo_id', 'A-1', 'Must be 1 to 50 letters and digits.'],
  ['algo_id', 'a'.repeat(51), 'Must be 1 to 50 letters and digits.'],
])('%s may not be %j', (field, value, message) => {
  const withTtl = field === 'validity_ttl' ? { validity: 'TTL' } : {}
  expect(errorsOf({ ...PLAIN, ...withTtl, [field]: value })).toEqual({ [field]: [message] })
})

describe('a request without instructions', () => {
  const payload = parseWith(placeOrderPayload, PLAIN)

  test('keeps the payload, the order and the hash that it had before there were any', () => {
    expect(JSON.stringify(payload)).toBe(
      '{"strategy":"s","exchange":"NSE","symbol":"SBIN","action":"BUY","quantity":10,"pricetype":"MARKET","product":"MIS","price":0,"trigger_price":0,"disclosed_quantity":0,"underlying_ltp":null}',
    )
    expect(Object.keys(toOrderRequest(payload))).not.toContain('instructions')
    expect(requestHash('placeorder', payload)).toBe(
      'eaed299b458c08680974328d4fdc7630056881314b678d9b9c6128316acc03df',
    )
  })

  test('is the same as one that asks for the day and for no AMO', () => {
    const said = parseWith(placeOrderPayload, { ...PLAIN, validity: 'DAY', amo: false })
    expect(toOrderRequest(said)).toEqual(toOrderRequest(payload))
    expect(requestHash('placeorder', said)).toBe(requestHash('placeorder', payload))
    const ioc = parseWith(placeOrderPayload, { ...PLAIN, validity: 'IOC' })
    expect(requestHash('placeorder', ioc)).not.toBe(requestHash('placeorder', payload))
  })

  test('is the same within a batch, too', () => {
    const batch = (leg: object) => requestHash('basketorder', { orders: [leg] })
    expect(batch({ symbol: 'SBIN', validity: 'DAY', amo: false })).toBe(batch({ symbol: 'SBIN' }))
    expect(batch({ symbol: '"validity":"DAY"' })).not.toBe(batch({ symbol: '' }))
  })
})

/** Every combination that does not contradict, as a request says it and as a plugin gets it. */
const allowed = fc
  .record(
    {
      validity: fc.constantFrom('IOC' as const, 'TTL' as const),
      validityTtl: fc.integer({ min: 1, max: 1440 }),
      amo: fc.constant(true as const),
      icebergLegs: fc.integer({ min: 2, max: 10 }),
      marketProtection: fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: 100 })),
      algoId: fc.stringMatching(/^[A-Za-z0-9]{1,50}$/),
    },
    { requiredKeys: [] },
  )
  .filter(
    ({ amo, icebergLegs, validity, validityTtl }) =>
      (validity === 'TTL') === (validityTtl !== undefined) &&
      !(amo && validity) &&
      !(icebergLegs !== undefined && (amo || validity === 'IOC')),
  )

const publicOf = (asked: OrderInstructions) => ({
  validity: asked.validity,
  validity_ttl: asked.validityTtl,
  amo: asked.amo,
  iceberg_legs: asked.icebergLegs,
  market_protection: asked.marketProtection,
  algo_id: asked.algoId,
})

test('what goes in arrives at the plugin, of a single order and of one in a larger request', () => {
  fc.assert(
    fc.property(allowed, (asked) => {
      const payload = parseWith(placeOrderPayload, { ...PLAIN, ...publicOf(asked) })
      const wanted = Object.keys(asked).length > 0 ? asked : undefined
      expect(toOrderRequest(payload).instructions).toEqual(wanted)
      expect(toOrderRequest(orderOf(payload, 's')).instructions).toEqual(wanted)
      // Stored in the journal, and read again at the approval.
      expect(parseWith(placeOrderPayload, JSON.parse(JSON.stringify(payload)))).toEqual(payload)
    }),
  )
})

test('a broker that lacks an instruction is named, and nothing of the request is dropped', () => {
  fc.assert(
    fc.property(allowed, fc.subarray([...ORDER_INSTRUCTIONS]), (asked, instructions) => {
      const can = lackOf({ displayName: 'Zerodha', instructions }, asked)
      const all = lackOf({ displayName: 'Zerodha', instructions: ORDER_INSTRUCTIONS }, asked)
      const none = lackOf({ displayName: 'Zerodha', instructions: [] }, asked)
      expect(all).toBeUndefined()
      expect(none === undefined).toBe(Object.keys(asked).length === 0)
      if (can !== undefined) expect(can).toMatch(/^Zerodha does not take /)
    }),
  )
  expect(lackOf({ displayName: 'Zerodha', instructions: ['amo'] }, { validity: 'IOC', algoId: 'A1' })).toBe(
    'Zerodha does not take validity IOC, algo_id.',
  )
})

test('people read the instructions of a stored request under their names', () => {
  const asked = instructionsIn({ ...PLAIN, validity: 'TTL', validity_ttl: 5, amo: false })
  expect(asked).toEqual({ validity: 'TTL', validity_ttl: 5 })
  expect(instructionText({ ...asked, amo: true })).toBe('validity TTL, validity_ttl 5, amo')
  expect(instructionsIn({ ...PLAIN, validity: 'DAY' })).toBeUndefined()
})
