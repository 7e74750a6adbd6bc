import { describe, expect, it } from 'vitest'
import { Almanac, type HolidayType, SEED_TIMINGS } from '../../../src/core/calendar/index.js'
import type { ErrorCode } from '../../../src/core/errors/index.js'
import { type GreeksRequest, manyOptionGreeks, optionGreeks } from '../../../src/core/options/index.js'
import { istInstant } from '../../../src/core/time/index.js'
import { NOW, openRig, type Rig } from './support.js'

const PUT: GreeksRequest = { symbol: 'NIFTY25AUG2624650PE', exchange: 'NFO', interestRate: 0 }
const greeksOf = (request: Partial<GreeksRequest> = {}, rig: Rig = openRig()) =>
  optionGreeks(rig.sources, { ...PUT, ...request })

describe('the Greeks of one option', () => {
  it('use the forward implied by the options of the same expiry', async () => {
    expect(await greeksOf()).toEqual({
      status: 'success',
      symbol: 'NIFTY25AUG2624650PE',
      exchange: 'NFO',
      underlying: 'NIFTY',
      strike: 24650,
      option_type: 'PE',
      expiry_date: '25-Aug-2026',
      days_to_expiry: 14.9953,
      spot_price: 24580,
      option_price: 329.1,
      interest_rate: 0,
      implied_volatility: 14.71,
      greeks: { delta: -0.5321, gamma: 0.000543, theta: -9.717, vega: 19.8115, rho: -0.135205 },
    })
  })

  it.each<[string, Partial<GreeksRequest>, Record<string, number>, number]>([
    ['the given forward', { forwardPrice: 24600 }, {}, 24600],
    ['the underlying if the at-the-money pair is not traded', {}, { 'NFO:NIFTY25AUG2624550CE': 0 }, 24560.15],
    ['the same underlying, named', { underlyingSymbol: 'NIFTY', underlyingExchange: 'NSE_INDEX' }, {}, 24580],
    [
      'another underlying, named',
      { underlyingSymbol: 'NIFTY25AUG26FUT' },
      { 'NFO:NIFTY25AUG26FUT': 24590 },
      24590,
    ],
    ['a computed forward if the given one is 0', { forwardPrice: 0 }, {}, 24580],
    ['a share', { symbol: 'SBIN25AUG26800CE' }, {}, 805],
    ['the nearest future of a commodity', { symbol: 'CRUDEOIL17AUG266000CE', exchange: 'MCX' }, {}, 5990],
    ['the perpetual of a coin', { symbol: 'BTC28AUG26100000CE', exchange: 'CRYPTO' }, {}, 100_500],
  ])('use %s', async (_what, request, ltp, forward) => {
    expect((await greeksOf(request, openRig({ ltp }))).spot_price).toBe(forward)
  })

  it("count the time to the exchange's cut-off or to the given time", async () => {
    const days = async (request: Partial<GreeksRequest>) => (await greeksOf(request)).days_to_expiry
    const until = (time: string, date: string) =>
      Number(((Date.parse(`${date}T${time}:00+05:30`) - NOW) / 86_400_000).toFixed(4))
    expect(await days({})).toBe(until('15:30', '2026-08-25'))
    expect(await days({ expiryTime: '12:30' })).toBe(until('12:30', '2026-08-25'))
    expect(await days({ symbol: 'CRUDEOIL17AUG266000CE', exchange: 'MCX' })).toBe(
      until('23:30', '2026-08-17'),
    )
  })

  describe('expire with the session of the last day', () => {
    const OIL = { symbol: 'CRUDEOIL17AUG266000CE', exchange: 'MCX' }
    const session = (date: string, open: string, close: string, type: HolidayType = 'SPECIAL_SESSION') =>
      new Almanac(
        [
          {
            id: 1,
            date,
            description: 'a changed day',
            type,
            exchanges: ['NFO', 'MCX'].map((exchange) => ({
              exchange,
              isOpen: true,
              start: istInstant(date, open),
              end: istInstant(date, close),
            })),
          },
        ],
        SEED_TIMINGS,
      )
    const timing = (exchange: string, start: string, end: string) =>
      new Almanac([], [...SEED_TIMINGS.filter((one) => one.exchange !== exchange), { exchange, start, end }])

    it.each<[string, Almanac, Partial<GreeksRequest>, string, string]>([
      ['that closes early', session('2026-08-25', '09:15', '14:00'), {}, '2026-08-25', '14:00'],
      ['that opens in the evening', session('2026-08-25', '18:00', '19:15'), {}, '2026-08-25', '19:15'],
      ['that closes later than usual', timing('NFO', '09:15', '16:30'), {}, '2026-08-25', '15:30'],
      ['of other usual hours', timing('NFO', '09:15', '15:00'), {}, '2026-08-25', '15:00'],
      [
        'of other hours, unless the request says',
        timing('NFO', '09:15', '15:00'),
        { expiryTime: '15:20' },
        '2026-08-25',
        '15:20',
      ],
      [
        'of a commodity without an evening',
        session('2026-08-17', '09:00', '17:00', 'TRADING_HOLIDAY'),
        OIL,
        '2026-08-17',
        '17:00',
      ],
      ['of a commodity with other hours', timing('MCX', '09:00', '23:00'), OIL, '2026-08-17', '23:00'],
      [
        'of a commodity in winter',
        new Almanac([], SEED_TIMINGS),
        { ...OIL, symbol: 'CRUDEOIL17DEC266000CE' },
        '2026-12-17',
        '23:55',
      ],
    ])('%s', async (_what, calendar, request, date, time) => {
      const rig = openRig({ calendar })
      const { days_to_expiry: days } = await greeksOf(request, rig)
      expect(days).toBe(Number(((istInstant(date, time) - NOW) / 86_400_000).toFixed(4)))
    })

    it('and on a listed day that has none, at the usual time of that day', async () => {
      const closed = { exchange: 'NFO', isOpen: false, start: undefined, end: undefined }
      const calendar = new Almanac(
        [{ id: 1, date: '2026-08-25', description: 'Closed', type: 'TRADING_HOLIDAY', exchanges: [closed] }],
        SEED_TIMINGS,
      )
      const { days_to_expiry: days } = await greeksOf({}, openRig({ calendar }))
      expect(days).toBe(Number(((istInstant('2026-08-25', '15:30') - NOW) / 86_400_000).toFixed(4)))
    })
  })

  it('are those of the payoff, with a note, if the price has no time value', async () => {
    const rig = openRig({ ltp: { 'NFO:NIFTY25AUG2624650PE': 70 } })
    expect(await greeksOf({}, rig)).toMatchObject({
      implied_volatility: 0,
      greeks: { delta: -1, gamma: 0, theta: 0, vega: 0, rho: 0 },
      intrinsic_value: 70,
      time_value: 0,
      note: 'Deep ITM option with no time value - theoretical Greeks returned',
    })
  })

  it('need two batches of quotes', async () => {
    const rig = openRig()
    await greeksOf({}, rig)
    expect(rig.asked).toEqual([
      ['NIFTY25AUG2624650PE', 'NIFTY'],
      ['NIFTY25AUG2624550CE', 'NIFTY25AUG2624550PE'],
    ])
  })

  it.each<[string, Partial<GreeksRequest>, Record<string, number>, ErrorCode, string]>([
    [
      'an option that has expired',
      { symbol: 'NIFTY04AUG2624550CE' },
      {},
      'validation',
      'Option has expired on 04-Aug-2026',
    ],
    [
      'a future',
      { symbol: 'NIFTY25AUG26FUT' },
      {},
      'validation',
      'Failed to get option Greeks: NIFTY25AUG26FUT is not an option symbol',
    ],
    [
      'a share',
      { symbol: 'SBIN' },
      {},
      'validation',
      'Failed to get option Greeks: SBIN is not an option symbol',
    ],
    [
      'an invalid date',
      { symbol: 'NIFTY31FEB2624650PE' },
      {},
      'validation',
      'Failed to get option Greeks: NIFTY31FEB2624650PE is not an option symbol',
    ],
    ['a strike of zero', { symbol: 'NIFTY25AUG260PE' }, {}, 'validation', 'Strike price must be positive'],
    [
      'an underlying without a price',
      {},
      { 'NSE_INDEX:NIFTY': 0 },
      'not_found',
      'Underlying LTP not available',
    ],
    [
      'an option without a price',
      {},
      { 'NFO:NIFTY25AUG2624650PE': 0 },
      'not_found',
      'Option LTP not available',
    ],
    [
      'an option that is not listed',
      { symbol: 'NIFTY25AUG2699999PE' },
      {},
      'validation',
      "Failed to fetch option price: Symbol 'NIFTY25AUG2699999PE' not found for exchange 'NFO'. Please verify the symbol name and ensure master contracts are downloaded.",
    ],
    [
      'an underlying that is not listed',
      { underlyingSymbol: 'NOPE' },
      {},
      'validation',
      "Failed to fetch underlying price: Symbol 'NOPE' not found for exchange 'NSE'. Please verify the symbol name and ensure master contracts are downloaded.",
    ],
  ])('are refused for %s', async (_what, request, ltp, code, message) => {
    await expect(greeksOf(request, openRig({ ltp }))).rejects.toMatchObject({ code, message })
  })

  it("fail with the broker's error", async () => {
    const message = 'Failed to fetch underlying price: away'
    await expect(greeksOf({}, openRig({ down: 'away' }))).rejects.toMatchObject({
      code: 'unavailable',
      message,
    })
  })
})

