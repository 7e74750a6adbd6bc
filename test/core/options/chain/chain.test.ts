import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../../../src/core/errors/index.js'
import { type ChainRequest, optionChain, syntheticFuture } from '../../../../src/core/options/index.js'
import { openRig, type Rig } from '../support.js'

const NIFTY: ChainRequest = {
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiryDate: '25AUG26',
  withGreeks: false,
  interestRate: 0,
}
const chainOf = (request: Partial<ChainRequest> = {}, rig: Rig = openRig()) =>
  optionChain(rig.sources, { ...NIFTY, ...request })

describe('a chain', () => {
  it('names its underlying, its expiry and the at-the-money strike', async () => {
    const { chain, ...head } = await chainOf()
    expect(head).toEqual({
      status: 'success',
      underlying: 'NIFTY',
      underlying_symbol: 'NIFTY',
      underlying_exchange: 'NSE_INDEX',
      underlying_ltp: 24560.15,
      underlying_prev_close: 24559.15,
      expiry_date: '25AUG26',
      expiry_ts: 1787652000,
      server_ts: 1786356402,
      atm_strike: 24550,
      quotes_included: true,
      greeks_included: false,
      forward_price: null,
    })
    expect(chain.map(({ strike }) => strike)).toEqual([24450, 24500, 24550, 24600, 24650, 24700])
  })

  it('labels both sides by their position in the whole ladder', async () => {
    const { chain } = await chainOf({ strikeCount: 1 })
    expect(chain.map(({ strike, ce, pe }) => [strike, ce?.label, pe?.label])).toEqual([
      [24500, 'ITM1', 'OTM1'],
      [24550, 'ATM', 'ATM'],
      [24600, 'OTM1', 'ITM1'],
    ])
    const all = await chainOf()
    expect([all.chain[0]?.ce?.label, all.chain[5]?.ce?.label]).toEqual(['ITM2', 'OTM3'])
  })

  it('has each quote, zeros for a leg without a quote, and null for a leg that is not listed', async () => {
    const { chain } = await chainOf()
    expect(chain[0]?.ce).toEqual({
      symbol: 'NIFTY25AUG2624450CE',
      label: 'ITM2',
      ltp: 373.3,
      bid: 372.8,
      ask: 373.8,
      bid_qty: 1500,
      ask_qty: 2250,
      open: 373.3,
      high: 378.3,
      low: 368.3,
      prev_close: 372.3,
      volume: 1000,
      oi: 4000,
      lotsize: 65,
      tick_size: 0.05,
    })
    expect(chain[3]?.ce).toMatchObject({ symbol: 'NIFTY25AUG2624600CE', ltp: 0, bid: 0, volume: 0 })
    expect(chain[5]?.pe).toBeNull()
  })

  it('requests all its quotes at once', async () => {
    const rig = openRig()
    await chainOf({ withGreeks: true }, rig)
    expect(rig.asked.map((batch) => batch.length)).toEqual([1, 11])
  })

  it('computes Greeks with the forward of the at-the-money pair', async () => {
    const { chain, forward_price } = await chainOf({ withGreeks: true })
    expect(forward_price).toBe(24580)
    expect(chain[4]?.pe).toMatchObject({
      implied_volatility: 14.71,
      delta: -0.5321,
      gamma: 0.000543,
      theta: -9.717,
      vega: 19.8115,
    })
    expect(chain[4]?.pe).not.toHaveProperty('rho')
    expect(chain[3]?.ce).not.toHaveProperty('delta')
  })

  it('uses the price of the underlying if the at-the-money pair is not traded', async () => {
    const rig = openRig({ ltp: { 'NFO:NIFTY25AUG2624550PE': 0 } })
    expect((await chainOf({ withGreeks: true }, rig)).forward_price).toBe(24560.15)
  })

  it('has no Greeks after expiry', async () => {
    const { chain, greeks_included } = await chainOf({ withGreeks: true, expiryDate: '04AUG26' })
    expect(greeks_included).toBe(true)
    expect(chain[0]?.ce).not.toHaveProperty('delta')
  })

  it.each<[string, Partial<ChainRequest>, object]>([
    [
      'a commodity',
      { underlying: 'CRUDEOIL', exchange: 'MCX', expiryDate: '17AUG26' },
      {
        underlying: 'CRUDEOIL',
        underlying_symbol: 'CRUDEOIL19AUG26FUT',
        underlying_exchange: 'MCX',
        underlying_ltp: 5990,
      },
    ],
    [
      'a coin',
      { underlying: 'BTC', exchange: 'CRYPTO', expiryDate: '28AUG26' },
      { underlying: 'BTC', underlying_symbol: 'BTCUSDFUT', underlying_exchange: 'CRYPTO' },
    ],
    [
      'an index named with its options exchange',
      { exchange: 'NFO' },
      { underlying_symbol: 'NIFTY', underlying_exchange: 'NSE_INDEX' },
    ],
    [
      'a contract that names another expiry',
      { underlying: 'NIFTY04AUG26FUT' },
      { underlying: 'NIFTY', expiry_date: '25AUG26' },
    ],
  ])('of %s', async (_what, request, expected) => {
    expect(await chainOf(request)).toMatchObject(expected)
  })

  it('of a commodity ends in the evening', async () => {
    const { expiry_ts } = await chainOf({ underlying: 'CRUDEOIL', exchange: 'MCX', expiryDate: '17AUG26' })
    expect(expiry_ts).toBe(Date.parse('2026-08-17T23:30:00+05:30') / 1000)
  })

  it.each<[string, Partial<ChainRequest>, ErrorCode, string]>([
    ['without an expiry', { expiryDate: ' ' }, 'validation', 'Expiry date is required.'],
    [
      'for an expiry that is not listed',
      { expiryDate: '28OCT26' },
      'not_found',
      'No strikes found for NIFTY expiring 28OCT26. Please check expiry date or update master contract.',
    ],
    [
      'for a commodity without a future',
      { underlying: 'GOLD', exchange: 'MCX', expiryDate: '17AUG26' },
      'not_found',
      'No unexpired futures found for GOLD on MCX. Please update the master contract.',
    ],
    [
      'for an index requested as a share',
      { exchange: 'NSE' },
      'not_found',
      "Failed to fetch LTP for NIFTY: Symbol 'NIFTY' not found for exchange 'NSE'. Please verify the symbol name and ensure master contracts are downloaded.",
    ],
  ])('is refused %s', async (_what, request, code, message) => {
    await expect(chainOf(request)).rejects.toMatchObject({ code, message })
  })

  it('is refused if the underlying has no price or the broker fails', async () => {
    const priceless = openRig({ ltp: { 'NSE_INDEX:NIFTY': 0 } })
    const message = 'Failed to determine ATM strike'
    await expect(chainOf({}, priceless)).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'no_price',
      message,
    })
    const away = openRig({ down: 'away' })
    const cause = 'Failed to fetch LTP for NIFTY: away'
    await expect(chainOf({}, away)).rejects.toMatchObject({ code: 'unavailable', message: cause })
  })
})

