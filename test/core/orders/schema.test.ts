import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../src/core/errors/index.js'
import { EXCHANGES } from '../../../src/core/instruments/schema.js'
import { placeOrderPayload, toOrderRequest } from '../../../src/core/orders/index.js'
import type { instructionFields } from '../../../src/core/orders/schema.js'
import { parseWith } from '../../../src/core/validation/index.js'

const VALID = { strategy: 's', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }

function errorsOf(input: unknown): Record<string, string[]> {
  try {
    parseWith(placeOrderPayload, input)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'validation') return error.errors ?? {}
    throw error
  }
  return {}
}

const errorOf = (field: string, value: unknown, rest: object = {}) =>
  errorsOf({ ...VALID, [field]: value, ...rest })[field]

const MISSING = 'Missing data for required field.'
const NULL = 'Field may not be null.'
const NO_TEXT = 'Not a valid string.'
const NO_NUMBER = 'Not a valid number.'
const EXCHANGE_TEXT = `Must be one of: ${EXCHANGES.join(', ')}.`

/** Values that are invalid for every field of the kind. */
const WRONG_TYPES = {
  text: [5, 0, true, false, ['SBIN'], {}],
  number: [true, false, [10], {}, 'ten', ''],
}

interface Field {
  kind: keyof typeof WRONG_TYPES
  /** The error for a value of another type. */
  wrong: string
  /** The default value; a field without one is required. */
  fallback?: unknown
  nullable?: true
}

/** The fields of every order. Those that instruct the broker have a test of their own. */
const FIELDS: Readonly<
  Record<Exclude<keyof typeof placeOrderPayload.shape, keyof typeof instructionFields>, Field>
> = {
  strategy: { kind: 'text', wrong: NO_TEXT },
  symbol: { kind: 'text', wrong: NO_TEXT },
  exchange: { kind: 'text', wrong: EXCHANGE_TEXT },
  action: { kind: 'text', wrong: 'Must be one of: BUY, SELL, buy, sell.' },
  quantity: { kind: 'number', wrong: NO_NUMBER },
  pricetype: { kind: 'text', wrong: 'Must be one of: MARKET, LIMIT, SL, SL-M.', fallback: 'MARKET' },
  product: { kind: 'text', wrong: 'Must be one of: MIS, NRML, CNC.', fallback: 'MIS' },
  price: { kind: 'number', wrong: NO_NUMBER, fallback: 0 },
  trigger_price: { kind: 'number', wrong: NO_NUMBER, fallback: 0 },
  disclosed_quantity: { kind: 'number', wrong: NO_NUMBER, fallback: 0 },
  underlying_ltp: { kind: 'number', wrong: NO_NUMBER, fallback: null, nullable: true },
}

describe.each(Object.entries(FIELDS))('the field %s', (field, { kind, wrong, fallback, nullable }) => {
  test(fallback === undefined ? 'must be there' : `is ${fallback} when it is left out`, () => {
    if (fallback === undefined) expect(errorOf(field, undefined)).toEqual([MISSING])
    else
      expect(parseWith(placeOrderPayload, { ...VALID, [field]: undefined })).toHaveProperty(field, fallback)
  })

  test(nullable ? 'may be null' : 'may not be null', () => {
    expect(errorOf(field, null)).toEqual(nullable ? undefined : [NULL])
  })

  test.each(WRONG_TYPES[kind].map((value) => [value] as const))('is not %j', (value) => {
    expect(errorOf(field, value)).toEqual([wrong])
  })
})

