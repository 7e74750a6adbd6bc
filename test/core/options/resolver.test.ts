import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../../src/core/errors/index.js'
import { storedExpiry } from '../../../src/core/instruments/index.js'
import { type OptionRequest, OptionResolver } from '../../../src/core/options/index.js'
import { openRig } from './support.js'

const NIFTY: OptionRequest = {
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiryDate: '25AUG26',
  offset: 'ATM',
  optionType: 'CE',
}

const resolve = (request: Partial<OptionRequest>, rig = openRig()) =>
  new OptionResolver(rig.sources).resolve({ ...NIFTY, ...request })

describe('an option is found', () => {
  it('with its lot, tick, freeze quantity and the underlying price', async () => {
    expect(await resolve({})).toEqual({
      symbol: 'NIFTY25AUG2624550CE',
      exchange: 'NFO',
      lotSize: 65,
      tickSize: 0.05,
      freezeQty: 1800,
      underlyingLtp: 24560.15,
    })
  })

  it.each<[string, Partial<OptionRequest>, string]>([
    ['a call in the money lies below', { offset: 'ITM2' }, 'NIFTY25AUG2624450CE'],
    ['a call out of the money above', { offset: 'OTM1' }, 'NIFTY25AUG2624600CE'],
    ['a put in the money lies above', { offset: 'ITM1', optionType: 'PE' }, 'NIFTY25AUG2624600PE'],
    ['a put out of the money below', { offset: 'OTM2', optionType: 'PE' }, 'NIFTY25AUG2624450PE'],
    ['offsets in lower case', { offset: 'otm1' }, 'NIFTY25AUG2624600CE'],
    ['only strikes of its own type are counted', { offset: 'OTM3' }, 'NIFTY25AUG2624700CE'],
    ['the lower of two equally near strikes', { underlyingLtp: 24575 }, 'NIFTY25AUG2624550CE'],
    [
      'the expiry in the underlying',
      { underlying: 'NIFTY04AUG26FUT', expiryDate: undefined },
      'NIFTY04AUG2624550CE',
    ],
    [
      'the given expiry instead of the one in the underlying',
      { underlying: 'NIFTY04AUG26FUT' },
      'NIFTY25AUG2624550CE',
    ],
    ['an expiry with dashes', { expiryDate: '25-Aug-2026' }, 'NIFTY25AUG2624550CE'],
    ['an underlying in lower case', { underlying: 'nifty' }, 'NIFTY25AUG2624550CE'],
    ['a fixed step', { strikeInt: 50, offset: 'OTM1' }, 'NIFTY25AUG2624600CE'],
    [
      'a fixed step, a half rounded up to the even multiple',
      { strikeInt: 50, underlyingLtp: 24475 },
      'NIFTY25AUG2624500CE',
    ],
    [
      'a fixed step, a half rounded down to the even multiple',
      { strikeInt: 50, underlyingLtp: 24625 },
      'NIFTY25AUG2624600CE',
    ],
    ['an index named by its options', { exchange: 'NFO' }, 'NIFTY25AUG2624550CE'],
    ['a share', { underlying: 'SBIN', exchange: 'NSE' }, 'SBIN25AUG26800CE'],
    ['a share named by its options', { underlying: 'SBIN', exchange: 'NFO' }, 'SBIN25AUG26800CE'],
    [
      'a base with an ampersand',
      { underlying: 'M&M25AUG26FUT', exchange: 'NSE', expiryDate: undefined },
      'M&M25AUG263050.5CE',
    ],
    [
      'an index of the BSE',
      { underlying: 'SENSEX', exchange: 'BSE_INDEX', expiryDate: '27AUG26' },
      'SENSEX27AUG2680000CE',
    ],
    [
      'an index of the BSE, named on the NSE',
      { underlying: 'SENSEX', exchange: 'NFO', expiryDate: '27AUG26' },
      'SENSEX27AUG2680000CE',
    ],
    [
      'a commodity, by its nearest future',
      { underlying: 'CRUDEOIL', exchange: 'MCX', expiryDate: '17AUG26' },
      'CRUDEOIL17AUG266000CE',
    ],
    [
      'a coin, by its perpetual',
      { underlying: 'BTC', exchange: 'CRYPTO', expiryDate: '28AUG26' },
      'BTC28AUG26100000CE',
    ],
    [
      'a coin named by its perpetual',
      { underlying: 'BTCUSDFUT', exchange: 'CRYPTO', expiryDate: '28AUG26' },
      'BTC28AUG26100000CE',
    ],
  ])('%s', async (_what, request, symbol) => {
    expect((await resolve(request)).symbol).toBe(symbol)
  })

  it('by the given price, without requesting one', async () => {
    const rig = openRig()
    expect(await resolve({ underlyingLtp: 24610 }, rig)).toMatchObject({
      symbol: 'NIFTY25AUG2624600CE',
      underlyingLtp: 24610,
    })
    expect(rig.asked).toEqual([])
  })

  it('with a freeze quantity of 1 if none is known', async () => {
    expect((await resolve({ underlying: 'SBIN', exchange: 'NSE' })).freezeQty).toBe(1)
  })
})