describe('the Greeks of many options', () => {
  const symbols = ['NIFTY25AUG2624650PE', 'SBIN', 'NIFTY04AUG2624550CE', 'NIFTY25AUG2624450CE']
  const requests = symbols.map((symbol) => ({ ...PUT, symbol }))

  it('are in order, each with its own outcome; an expired option has zero Greeks', async () => {
    const [put, share, expired, call] = await manyOptionGreeks(openRig().sources, requests)
    expect(put).toMatchObject({ status: 'success', implied_volatility: 14.71 })
    expect(share).toMatchObject({ code: 'validation' })
    expect(expired).toMatchObject({
      status: 'success',
      days_to_expiry: 0,
      implied_volatility: 0,
      option_price: 10,
      greeks: { delta: 0, gamma: 0, theta: 0, vega: 0, rho: 0 },
      intrinsic_value: 10.15,
      time_value: 0,
      note: 'Option has expired - Greeks are no longer applicable',
    })
    expect(call).toMatchObject({ status: 'success', spot_price: 24580 })
  })

  it('request every price once, however many options share it', async () => {
    const rig = openRig()
    await manyOptionGreeks(rig.sources, requests)
    expect(rig.asked.map((batch) => [...batch].sort())).toEqual([
      ['NIFTY', 'NIFTY04AUG2624550CE', 'NIFTY25AUG2624450CE', 'NIFTY25AUG2624650PE'],
      ['NIFTY25AUG2624550CE', 'NIFTY25AUG2624550PE'],
    ])
  })

  it('all fail if the broker fails', async () => {
    const answers = await manyOptionGreeks(openRig({ down: 'away' }).sources, requests)
    expect(answers).toMatchObject(requests.map(() => ({ name: 'ServiceError' })))
  })
})