describe('the order request', () => {
  test('takes its defaults from the specification', () => {
    const payload = parseWith(placeOrderPayload, VALID)
    expect(payload).toEqual({
      strategy: 's',
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 10,
      pricetype: 'MARKET',
      product: 'MIS',
      price: 0,
      trigger_price: 0,
      disclosed_quantity: 0,
      underlying_ltp: null,
    })
  })

  test.each([
    ['quantity', '10', 10],
    ['quantity', ' 10 ', 10],
    ['quantity', '1e2', 100],
    ['quantity', 10.0, 10],
    ['price', '812.5', 812.5],
    ['price', '.05', 0.05],
    ['trigger_price', '0', 0],
    ['disclosed_quantity', '5', 5],
    ['underlying_ltp', '24500.5', 24500.5],
  ])('accepts %s %j as a number', (field, sent, parsed) => {
    expect(parseWith(placeOrderPayload, { ...VALID, [field]: sent })).toHaveProperty(field, parsed)
  })

  test('takes lower-case sides and keeps them as sent until the order is made', () => {
    const payload = parseWith(placeOrderPayload, { ...VALID, action: 'sell' })
    expect(payload.action).toBe('sell')
    expect(toOrderRequest(payload).action).toBe('SELL')
  })

  test('allows a fraction on CRYPTO only', () => {
    expect(errorOf('quantity', 0.25, { exchange: 'CRYPTO' })).toBeUndefined()
    expect(errorOf('quantity', 0.25)).toEqual([
      'Fractional quantity (0.25) is not allowed for non-crypto exchanges.',
    ])
  })

  test.each<[string, unknown, string]>([
    ['strategy', 'x'.repeat(256), 'Longer than maximum length 255.'],
    ['symbol', 'x'.repeat(101), 'Longer than maximum length 100.'],
    ['exchange', 'nse', EXCHANGE_TEXT],
    ['exchange', 'NYSE', EXCHANGE_TEXT],
    ['action', 'Buy', 'Must be one of: BUY, SELL, buy, sell.'],
    ['action', 'HOLD', 'Must be one of: BUY, SELL, buy, sell.'],
    ['quantity', 0, 'Must be greater than or equal to 1.'],
    ['quantity', -5, 'Must be greater than or equal to 1.'],
    ['quantity', '0', 'Must be greater than or equal to 1.'],
    ['quantity', 1.5, 'Fractional quantity (1.5) is not allowed for non-crypto exchanges.'],
    ['quantity', '0x10', NO_NUMBER],
    ['quantity', 'NaN', 'Special numeric values (nan or infinity) are not permitted.'],
    ['quantity', '-Infinity', 'Special numeric values (nan or infinity) are not permitted.'],
    ['quantity', '1e999', 'Number too large.'],
    ['quantity', 1e300, 'Number too large.'],
    ['pricetype', 'Limit', 'Must be one of: MARKET, LIMIT, SL, SL-M.'],
    ['product', 'BO', 'Must be one of: MIS, NRML, CNC.'],
    ['price', -1, 'Price must be a non-negative number.'],
    ['trigger_price', '-0.05', 'Trigger price must be a non-negative number.'],
    ['disclosed_quantity', -1, 'Disclosed quantity must be a non-negative integer.'],
    ['disclosed_quantity', 1.5, 'Not a valid integer.'],
  ])('%s = %j is refused: %s', (field, value, text) => {
    expect(errorOf(field, value)).toEqual([text])
  })

  test.each([
    ['price_type', 'Unknown field. Did you mean "pricetype"?'],
    ['priceType', 'Unknown field. Did you mean "pricetype"?'],
    ['qantity', 'Unknown field. Did you mean "quantity"?'],
    ['Symbol', 'Unknown field. Did you mean "symbol"?'],
    ['stoploss', 'Unknown field.'],
    ['constructor', 'Unknown field.'],
  ])('an unknown field %s is refused with the nearest known name', (field, text) => {
    expect(errorsOf({ ...VALID, [field]: 1 })).toEqual({ [field]: [text] })
  })

  test('a mistyped required field is named on both sides, the unknown one last', () => {
    const { quantity: _, ...rest } = VALID
    expect(Object.entries(errorsOf({ qty: 5, ...rest }))).toEqual([
      ['quantity', [MISSING]],
      ['qty', ['Unknown field.']],
    ])
  })

  test.each([[[]], [null], ['text'], [5], [true]])('a body that is no object (%j) is refused', (body) => {
    expect(errorsOf(body)).toEqual({ _schema: ['Invalid input type.'] })
  })

  test('keys of the prototype neither pass nor poison', () => {
    const hostile = JSON.parse('{"__proto__": {"admin": true}, "toString": "x"}')
    expect(Object.keys(errorsOf({ ...VALID, ...hostile }))).toContain('toString')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  test('whatever is sent, the answer is an order or field errors, never a fault', () => {
    const anyBody = fc.oneof(
      fc.anything(),
      fc.record(
        Object.fromEntries(
          Object.keys(VALID)
            .concat('price', 'pricetype')
            .map((field) => [field, fc.anything()]),
        ),
        { requiredKeys: [] },
      ),
      fc.record({
        ...Object.fromEntries(Object.entries(VALID).map(([field, value]) => [field, fc.constant(value)])),
        quantity: fc.oneof(fc.double(), fc.string(), fc.integer(), fc.bigInt()),
        price: fc.oneof(fc.double(), fc.string({ unit: 'binary' })),
      }),
    )
    fc.assert(
      fc.property(anyBody, (body) => {
        const errors = errorsOf(body)
        if (Object.keys(errors).length > 0) return
        const { quantity, price } = parseWith(placeOrderPayload, body)
        expect(quantity).toBeGreaterThanOrEqual(1)
        expect(Number.isSafeInteger(quantity)).toBe(true)
        expect(price).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 500 },
    )
  })
})