describe('an option is not found', () => {
  it.each<[string, Partial<OptionRequest>, ErrorCode, string]>([
    [
      'without an expiry',
      { expiryDate: undefined },
      'validation',
      'Expiry date required. Provide via expiry_date parameter or embed in underlying (e.g., NIFTY28OCT25FUT).',
    ],
    [
      'for an expiry that is not listed',
      { expiryDate: '28OCT26' },
      'not_found',
      'No strikes found for NIFTY expiring 28OCT26. Please check expiry date or update master contract.',
    ],
    [
      'for an expiry that is not a date',
      { expiryDate: '31FEB26' },
      'not_found',
      'No strikes found for NIFTY expiring 31FEB26. Please check expiry date or update master contract.',
    ],
    [
      'beyond the listed strikes',
      { offset: 'ITM40' },
      'validation',
      'Offset ITM40 is out of range for available strikes. Please use a smaller offset.',
    ],
    [
      'below the listed strikes',
      { offset: 'OTM3', optionType: 'PE' },
      'validation',
      'Offset OTM3 is out of range for available strikes. Please use a smaller offset.',
    ],
    [
      'at a step that is not listed',
      { strikeInt: 1000 },
      'not_found',
      'Option symbol NIFTY25AUG2625000CE not found in NFO. Symbol may not exist or master contract needs update.',
    ],
    [
      'for a strike of zero or less',
      { strikeInt: 20_000, offset: 'ITM5' },
      'validation',
      'Offset ITM5 is out of range for available strikes. Please use a smaller offset.',
    ],
    [
      'for an underlying that is not listed',
      { underlying: 'NOPE', exchange: 'NSE' },
      'not_found',
      "Failed to fetch LTP for NOPE. Symbol 'NOPE' not found for exchange 'NSE'. Please verify the symbol name and ensure master contracts are downloaded.",
    ],
    [
      'for an underlying without a future',
      { underlying: 'GOLD', exchange: 'MCX', expiryDate: '17AUG26' },
      'not_found',
      'No unexpired futures found for GOLD on MCX. Please update the master contract.',
    ],
    [
      'for a coin without a perpetual',
      { underlying: 'ETH', exchange: 'CRYPTO', expiryDate: '28AUG26' },
      'not_found',
      'No perpetual futures found for ETH on CRYPTO',
    ],
  ])('%s', async (_what, request, code, message) => {
    await expect(resolve(request)).rejects.toMatchObject({ name: 'ServiceError', code, message })
  })

  it('when the underlying has no price', async () => {
    const rig = openRig({ ltp: { 'NSE_INDEX:NIFTY': 0 } })
    await expect(resolve({}, rig)).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'no_price',
      message: 'Could not determine LTP for NIFTY.',
    })
  })

  it("when the broker fails, with the broker's status", async () => {
    const rig = openRig({ down: 'The broker is away' })
    await expect(resolve({}, rig)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Failed to fetch LTP for NIFTY. The broker is away',
    })
  })
})

describe('expiries as users write them', () => {
  it.each([
    ['28OCT25', '28-OCT-25'],
    ['28-oct-25', '28-OCT-25'],
    [' 28-Oct-2025 ', '28-OCT-25'],
    ['28OCT2025', '28-OCT-25'],
    ['20AUG20', '20-AUG-20'],
    ['31FEB26', undefined],
    ['2025-10-28', undefined],
    ['', undefined],
  ])('%j is %s', (text, stored) => {
    expect(storedExpiry(text)).toBe(stored)
  })
})
