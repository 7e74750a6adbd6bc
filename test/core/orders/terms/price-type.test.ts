import { describe, expect, it } from 'vitest'
import { placeOrderPayload, toOrderRequest } from '../../../../src/core/orders/schema.js'
import {
  contradiction,
  emptyPrices,
  ignoredTexts,
  impliedType,
  mayShowAs,
  missingPrices,
} from '../../../../src/core/orders/terms/price-type.js'
import { PRICE_TYPES } from '../../../../src/core/orders/vocabulary.js'

const NAMES = { type: '--type', price: '--price', trigger: '--trigger' }

describe('the price type of an order that names none', () => {
  it.each([
    [undefined, undefined, 'MARKET'],
    [900, undefined, 'LIMIT'],
    [undefined, 890, 'SL-M'],
    [900, 890, 'SL'],
    ['900', '', 'LIMIT'],
    [0, '0', 'MARKET'],
    [' 0.00 ', null, 'MARKET'],
    ['{{webhook.price}}', undefined, 'LIMIT'],
  ])('with the price %s and the trigger %s is %s', (price, trigger, type) => {
    expect(impliedType({ price, trigger })).toBe(type)
  })
})

describe('a price that somebody wrote', () => {
  it.each([
    [undefined, null, []],
    [900, '890', []],
    ['{{webhook.price}}', undefined, []],
    [0, undefined, ['price']],
    ['', ' 0.00 ', ['price', 'trigger']],
    [900, '0', ['trigger']],
  ])('with the price %s and the trigger %s: %j are none', (price, trigger, empty) => {
    expect(emptyPrices({ price, trigger })).toEqual(empty)
  })
})

describe('a price type beside prices', () => {
  const price = [undefined, 900]
  const trigger = [undefined, 890]
  const all = PRICE_TYPES.flatMap((type) =>
    price.flatMap((one) => trigger.map((other) => ({ type, price: one, trigger: other }))),
  )

  it('is valid exactly with the prices that imply it', () => {
    const valid = all.filter(
      ({ type, ...prices }) =>
        contradiction(type, prices, NAMES) === undefined && missingPrices(type, prices).length === 0,
    )
    expect(valid).toEqual(all.filter(({ type, ...prices }) => impliedType(prices) === type))
  })

  it.each([
    ['MARKET', 900, 0, '--price 900 contradicts --type MARKET: a MARKET order has no limit price.', 'LIMIT'],
    [
      'MARKET',
      0,
      890,
      '--trigger 890 contradicts --type MARKET: a MARKET order has no trigger price.',
      'SL-M',
    ],
    ['LIMIT', 900, 890, '--trigger 890 contradicts --type LIMIT: a LIMIT order has no trigger price.', 'SL'],
    ['SL-M', 900, 890, '--price 900 contradicts --type SL-M: an SL-M order has no limit price.', 'SL'],
  ] as const)('%s with %d and %d names both, and the way out', (type, one, other, message, better) => {
    const clash = contradiction(type, { price: one, trigger: other }, NAMES)
    expect(clash).toMatchObject({
      message,
      remedy: expect.stringContaining(`Use --type ${better}, or leave`),
    })
  })
})

describe('the public API', () => {
  const body = { strategy: 's', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }

  it('takes an order without a price type for MARKET, and drops its prices', () => {
    const payload = placeOrderPayload.parse({ ...body, price: 900, trigger_price: 890 })
    expect(toOrderRequest(payload)).toMatchObject({ priceType: 'MARKET', price: 0, triggerPrice: 0 })
    expect(ignoredTexts('MARKET', { price: 900, trigger: 890 })).toEqual([
      'price 900 is ignored: a MARKET order has no limit price.',
      'trigger_price 890 is ignored: a MARKET order has no trigger price.',
    ])
  })
})

describe('an order of one price type', () => {
  it.each([
    ['MARKET', ['MARKET', 'LIMIT']],
    ['LIMIT', ['LIMIT']],
    ['SL', ['SL']],
    ['SL-M', ['SL', 'SL-M']],
  ] as const)('%s may be shown as %j, because brokers protect it with a limit', (sent, shown) => {
    expect(PRICE_TYPES.filter((type) => mayShowAs(sent, type))).toEqual(shown)
  })
})
