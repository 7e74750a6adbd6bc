import { describe, expect, it } from 'vitest'
import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../../src/core/calendar/index.js'
import { InMemoryDirectory, type Instrument } from '../../../../src/core/instruments/index.js'
import { usualSquareOff } from '../../../../src/core/sandbox/index.js'
import type { StrategyConfig } from '../../../../src/core/strategies/config/index.js'
import { pickExpiry } from '../../../../src/core/strategies/resolve/expiry.js'
import { orderProduct, resolveLegs } from '../../../../src/core/strategies/resolve/index.js'
import { istDate, istInstant } from '../../../../src/core/time/index.js'
import { contract, NOW, ROWS } from '../../options/support.js'
import { batch, signal } from './configs.js'

const catalog = (rows: readonly Instrument[] = ROWS) => InMemoryDirectory.of([...rows])
const almanac = new Almanac(
  SEED_HOLIDAYS.map((one, id) => ({ ...one, id })),
  SEED_TIMINGS,
)

async function resolve(
  config: StrategyConfig,
  { rows = ROWS, ltp = 24560 as number | Error, now = NOW } = {},
) {
  const asked: string[] = []
  const quote = async ({ symbol }: { symbol: string }) => {
    asked.push(symbol)
    if (ltp instanceof Error) throw ltp
    return { ltp }
  }
  return { result: await resolveLegs(config, { catalog: catalog(rows), almanac, quote }, now), asked }
}

async function legsOf(config: StrategyConfig) {
  const { result } = await resolve(config)
  if ('failure' in result) throw new Error(result.failure.message)
  return result
}

describe('an expiry rank', () => {
  const months = ['24-NOV-26', '29-DEC-26', '25-JAN-27']
  const contracts = ['24-NOV-26', '01-DEC-26', '08-DEC-26', '29-DEC-26', '25-JAN-27']
  const listed = { contracts, futures: months, isLive: () => true }
  it.each<[string, string, boolean]>([
    ['weekly', '24-NOV-26', false],
    ['current', '24-NOV-26', false],
    ['next_week', '01-DEC-26', false],
    ['next', '01-DEC-26', false],
    ['monthly', '24-NOV-26', false],
    ['next_month', '29-DEC-26', false],
    ['08DEC26', '08-DEC-26', false],
  ])('%s picks %s', (rank, expiry, isFallback) => {
    expect(pickExpiry(listed, rank)).toEqual({ expiry, isFallback })
  })

  it.each([
    ['next_week', '24-NOV-26'],
    ['next_month', '24-NOV-26'],
  ])('%s falls back to the only one', (rank, expiry) => {
    const only = { ...listed, contracts: ['24-NOV-26'] }
    expect(pickExpiry(only, rank)).toEqual({ expiry, isFallback: true })
  })

  it('of the next month crosses the year', () => {
    const isLive = (expiry: string) => expiry !== '24-NOV-26'
    expect(pickExpiry({ ...listed, isLive }, 'next_month').expiry).toBe('25-JAN-27')
  })

  it('that is none is refused', () => {
    expect(() => pickExpiry(listed, 'yearly')).toThrow('yearly is neither an expiry rank nor a listed expiry')
  })
})

