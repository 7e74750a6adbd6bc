import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toMoney } from '../../../src/core/money/index.js'
import type { OrderRequest } from '../../../src/core/orders/index.js'
import { firstRefusal, type RiskFacts } from '../../../src/core/risk/checks.js'
import { DEFAULT_RULES, type RiskRules } from '../../../src/core/risk/index.js'

const ORDER: OrderRequest = {
  strategy: 's',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  product: 'MIS',
  priceType: 'MARKET',
  price: 0,
  triggerPrice: 0,
  disclosedQuantity: 0,
}
const FACTS: RiskFacts = {
  lastPrice: 800,
  priceAgeMs: undefined,
  ordersToday: 0,
  dayPnl: 0n,
  killSwitch: { on: false, reason: '', since: 0, by: '' },
}

interface Case {
  name: string
  order?: Partial<OrderRequest>
  rules?: Partial<RiskRules>
  facts?: Partial<RiskFacts>
  refusal: [rule: string, message: string] | undefined
}

const limit = (price: number): Partial<OrderRequest> => ({ priceType: 'LIMIT', price })

const CASES: Case[] = [
  { name: 'an ordinary order passes', refusal: undefined },
  {
    name: 'the kill switch refuses everything, with its reason',
    facts: { killSwitch: { on: true, reason: 'runaway bot', since: 1, by: 'asha' } },
    refusal: ['kill_switch', 'The kill switch is on: runaway bot'],
  },
  {
    name: 'a typing mistake in the quantity meets the ceiling that is on from the start',
    order: { quantity: 5_000_001, ...limit(1) },
    refusal: ['max_order_quantity', 'Quantity 5000001 exceeds the limit of 5000000 per order'],
  },
  {
    name: 'so does one in the value',
    order: { quantity: 1_000_000, ...limit(200.05) },
    refusal: ['max_order_value', 'Order value ₹20,00,50,000.00 exceeds the limit of ₹20,00,00,000.00'],
  },
  {
    name: 'a value exactly at the limit passes',
    order: { quantity: 1_000_000, ...limit(200) },
    refusal: undefined,
  },
  {
    name: 'a stop that has been passed already is valued at the market it would trade at',
    order: { priceType: 'SL-M', triggerPrice: 1, quantity: 10 },
    rules: { max_order_value: 7_999 },
    refusal: ['max_order_value', 'Order value ₹8,000.00 exceeds the limit of ₹7,999.00'],
  },
  {
    name: 'so is a sale below the market',
    order: { ...limit(1), action: 'SELL', quantity: 10 },
    rules: { max_order_value: 7_999 },
    refusal: ['max_order_value', 'Order value ₹8,000.00 exceeds the limit of ₹7,999.00'],
  },
  {
    name: 'a purchase never pays more than its limit',
    order: { ...limit(700), quantity: 10 },
    rules: { max_order_value: 7_999 },
    refusal: undefined,
  },
  {
    name: 'a market order is valued at the last price',
    rules: { max_order_value: 7999.99 },
    refusal: ['max_order_value', 'Order value ₹8,000.00 exceeds the limit of ₹7,999.99'],
  },
  {
    name: 'a stop order is valued at its trigger',
    order: { priceType: 'SL-M', triggerPrice: 900 },
    rules: { max_order_value: 8500 },
    refusal: ['max_order_value', 'Order value ₹9,000.00 exceeds the limit of ₹8,500.00'],
  },
  {
    name: 'without a price the default ceiling lets a market order pass',
    facts: { lastPrice: undefined },
    refusal: undefined,
  },
  {
    name: 'without a price a limit the user set does not',
    rules: { max_order_value: 10_000 },
    facts: { lastPrice: undefined },
    refusal: ['max_order_value', 'No last price for SBIN to value the order with'],
  },
  {
    name: 'an exchange that is not allowed',
    rules: { allowed_exchanges: ['NFO', 'BFO'] },
    refusal: ['allowed_exchanges', 'Exchange NSE is not allowed; allowed: NFO, BFO'],
  },
  {
    name: 'a product that is not allowed',
    rules: { allowed_products: ['CNC'] },
    refusal: ['allowed_products', 'Product MIS is not allowed; allowed: CNC'],
  },
  {
    name: 'a limit price inside the band',
    order: limit(840),
    rules: { price_band_percent: 5 },
    refusal: undefined,
  },
  {
    name: 'a limit price outside the band',
    order: limit(840.05),
    rules: { price_band_percent: 5 },
    refusal: ['price_band_percent', 'Price 840.05 is 5.01% from the last price 800; the limit is 5%'],
  },
  {
    name: 'the trigger of a stop-limit order counts too',
    order: { priceType: 'SL', price: 800, triggerPrice: 700 },
    rules: { price_band_percent: 5 },
    refusal: ['price_band_percent', 'Price 700 is 12.50% from the last price 800; the limit is 5%'],
  },
  {
    name: 'a band without a last price cannot be kept, so it refuses',
    order: limit(840),
    rules: { price_band_percent: 5 },
    facts: { lastPrice: undefined },
    refusal: ['price_band_percent', "No last price for SBIN to compare the order's price with"],
  },
  {
    name: 'a market order at a price as old as the limit',
    rules: { max_price_age_seconds: 5 },
    facts: { priceAgeMs: 5000 },
    refusal: undefined,
  },
  {
    name: 'a market order at an older price',
    rules: { max_price_age_seconds: 5 },
    facts: { priceAgeMs: 5100 },
    refusal: ['max_price_age_seconds', 'The last price of SBIN is 5.1 seconds old; the limit is 5 seconds'],
  },
  {
    name: 'a stop that goes to the market',
    order: { priceType: 'SL-M', triggerPrice: 790 },
    rules: { max_price_age_seconds: 5 },
    facts: { priceAgeMs: 60_000 },
    refusal: ['max_price_age_seconds', 'The last price of SBIN is 60.0 seconds old; the limit is 5 seconds'],
  },
  {
    name: 'a limit order names its own price, however old the last one',
    order: limit(790),
    rules: { max_price_age_seconds: 5 },
    facts: { priceAgeMs: 60_000 },
    refusal: undefined,
  },
  {
    name: 'a limit order held against an old price',
    order: limit(790),
    rules: { max_price_age_seconds: 5, price_band_percent: 5 },
    facts: { priceAgeMs: 60_000 },
    refusal: ['max_price_age_seconds', 'The last price of SBIN is 60.0 seconds old; the limit is 5 seconds'],
  },
  {
    name: 'a market order without any price',
    rules: { max_price_age_seconds: 5 },
    facts: { lastPrice: undefined },
    refusal: ['max_price_age_seconds', 'No current price for SBIN'],
  },
  {
    name: 'the last order of the day',
    rules: { max_orders_per_day: 3 },
    facts: { ordersToday: 2 },
    refusal: undefined,
  },
  {
    name: 'one more than the day allows',
    rules: { max_orders_per_day: 3 },
    facts: { ordersToday: 3 },
    refusal: ['max_orders_per_day', '3 orders were placed today; the limit is 3'],
  },
  {
    name: "the day's loss at its limit",
    rules: { max_day_loss: 500 },
    facts: { dayPnl: toMoney(-500) },
    refusal: ['max_day_loss', "The day's loss of ₹500.00 has reached the limit of ₹500.00"],
  },
  {
    name: 'a smaller loss',
    rules: { max_day_loss: 500 },
    facts: { dayPnl: toMoney(-499.99) },
    refusal: undefined,
  },
  {
    name: 'a loss that is not known, with a limit set',
    rules: { max_day_loss: 500 },
    facts: { dayPnl: undefined },
    refusal: ['max_day_loss', "The day's P&L is unknown, so the loss limit cannot be checked"],
  },
]

describe('the pre-trade gate', () => {
  test.each(CASES)('$name', ({ order, rules, facts, refusal }) => {
    const verdict = firstRefusal(
      { ...ORDER, ...order },
      { ...DEFAULT_RULES, ...rules },
      { ...FACTS, ...facts },
    )
    expect(verdict && [verdict.rule, verdict.message]).toEqual(refusal)
  })

  test('a price on the edge of the band is within it, one tick further is not, despite floating-point rounding', () => {
    // Whole rupees, so that each whole percent of them is a price in whole paise.
    const lasts = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(lasts, fc.integer({ min: 1, max: 20 }), fc.constantFrom(-1, 1), (last, band, side) => {
        const at = (paise: number) =>
          firstRefusal(
            { ...ORDER, quantity: 1, priceType: 'LIMIT', price: paise / 100 },
            { ...DEFAULT_RULES, price_band_percent: band },
            { ...FACTS, lastPrice: last },
          )?.rule
        const edge = last * (100 + side * band)
        expect([at(edge), at(edge + side)]).toEqual([undefined, 'price_band_percent'])
      }),
      { numRuns: 1000 },
    )
  })
})