describe('a synthetic future', () => {
  const NO_PRICE = { code: 'unavailable', reason: 'no_price' }
  const future = (request = {}, rig = openRig()) => syntheticFuture(rig.sources, { ...NIFTY, ...request })

  it('costs the at-the-money strike plus the call minus the put', async () => {
    expect(await future()).toEqual({
      underlying: 'NIFTY',
      underlying_ltp: 24560.15,
      expiry: '25AUG26',
      atm_strike: 24550,
      synthetic_future_price: 24580,
    })
  })

  it('of a commodity uses the nearest future', async () => {
    const rig = openRig({ ltp: { 'MCX:CRUDEOIL17AUG266000PE': 155.5 } })
    const request = { underlying: 'CRUDEOIL', exchange: 'MCX', expiryDate: '17AUG26' }
    expect(await future(request, rig)).toMatchObject({ atm_strike: 6000, synthetic_future_price: 5994.5 })
  })

  it.each([
    [
      'the call has no price',
      { 'NFO:NIFTY25AUG2624550CE': 0 },
      NO_PRICE,
      'Could not fetch LTP for Call option: NIFTY25AUG2624550CE',
    ],
    [
      'the put has no price',
      { 'NFO:NIFTY25AUG2624550PE': 0 },
      NO_PRICE,
      'Could not fetch LTP for Put option: NIFTY25AUG2624550PE',
    ],
    [
      'the put is not listed',
      { 'NSE_INDEX:NIFTY': 24700 },
      { code: 'not_found' },
      'Option symbol NIFTY25AUG2624700PE not found in NFO. Symbol may not exist or master contract needs update.',
    ],
  ])('is refused when %s', async (_what, ltp, facts, message) => {
    await expect(future({}, openRig({ ltp }))).rejects.toMatchObject({ ...facts, message })
  })
})