describe('a leg', () => {
  it('resolves with one quote for all', async () => {
    const config = batch([
      { segment: 'options', option_type: 'CE', atm_offset: 'OTM1', expiry: 'monthly', lots: 2, sl_pts: 12 },
      { segment: 'options', option_type: 'PE', atm_offset: 'ITM1', expiry: 'monthly', position: 'S' },
      { segment: 'options', option_type: 'PE', strike_mode: 'strike', strike: 24500, expiry: 'monthly' },
      { segment: 'futures', expiry: 'current' },
    ])
    const { result, asked } = await resolve(config)
    expect(asked).toEqual(['NIFTY'])
    expect(result).toMatchObject({
      legs: [
        {
          id: 1,
          symbol: 'NIFTY25AUG2624600CE',
          exchange: 'NFO',
          quantity: 130,
          product: 'NRML',
          position: 'B',
          risk: { stop: 12 },
        },
        { id: 2, symbol: 'NIFTY25AUG2624600PE', position: 'S', quantity: 65 },
        { id: 3, symbol: 'NIFTY25AUG2624500PE' },
        { id: 4, symbol: 'NIFTY25AUG26FUT' },
      ],
      expiries: { 1: '25-AUG-26', 4: '25-AUG-26' },
      events: [],
    })
  })

  it('is squared off ten minutes before its contract ends', async () => {
    const { legs } = await legsOf(batch([{ segment: 'futures', expiry: 'current' }]))
    expect(legs[0]?.squareOffAt).toBe(istInstant('2026-08-25', '15:20'))
  })

  it('of product MIS ends when its account closes it, and another product does not', async () => {
    const quote = async () => ({ ltp: 24560 })
    const intradayEnd = (exchange: string, date: string) => usualSquareOff(almanac, exchange, date)
    const sources = { catalog: catalog(), almanac, quote, intradayEnd }
    const endOf = async (more: object) => {
      const resolved = await resolveLegs(
        batch([{ segment: 'futures', expiry: 'current' }], more),
        sources,
        NOW,
      )
      return 'failure' in resolved ? resolved.failure : resolved.legs[0]?.intradayEndsAt
    }
    const intraday = { strategy_type: 'intraday', entry_time: '09:20', exit_time: '15:25' }
    expect(await endOf({ ...intraday, product: 'MIS' })).toBe(istInstant(istDate(NOW), '15:15'))
    expect(await endOf({ ...intraday, product: 'NRML' })).toBeNull()
  })

  it('of shares has its quantity in shares and no expiry', async () => {
    const config = batch([{ segment: 'cash', lots: 40 }], { underlying: 'SBIN', underlying_exchange: 'NSE' })
    const { legs } = await legsOf(config)
    expect(legs[0]).toMatchObject({
      symbol: 'SBIN',
      exchange: 'NSE',
      quantity: 40,
      product: 'CNC',
      squareOffAt: null,
    })
  })

  it('tells of a rank that is not listed', async () => {
    const { events } = await legsOf(batch([{ segment: 'futures', expiry: 'next_month' }]))
    expect(events).toMatchObject([
      {
        kind: 'leg_expiry_fallback',
        severity: 'warn',
        legId: 1,
        message: 'Leg 1 asked for the next_month expiry; the chain lists only 25-Aug-2026, which was used',
      },
    ])
  })

  it('picks no contract that has expired', async () => {
    const { legs } = await legsOf(
      batch([{ segment: 'futures', expiry: 'current' }], {
        underlying: 'CRUDEOIL',
        underlying_exchange: 'MCX',
      }),
    )
    expect(legs[0]?.symbol).toBe('CRUDEOIL19AUG26FUT')
  })

  it.each<[string, StrategyConfig, object, string]>([
    [
      'no_expiry',
      batch([{ segment: 'futures', expiry: 'current' }], { underlying: 'NOPE' }),
      {},
      'No unexpired',
    ],
    [
      'expiry_lookup_failed',
      batch([{ segment: 'futures', expiry: 'current' }]),
      { rows: [] },
      'No contracts of NFO',
    ],
    [
      'contract_not_found',
      batch([{ segment: 'options', option_type: 'CE', strike_mode: 'strike', strike: 1, expiry: 'monthly' }]),
      {},
      'NIFTY25AUG261CE',
    ],
    [
      'offset_out_of_range',
      batch([{ segment: 'options', option_type: 'CE', atm_offset: 'OTM5', expiry: 'monthly' }]),
      {},
      'OTM5',
    ],
    [
      'quote_failed',
      batch([{ segment: 'options', option_type: 'CE', expiry: 'monthly' }]),
      { ltp: new Error('down') },
      'down',
    ],
    [
      'no_ltp',
      batch([{ segment: 'options', option_type: 'CE', expiry: 'monthly' }]),
      { ltp: 0 },
      'No price of NIFTY',
    ],
    [
      'no_underlying_contract',
      batch([{ segment: 'options', option_type: 'CE', expiry: 'monthly' }], {
        underlying: 'NOPE',
        underlying_exchange: 'MCX',
      }),
      {},
      'NOPE',
    ],
    [
      'no_strikes',
      batch([{ segment: 'options', option_type: 'CE', expiry: 'current' }]),
      { rows: [...ROWS, contract('NFO', 'NIFTY', '18-AUG-26', 24550, 'PE')] },
      'No CE strikes',
    ],
    [
      'invalid_lotsize',
      batch([{ segment: 'futures', expiry: 'current' }]),
      { rows: [{ ...contract('NFO', 'NIFTY', '25-AUG-26'), lotSize: 0.5 }] },
      'lot size',
    ],
    ['invalid_underlying_exchange', batch([{ segment: 'cash' }]), {}, 'no shares'],
  ])('fails with %s', async (code, config, sources, text) => {
    const { result } = await resolve(config, sources)
    expect(result).toMatchObject({ failure: { code } })
    if ('failure' in result) expect(result.failure.message).toContain(text)
  })
})

