import { describe, expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { runNode } from '../../support.js'

/**
 * Expiries as the instruments list them, with past dates: the clock of these tests is at 20 November 2026.
 */
const EXPIRIES = ['17-NOV-26', '24-NOV-26', '01-DEC-26', '29-DEC-26', '26-JAN-27']
const LOTS = { 'NFO:NIFTY': 65, 'BFO:SENSEX': 20, 'NFO:RELIANCE': 500 }
type Options = Parameters<typeof runNode>[2]

function run(type: string, data: Body, options: Options = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, data, { lots: LOTS, reads: { expiry: { data: EXPIRIES } }, ...options })
}

const BOTH = ['optionsOrder', 'optionsMultiOrder'] as const
const STRADDLE = { strategy: 'straddle' }

describe('optionsOrder', () => {
  const SENT = {
    strategy: 'Test flow',
    underlying: 'NIFTY',
    exchange: 'NSE_INDEX',
    expiry_date: '24NOV26',
    offset: 'ATM',
    option_type: 'CE',
    action: 'BUY',
    quantity: 65,
    splitsize: 0,
    pricetype: 'MARKET',
    product: 'NRML',
    price: 0,
    trigger_price: 0,
  }

  test('counts its quantity in lots: one is a lot, not a share', async () => {
    const { ports, logs } = await run('optionsOrder', { quantity: 1 })
    expect(ports.asked).toEqual([
      { call: 'expiry', body: { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' } },
    ])
    expect(ports.sent.map(({ call, body }) => ({ call, body }))).toEqual([
      { call: 'optionsorder', body: SENT },
    ])
    expect(logs[0]?.message).toBe('Placing options order: NIFTY 24NOV26 ATM CE BUY qty=65')
  })

  test('sends everything that is set', async () => {
    const { ports } = await run(
      'optionsOrder',
      {
        underlying: 'sensex',
        expiryType: 'NEXT_WEEK',
        offset: '{{webhook.strike}}',
        optionType: 'pe',
        action: 'sell',
        quantity: '3',
        priceType: 'SL',
        price: 101.5,
        triggerPrice: 102,
        product: 'mis',
        splitSize: 40,
        strategyTag: 'hedge',
      },
      { variables: { webhook: { strike: 'otm3' } } },
    )
    expect(ports.sent[0]?.body).toEqual({
      strategy: 'hedge',
      underlying: 'SENSEX',
      exchange: 'BSE_INDEX',
      expiry_date: '01DEC26',
      offset: 'OTM3',
      option_type: 'PE',
      action: 'SELL',
      quantity: 60,
      splitsize: 40,
      pricetype: 'SL',
      product: 'MIS',
      price: 101.5,
      trigger_price: 102,
    })
  })

  test.each([
    [{ offset: 'ATM1' }, "offset 'ATM1' is not ATM, ITM1 to ITM50 or OTM1 to OTM50"],
    [{ offset: 'OTM51' }, "offset 'OTM51' is not ATM, ITM1 to ITM50 or OTM1 to OTM50"],
    [{ optionType: 'XX' }, "optionType 'XX' is not one of CE, PE"],
    [{ product: 'CNC' }, "product 'CNC' is not one of MIS, NRML"],
    [{ quantity: 'one' }, "quantity did not resolve to a number: 'one'"],
    [{ quantity: 0 }, 'Order needs a positive number of lots, got 0'],
    [{ splitSize: 50 }, 'splitSize 50 is not a multiple of the lot size, 65'],
    [{ splitSize: -65 }, 'splitSize -65 is not a multiple of the lot size, 65'],
    [{ priceType: 'LIMIT' }, 'LIMIT order needs a positive price, got 0'],
    [{ priceType: 'SL-M' }, 'SL-M order needs a positive trigger price, got 0'],
    [{ underlying: '{{empty}}' }, 'underlying is empty; nothing was sent'],
  ])('sends nothing for %j', async (data, message) => {
    const { failure, ports } = await run('optionsOrder', data, { variables: { empty: '' } })
    expect(failure).toBe(message)
    expect(ports.sent).toEqual([])
  })

  test('splits by the lot size of its expiry', async () => {
    const lots = { ...LOTS, 'NFO:NIFTY:29DEC26': 75 }
    const data = { quantity: 4, expiryType: 'next_month', splitSize: 150 }
    const { ports } = await run('optionsOrder', data, { lots })
    expect(ports.sent[0]?.body).toMatchObject({ quantity: 300, splitsize: 150 })
  })

  test('fails if all orders of its split failed', async () => {
    const results = [{ order_num: 1, status: 'error', message: 'No margin' }]
    const { result } = await run('optionsOrder', {}, { orders: { optionsorder: { results } } })
    expect(result).toMatchObject({ status: 'error', message: 'All 1 orders failed: No margin', failed: 1 })
  })

  test.each([
    ['', 0],
    ['OTM10', 0],
    ['{{x}}', 0],
    ['OTM99', 1],
    [7, 1],
  ])('checks its strike offset %j before a run', (offset, problems) => {
    expect(nodeOf('optionsOrder')?.check?.({ offset }, true)).toHaveLength(problems)
    expect(nodeOf('optionsMultiOrder')?.check?.({ strangleWidth: offset, quantity: 1 }, true)).toHaveLength(
      problems,
    )
  })
})

describe.each(BOTH)('the expiry of %s', (type) => {
  test.each([
    [{}, '24NOV26'],
    [{ expiryType: 'current_week' }, '24NOV26'],
    [{ expiryType: 'next_week' }, '01DEC26'],
    [{ expiryType: 'current_month' }, '24NOV26'],
    [{ expiryType: 'next_month' }, '29DEC26'],
    [{ expiryDate: '29-DEC-26' }, '29DEC26'],
    [{ expiry: '29dec26' }, '29DEC26'],
    [{ expiryDate: '29-DEC-2026', expiryType: 'next_week' }, '29DEC26'],
    [{ expiryDate: '{{exp.data[3]}}' }, '29DEC26'],
    [{ expiry: 'next_week' }, '01DEC26'],
  ])('of %j is %s', async (data, expiry) => {
    const variables = { exp: { data: EXPIRIES } }
    const { ports } = await run(type, { ...dataFor(type), ...data }, { variables })
    expect(ports.sent[0]?.body).toMatchObject({ expiry_date: expiry })
  })

  test('of today still trades', async () => {
    const { ports } = await run(type, dataFor(type), {
      reads: { expiry: { data: ['27-NOV-26', '20-NOV-26'] } },
    })
    expect(ports.sent[0]?.body).toMatchObject({ expiry_date: '20NOV26' })
  })

  // 1 December 2026 is a holiday: its weekly moved to 30 November, after the monthly.
  const moved = ['24-NOV-26', '30-NOV-26', '08-DEC-26', '29-DEC-26', '25-JAN-27']
  const months = ['24-NOV-26', '29-DEC-26', '25-JAN-27']
  test.each([
    ['current_month', '2026-11-28T11:00:00+05:30', '29DEC26'],
    ['next_month', '2026-11-28T11:00:00+05:30', '25JAN27'],
    ['current_week', '2026-11-30T15:29:00+05:30', '30NOV26'],
    ['current_week', '2026-11-30T15:40:00+05:30', '08DEC26'],
    ['next_week', '2026-11-30T15:40:00+05:30', '29DEC26'],
  ])(
    '%s at %s is %s: monthlies are those of the futures, and expired is after the instant',
    async (...given) => {
      const [expiryType, at, expiry] = given
      const ofKind = ({ instrumenttype }: Body) => ({ data: instrumenttype === 'futures' ? months : moved })
      const { ports } = await run(
        type,
        { ...dataFor(type), expiryType },
        { reads: { expiry: ofKind }, clock: new VirtualClock(at) },
      )
      expect(ports.sent[0]?.body).toMatchObject({ expiry_date: expiry })
    },
  )

  test.each<[Body, Body, string]>([
    [{ expiryType: 'next_month' }, { data: ['24-NOV-26'] }, 'Could not resolve expiry for next_month'],
    [{ expiryType: 'current_month' }, { data: ['17-NOV-26'] }, 'Could not resolve expiry for current_month'],
    [{ expiryType: 'next_week' }, { data: ['24-NOV-26'] }, 'Could not resolve expiry for next_week'],
    [{}, { data: [] }, 'Could not resolve expiry for current_week'],
    [{}, { data: null }, 'Could not resolve expiry for current_week'],
    [
      {},
      { status: 'error', message: 'No instruments' },
      'Could not resolve expiry for current_week: No instruments',
    ],
    [{ expiryType: 'monthly' }, {}, /^expiryType 'monthly' is not one of current_week/],
    [{ expiryDate: '31-FEB-26' }, {}, "expiryDate '31-FEB-26' is not an expiry such as 28OCT25"],
    [{ expiryDate: '{{empty}}' }, {}, 'expiryDate is empty; nothing was sent'],
  ] as [Body, Body, string][])('of %j with %j is refused', async (data, expiry, message) => {
    const { failure, ports } = await run(
      type,
      { ...dataFor(type), ...data },
      { reads: { expiry }, variables: { empty: '' } },
    )
    expect(failure).toMatch(message)
    expect(ports.sent).toEqual([])
  })
})

describe.each(BOTH)('the lot size of %s', (type) => {
  test.each([
    ['an index of NSE', 'NIFTY', 'NSE_INDEX', 65],
    ['an index of BSE', 'SENSEX', 'BSE_INDEX', 20],
    ['a share', 'RELIANCE', 'NSE', 500],
  ])('comes from the contracts of %s', async (_name, underlying, exchange, lot) => {
    const { ports } = await run(type, { ...dataFor(type), underlying, quantity: 2 })
    const body = ports.sent[0]?.body
    expect(body).toMatchObject({ underlying, exchange })
    expect(quantityIn(body)).toBe(2 * lot)
  })

  test.each([
    [{}, 65],
    [{ expiryType: 'next_month' }, 75],
    [{ expiryDate: '29-DEC-2026' }, 75],
  ])('is that of the expiry: %j', async (data, lot) => {
    const lots = { ...LOTS, 'NFO:NIFTY:29DEC26': 75 }
    const { ports } = await run(type, { ...dataFor(type), ...data, quantity: 2 }, { lots })
    expect(quantityIn(ports.sent[0]?.body)).toBe(2 * lot)
  })

  test('is the built-in one, with a warning, only while no contract of the exchange is loaded', async () => {
    const { ports, logs } = await run(type, { ...dataFor(type), underlying: 'BANKNIFTY' }, { lots: {} })
    expect(quantityIn(ports.sent[0]?.body)).toBe(30)
    expect(logs[0]).toEqual({
      level: 'warn',
      message: 'No contracts of NFO are loaded; using the built-in lot size 30 of BANKNIFTY',
    })
  })

  test.each<[string, string, Options, string]>([
    [
      'an underlying without contracts',
      'BANKNIFTY',
      {},
      'NFO has no contract on BANKNIFTY with expiry 24NOV26, so its lot size is unknown',
    ],
    [
      'a share while nothing is loaded',
      'RELIANCE',
      { lots: {} },
      'No contracts of NFO are loaded and RELIANCE has no built-in lot size',
    ],
    [
      'a size that is none',
      'NIFTY',
      { lots: { 'NFO:NIFTY': 0 } },
      "The lot size of NIFTY on NFO cannot be read: '0'",
    ],
  ])('of %s is not guessed', async (_name, underlying, options, message) => {
    const { failure, ports } = await run(type, { ...dataFor(type), underlying }, options)
    expect(failure).toBe(message)
    expect(ports.sent).toEqual([])
  })
})

describe('optionsMultiOrder', () => {
  const leg = (offset: string, option_type: string, action: string) => ({
    offset,
    option_type,
    action,
    quantity: 65,
    pricetype: 'MARKET',
    product: 'MIS',
    price: 0,
    trigger_price: 0,
  })

  test.each([
    [{ strategy: 'straddle' }, [leg('ATM', 'CE', 'SELL'), leg('ATM', 'PE', 'SELL')]],
    [{ strategyType: 'Straddle', action: 'buy' }, [leg('ATM', 'CE', 'BUY'), leg('ATM', 'PE', 'BUY')]],
    [{ strategy: 'strangle' }, [leg('OTM2', 'CE', 'SELL'), leg('OTM2', 'PE', 'SELL')]],
    [{ strategy: 'strangle', strangleWidth: 'otm5' }, [leg('OTM5', 'CE', 'SELL'), leg('OTM5', 'PE', 'SELL')]],
    [
      { strategy: 'iron_condor', action: 'BUY' },
      [
        leg('OTM2', 'CE', 'SELL'),
        leg('OTM4', 'CE', 'BUY'),
        leg('OTM2', 'PE', 'SELL'),
        leg('OTM4', 'PE', 'BUY'),
      ],
    ],
    [{ strategy: 'bull_call_spread' }, [leg('ATM', 'CE', 'BUY'), leg('OTM2', 'CE', 'SELL')]],
    [{ strategy: 'bear_put_spread' }, [leg('ATM', 'PE', 'BUY'), leg('OTM2', 'PE', 'SELL')]],
  ])('makes the legs of %j', async (data, legs) => {
    const { ports } = await run('optionsMultiOrder', data)
    expect(ports.sent.map(({ call, body }) => ({ call, body }))).toEqual([
      {
        call: 'optionsmultiorder',
        body: {
          strategy: 'Test flow',
          underlying: 'NIFTY',
          exchange: 'NSE_INDEX',
          expiry_date: '24NOV26',
          legs,
        },
      },
    ])
  })

  const OWN = [
    { id: 'a', offset: 'otm1', optionType: 'pe', action: 'SELL', quantity: '{{n}}', expiryType: 'next_week' },
    { priceType: 'SL', price: 10, triggerPrice: 11, product: 'NRML', splitSize: 65 },
  ]
  const READ = [
    {
      offset: 'OTM1',
      option_type: 'PE',
      action: 'SELL',
      quantity: 130,
      splitsize: 0,
      pricetype: 'LIMIT',
      product: 'MIS',
      price: 99,
      trigger_price: 0,
      expiry_date: '01DEC26',
    },
    {
      offset: 'ATM',
      option_type: 'CE',
      action: 'BUY',
      quantity: 65,
      splitsize: 65,
      pricetype: 'SL',
      product: 'NRML',
      price: 10,
      trigger_price: 11,
    },
  ]
  const NODE = { strategy: 'iron_condor', priceType: 'LIMIT', price: 99, quantity: 7, action: 'SELL' }

  test.each<[string, Body]>([
    ['a list', { legs: OWN }],
    ['a list by its other name', { orderLegs: OWN }],
    ['JSON text', { legs: JSON.stringify(OWN) }],
    ['a reference to a list', { legs: '{{own}}' }],
    ['a reference to JSON text', { legs: '{{text}}' }],
  ])('prefers its own legs to a named strategy, from %s', async (_name, legs) => {
    const own = [{ ...OWN[0], quantity: 2 }, OWN[1]]
    const variables = { n: 2, own, text: JSON.stringify(own) }
    const { ports } = await run('optionsMultiOrder', { ...NODE, ...legs }, { variables })
    expect(ports.sent[0]?.body).toMatchObject({ expiry_date: '24NOV26', legs: READ })
    // The list of expiries is read once, however many legs use it.
    expect(ports.asked).toHaveLength(1)
  })

  test('each leg has the lot size of its own expiry', async () => {
    const lots = { ...LOTS, 'NFO:NIFTY:29DEC26': 75 }
    const far = { quantity: 2, splitSize: 75, expiryDate: '29DEC26' }
    const { ports } = await run('optionsMultiOrder', { legs: [{ quantity: 2 }, far] }, { lots })
    expect(ports.sent[0]?.body.legs).toMatchObject([
      { quantity: 130 },
      { quantity: 150, splitsize: 75, expiry_date: '29DEC26' },
    ])
    const wrong = await run('optionsMultiOrder', { legs: [{ ...far, splitSize: 65 }] }, { lots })
    expect(wrong.failure).toBe('Leg 1: splitSize 65 is not a multiple of the lot size, 75')
  })

  test.each<[Body, string]>([
    [{}, 'No legs generated for strategy: custom'],
    [
      { strategy: 'butterfly' },
      "strategy 'butterfly' is not one of straddle, strangle, iron_condor, bull_call_spread, bear_put_spread, custom",
    ],
    [
      { ...STRADDLE, priceType: 'SL' },
      'SL is not possible for the legs of a straddle: they have no trigger price',
    ],
    [
      { ...STRADDLE, priceType: 'SL-M' },
      'SL-M is not possible for the legs of a straddle: they have no trigger price',
    ],
    [{ ...STRADDLE, priceType: 'LIMIT' }, 'Leg 1: LIMIT order needs a positive price, got 0'],
    [{ ...STRADDLE, quantity: 0 }, 'Leg 1: Order needs a positive number of lots, got 0'],
    [
      { strategy: 'strangle', strangleWidth: 'WIDE' },
      "strangleWidth 'WIDE' is not ATM, ITM1 to ITM50 or OTM1 to OTM50",
    ],
    [{ legs: 'CE,PE' }, 'legs is not a list'],
    [{ legs: { offset: 'ATM' } }, 'legs is not a list'],
    [{ legs: [{}, 'CE'] }, 'Leg 2: is not an object'],
    [{ legs: [{}, { priceType: 'SL-M' }] }, 'Leg 2: SL-M order needs a positive trigger price, got 0'],
    [{ legs: [{ quantity: 'x' }] }, "Leg 1: quantity is not a number: 'x'"],
    [{ legs: [{ quantity: true }] }, "Leg 1: quantity is not a number: 'true'"],
    [{ legs: [{ optionType: 'FUT' }] }, "Leg 1: optionType 'FUT' is not one of CE, PE"],
    [{ legs: [{ action: { a: 1 } }] }, 'Leg 1: action is not a text'],
    [{ legs: [{ strike: 26000 }] }, 'Leg 1: unknown member strike'],
  ])('sends nothing for %j', async (data, message) => {
    const { failure, ports } = await run('optionsMultiOrder', data)
    expect(failure).toBe(message)
    expect(ports.sent).toEqual([])
  })

  test('fails if every leg failed', async () => {
    const results = [1, 2].map((number) => ({ leg: number, status: 'error', message: 'No margin' }))
    const { result } = await run('optionsMultiOrder', STRADDLE, {
      orders: { optionsmultiorder: { results } },
    })
    expect(result).toMatchObject({ status: 'error', message: 'All 2 orders failed: No margin', failed: 2 })
  })
})

/** The fields both nodes need to send orders. */
function dataFor(type: string): Body {
  return type === 'optionsMultiOrder' ? STRADDLE : {}
}

function quantityIn(body: Body | undefined): unknown {
  const [first]: unknown[] = Array.isArray(body?.legs) ? body.legs : [body]
  return typeof first === 'object' && first !== null && 'quantity' in first ? first.quantity : undefined
}
