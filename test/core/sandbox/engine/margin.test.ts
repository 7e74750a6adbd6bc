import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { orderOf, Rig } from '../harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

const FUTURE = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO', product: 'NRML' } as const
const OPTION = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO', product: 'NRML' } as const

const CASES: { name: string; order: Partial<OrderRequest>; price: number; required: number }[] = [
  { name: 'M1 BUY 200 MIS equity', order: { quantity: 200 }, price: 450.5, required: 18_020 },
  { name: 'M2 BUY 30 CNC equity', order: { quantity: 30, product: 'CNC' }, price: 1_620, required: 48_600 },
  {
    name: 'M3 BUY 75 of an index future',
    order: { ...FUTURE, quantity: 75 },
    price: 24_500,
    required: 183_750,
  },
  { name: 'M4 BUY 150 of an option', order: { ...OPTION, quantity: 150 }, price: 86.4, required: 12_960 },
  {
    name: 'M5 SELL 75 of an option',
    order: { ...OPTION, action: 'SELL', quantity: 75 },
    price: 86.4,
    required: 6_480,
  },
  {
    name: 'M9 BUY SL-M on its trigger',
    order: { quantity: 50, priceType: 'SL-M', triggerPrice: 330 },
    price: 300,
    required: 3_300,
  },
  { name: 'a short on MIS equity', order: { action: 'SELL', quantity: 200 }, price: 450.5, required: 18_020 },
  {
    name: 'a limit on its limit',
    order: { quantity: 10, priceType: 'LIMIT', price: 90 },
    price: 100,
    required: 180,
  },
  {
    name: 'an SL on its trigger',
    order: { quantity: 10, priceType: 'SL', triggerPrice: 120, price: 130 },
    price: 100,
    required: 240,
  },
  {
    name: 'a currency future with four decimals',
    order: { symbol: 'USDINR30MAR26FUT', exchange: 'CDS', product: 'NRML', quantity: 1 },
    price: 83.7425,
    required: 8.37,
  },
]

describe('required margin', () => {
  it.each(CASES)('$name takes $required', async ({ order, price, required }) => {
    rig.price(price, { symbol: order.symbol ?? 'SBIN', exchange: order.exchange ?? 'NSE' })
    const preview = await rig.sandbox.preview('asha', orderOf(order))
    expect(preview).toMatchObject({ ok: true })
    await rig.accepted(order)
    const funds = await rig.funds()
    expect(funds.utiliseddebits).toBeCloseTo(required, 6)
    expect(funds.availablecash + funds.utiliseddebits).toBeCloseTo(10_000_000, 6)
  })

  it.each<{ name: string; order: Partial<OrderRequest>; required: number }>([
    { name: 'SELL LIMIT', order: { action: 'SELL', priceType: 'LIMIT', price: 1 }, required: 6_000 },
    { name: 'BUY LIMIT far above it', order: { priceType: 'LIMIT', price: 400 }, required: 8_000 },
  ])('a $name that trades at the market at once holds no less than the market asks', async (one) => {
    rig.price(300)
    const order = { quantity: 100, ...one.order }
    expect(await rig.sandbox.preview('asha', orderOf(order))).toMatchObject({
      margin: one.required,
      fillPrice: 300,
    })
    await rig.accepted(order)
    expect((await rig.funds()).utiliseddebits).toBe(one.required)
  })

  it('a stop is not moved to where it would trigger at once', async () => {
    rig.price(300)
    const id = await rig.accepted({ quantity: 100, priceType: 'SL-M', triggerPrice: 320 })
    expect((await rig.funds()).utiliseddebits).toBe(6_400)
    expect(await rig.sandbox.modify('asha', id, { quantity: 100, price: 0, triggerPrice: 1 })).toMatchObject({
      ok: false,
      message: 'Trigger price for stoploss buy orders should be higher than the last traded price (300)',
    })
    expect((await rig.funds()).utiliseddebits).toBe(6_400)
  })

  it('M6 selling delivered shares blocks no margin', async () => {
    await rig.trade('BUY', 30, 100, { product: 'CNC' })
    rig.price(110)
    const preview = await rig.sandbox.preview(
      'asha',
      orderOf({ action: 'SELL', quantity: 30, product: 'CNC' }),
    )
    expect(preview).toMatchObject({ ok: true, margin: 0 })
  })

  it('M7 a reversal blocks the whole margin of the units beyond the position', async () => {
    await rig.trade('BUY', 40, 200)
    rig.price(210)
    const order = orderOf({ action: 'SELL', quantity: 100 })
    expect(await rig.sandbox.preview('asha', order)).toMatchObject({
      margin: 2_520,
      fillPrice: 210,
      status: 'complete',
    })
    await rig.accepted(order)
    expect(await rig.positionMargin()).toBe(2_520)
  })

  it('M8 a reducing order blocks no margin', async () => {
    await rig.trade('BUY', 40, 200)
    expect(await rig.sandbox.preview('asha', orderOf({ action: 'SELL', quantity: 25 }))).toMatchObject({
      margin: 0,
    })
  })

  it('M10 an order the account cannot pay is refused with the figures', async () => {
    await rig.sandbox.changeSetting('starting_capital', '100000')
    // 100,000 less 82,000 leaves 18,000.
    await rig.trade('BUY', 820, 100, { product: 'CNC', symbol: 'INFY' })
    rig.price(450.5)
    expect(await rig.place({ quantity: 200 })).toEqual({
      ok: false,
      code: 'refused',
      message: 'Insufficient funds. Required: ₹18020.00, Available: ₹18000.00, Shortage: ₹20.00',
    })
  })

  it('uses the configured leverage', async () => {
    await rig.sandbox.changeSetting('equity_mis_leverage', '2.5')
    rig.price(100)
    await rig.accepted({ quantity: 10 })
    expect((await rig.funds()).utiliseddebits).toBe(400)
  })

  it('counts the margin of waiting orders', async () => {
    rig.price(100)
    await rig.accepted({ quantity: 10, priceType: 'LIMIT', price: 90 })
    await rig.accepted({ quantity: 10 })
    expect((await rig.funds()).utiliseddebits).toBe(180 + 200)
  })
})