describe('a signal leg', () => {
  it('counts lots of its contract', async () => {
    const { legs } = await legsOf(
      signal([{ symbol: 'NIFTY25AUG26FUT', exchange: 'NFO', segment: 'futures', qty: 3, qty_mode: 'lots' }]),
    )
    expect(legs).toMatchObject([{ quantity: 195, position: null, product: 'NRML' }])
  })

  it('must be a contract, unless the exchange has none loaded', async () => {
    const config = signal([
      { symbol: 'NIFTY', exchange: 'NFO', segment: 'futures', qty: 65, qty_mode: 'units' },
    ])
    expect((await resolve(config)).result).toMatchObject({
      failure: { code: 'contract_not_found', message: 'NIFTY is not a contract on NFO' },
    })
    expect((await resolve(config, { rows: [] })).result).toMatchObject({
      legs: [{ symbol: 'NIFTY', quantity: 65 }],
    })
  })
})

it.each([
  ['MIS', 'NSE', 'MIS'],
  ['MIS', 'NFO', 'MIS'],
  ['NRML', 'NSE', 'CNC'],
  ['CNC', 'BSE', 'CNC'],
  ['CNC', 'NFO', 'NRML'],
  ['NRML', 'MCX', 'NRML'],
] as const)('product %s on %s is sent as %s', (product, exchange, sent) => {
  expect(orderProduct(product, exchange)).toBe(sent)
})

describe('the rules of exchanges', () => {
  const INTRADAY = { strategy_type: 'intraday', entry_time: '09:20', exit_time: '15:25', product: 'NRML' }
  const FUTURE = [{ segment: 'futures', expiry: 'current' }]
  const holiday = (date: string, open: boolean) => ({
    id: 999,
    date,
    description: 'x',
    type: 'TRADING_HOLIDAY' as const,
    exchanges: [
      {
        exchange: 'NFO',
        isOpen: open,
        start: open ? istInstant(date, '09:15') : undefined,
        end: open ? istInstant(date, '13:00') : undefined,
      },
    ],
  })
  const withRules = async (config: StrategyConfig, calendar: Almanac, largest?: number) => {
    const sources = {
      catalog: catalog(),
      almanac: calendar,
      quote: async () => ({ ltp: 24560 }),
      close: (exchange: string, date: string) => calendar.sessionOf(exchange, date)?.close,
      largestOrder: () => largest,
    }
    return resolveLegs(config, sources, NOW)
  }
  const calendarWith = (...days: ReturnType<typeof holiday>[]) =>
    new Almanac([...SEED_HOLIDAYS.map((one, id) => ({ ...one, id })), ...days], SEED_TIMINGS)

  it('give an intraday leg the close of its day, and another leg none', async () => {
    const calendar = calendarWith(holiday(istDate(NOW), true))
    expect(await withRules(batch(FUTURE, INTRADAY), calendar)).toMatchObject({
      legs: [{ closesAt: istInstant(istDate(NOW), '13:00') }],
    })
    expect(await withRules(batch(FUTURE), calendar)).toMatchObject({ legs: [{ closesAt: null }] })
  })

  it('end a contract in the session before, when its last day became a holiday', async () => {
    expect(await withRules(batch(FUTURE), calendarWith(holiday('2026-08-25', false)))).toMatchObject({
      legs: [
        { expiresAt: istInstant('2026-08-24', '15:30'), squareOffAt: istInstant('2026-08-24', '15:20') },
      ],
    })
  })

  it('refuse a leg above the freeze quantity with leg, quantity and limit', async () => {
    const config = batch([{ ...FUTURE[0], lots: 3 }])
    expect(await withRules(config, almanac, 149)).toEqual({
      failure: {
        legId: 1,
        code: 'invalid_lots',
        message: expect.stringMatching(
          /^Leg 1: an entry of \d+ NIFTY25AUG26FUT is above the freeze quantity: NFO takes at most 149 in one order/,
        ),
      },
    })
    expect(await withRules(config, almanac, 10_000)).toMatchObject({ legs: [{ largestOrder: 10_000 }] })
  })
})

describe('a leg of a signal strategy without a contract', () => {
  const LEGS = [
    { symbol: 'SBIN', exchange: 'NSE', segment: 'cash', qty: 10 },
    { symbol: 'NOSUCH', exchange: 'NSE', segment: 'cash', qty: 10 },
  ]

  it('is left out, and the others trade', async () => {
    const { result } = await resolve(signal(LEGS))
    expect(result).toMatchObject({
      legs: [{ id: 1, symbol: 'SBIN' }],
      unusable: [{ legId: 2, why: 'Leg 2: NOSUCH is not a contract on NSE' }],
      events: [{ kind: 'leg_entry_rejected', severity: 'warn', legId: 2 }],
    })
  })

  it('refuses the run when no leg is left', async () => {
    expect((await resolve(signal(LEGS.slice(1)))).result).toMatchObject({
      failure: { legId: 1, code: 'contract_not_found' },
    })
  })
})
