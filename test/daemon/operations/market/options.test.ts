import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MarketApp } from '../../../support/desk/market-app.js'

let rig: MarketApp
beforeAll(async () => {
  rig = await MarketApp.open()
})
afterAll(() => rig?.close())

const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }
const SYMBOL = { ...NIFTY, offset: 'atm', option_type: 'ce' }
const POSITIVE = expect.toSatisfy((value: unknown) => typeof value === 'number' && value > 0)
/** The last price of the underlying; the clock stands still, so all endpoints have the same. */
const spot = async () => {
  const { data } = (await rig.post('quotes', { symbol: 'NIFTY', exchange: 'NSE_INDEX' })).body
  return (data as { ltp: number }).ltp
}

interface Chain {
  atm_strike: number
  forward_price: number | null
  chain: { strike: number; ce: Record<string, number | string>; pe: Record<string, number | string> }[]
}
const chainOf = async (fields: object = {}) =>
  (await rig.post('optionchain', { ...NIFTY, strike_count: 3, ...fields })).body as unknown as Chain

/** The option at the money, as the service finds it. */
const atTheMoney = async () => String((await rig.post('optionsymbol', SYMBOL)).body.symbol)

describe('an option by its offset', () => {
  test('is returned flat, with its lot, tick and freeze quantity', async () => {
    expect((await rig.post('optionsymbol', SYMBOL)).body).toEqual({
      status: 'success',
      symbol: expect.stringMatching(/^NIFTY24NOV26\d+CE$/),
      exchange: 'NFO',
      lotsize: 65,
      tick_size: 0.05,
      freeze_qty: 1800,
      underlying_ltp: await spot(),
    })
  })

  test.each([
    ['numbers as text', { strike_int: '50' }],
    ['null for what is left out', { strike_int: null }],
    ['the field of old clients', { strategy: 'x' }],
    ['a commodity', { underlying: 'USDINR', exchange: 'CDS', expiry_date: '27NOV26' }],
  ])('takes %s', async (_what, fields) => {
    expect((await rig.post('optionsymbol', { ...SYMBOL, ...fields })).body).toMatchObject({
      status: 'success',
    })
  })

  test('reports missing options with the texts of the public API', async () => {
    const { status, body } = await rig.post('optionsymbol', { ...SYMBOL, expiry_date: undefined })
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message:
        'Expiry date required. Provide via expiry_date parameter or embed in underlying (e.g., NIFTY28OCT25FUT).',
    })
    expect((await rig.post('optionsymbol', { ...SYMBOL, expiry_date: '01JAN27' })).status).toBe(404)
  })
})

describe('a chain', () => {
  test('shows the strikes around the money', async () => {
    const { chain, atm_strike, forward_price } = await chainOf()
    expect(chain).toHaveLength(7)
    expect(chain[3]).toMatchObject({ strike: atm_strike, ce: { label: 'ATM' }, pe: { label: 'ATM' } })
    const call = { symbol: chain[3]?.ce.symbol, exchange: 'NFO' }
    const { ltp, bid, ask, oi } = (await rig.post('quotes', call)).body.data as Record<string, number>
    expect(chain[3]?.ce).toMatchObject({ ltp, bid, ask, oi, lotsize: 65 })
    expect([ltp, bid, ask, oi]).toEqual([POSITIVE, POSITIVE, POSITIVE, POSITIVE])
    expect(chain[3]?.ce).not.toHaveProperty('delta')
    expect(forward_price).toBeNull()
  })

  test('has Greeks that agree with those of each option, on request', async () => {
    const { chain, forward_price } = await chainOf({ with_greeks: 'true' })
    const leg = chain[5]?.pe
    const single = await rig.post('optiongreeks', { symbol: leg?.symbol, exchange: 'NFO' })
    const { rho: _, ...greeks } = single.body.greeks as Record<string, number>
    expect(leg).toMatchObject({ ...greeks, implied_volatility: single.body.implied_volatility })
    expect(single.body.spot_price).toBeCloseTo(forward_price ?? 0, 2)
  })

  test('finds about the volatility the simulated market prices with', async () => {
    const { chain } = await chainOf({ with_greeks: true, interest_rate: 6.5 })
    for (const { ce, pe } of chain) {
      expect(ce.implied_volatility).toBeGreaterThan(5)
      expect(ce.implied_volatility).toBeLessThan(40)
      expect(Math.abs(Number(ce.delta) - Number(pe.delta) - 1)).toBeLessThan(0.05)
    }
  })

  test('is whole without a count', async () => {
    expect((await chainOf({ strike_count: null })).chain.length).toBeGreaterThan(100)
  })

  test.each([
    ['CRUDEOIL', 'MCX', /^CRUDEOIL\d\d[A-Z]{3}\d\dFUT$/],
    ['USDINR', 'CDS', /^USDINR\d\d[A-Z]{3}\d\dFUT$/],
    ['BTC', 'CRYPTO', /^BTCUSDFUT$/],
  ])('of %s goes by a future', async (underlying, exchange, quoted) => {
    const asked = { symbol: underlying, exchange, instrumenttype: 'options' }
    const [expiry_date] = (await rig.post('expiry', asked)).body.data as string[]
    const { status, body } = await rig.post('optionchain', {
      underlying,
      exchange,
      expiry_date,
      strike_count: 2,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ underlying, underlying_symbol: expect.stringMatching(quoted) })
  })

  test('implies a future', async () => {
    const { body } = await rig.post('syntheticfuture', NIFTY)
    const { atm_strike, chain } = await chainOf()
    const money = chain[3]
    expect(body).toEqual({
      status: 'success',
      underlying: 'NIFTY',
      underlying_ltp: await spot(),
      expiry: '24NOV26',
      atm_strike,
      synthetic_future_price: expect.closeTo(atm_strike + Number(money?.ce.ltp) - Number(money?.pe.ltp), 2),
    })
    const { forward_price } = await chainOf({ with_greeks: true })
    expect(body.synthetic_future_price).toBeCloseTo(forward_price ?? 0, 2)
  })
})

describe('Greeks of many', () => {
  test('all good is success', async () => {
    const symbol = await atTheMoney()
    const { body } = await rig.post('multioptiongreeks', { symbols: [{ symbol, exchange: 'NFO' }] })
    expect(body).toEqual({
      status: 'success',
      data: [expect.objectContaining({ status: 'success', symbol })],
      summary: { total: 1, success: 1, failed: 0 },
    })
  })

  test('some bad is partial, in the order asked', async () => {
    const good = { symbol: await atTheMoney(), exchange: 'NFO' }
    const { status, body } = await rig.post('multioptiongreeks', {
      symbols: [{ symbol: 'SBIN', exchange: 'NFO' }, good],
    })
    const message = 'Failed to get option Greeks: SBIN is not an option symbol'
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'partial',
      data: [
        { status: 'error', symbol: 'SBIN', exchange: 'NFO', message },
        expect.objectContaining({ status: 'success' }),
      ],
      summary: { total: 2, success: 1, failed: 1 },
      message: `1 option Greeks calculation(s) failed: ${message}`,
    })
  })

  test('all bad is an error that names up to three causes', async () => {
    const symbols = ['A', 'B', 'C', 'D', 'A'].map((symbol) => ({ symbol, exchange: 'NFO' }))
    const { status, body } = await rig.post('multioptiongreeks', { symbols })
    const cause = (symbol: string) => `Failed to get option Greeks: ${symbol} is not an option symbol`
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'error',
      summary: { total: 5, success: 0, failed: 5 },
      message: `All option Greeks calculations failed: ${['A', 'B', 'C'].map(cause).join('; ')}`,
    })
  })
})

describe('every body', () => {
  const option = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO' }
  const BODIES: [path: string, body: Record<string, unknown>][] = [
    [
      'optionsymbol',
      { underlying: 'NIFTY24NOV26FUT', exchange: 'NSE_INDEX', offset: 'ATM', option_type: 'CE' },
    ],
    ['optionchain', NIFTY],
    ['syntheticfuture', NIFTY],
    ['optiongreeks', option],
    ['multioptiongreeks', { symbols: [option] }],
  ]

  test.each(BODIES)('of %s must be whole and known', async (path, body) => {
    expect((await rig.post(path, body)).status).toBe(200)
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body
      const errorsOf = async (given: object) => (await rig.post(path, given)).body.errors
      expect(await errorsOf(rest)).toEqual({ [field]: ['Missing data for required field.'] })
      expect(await errorsOf({ ...body, [field]: null })).toEqual({ [field]: ['Field may not be null.'] })
      expect(await errorsOf({ ...body, [field]: {} })).toEqual({ [field]: [expect.any(String)] })
    }
    expect((await rig.post(path, { ...body, apikey: 'wrong' })).body.message).toBe('Invalid svc apikey')
    expect((await rig.post(path, { ...body, underlyng: 1 })).status).toBe(400)
  })

  const range = 'Must be greater than or equal to 0 and less than or equal to 100.'
  const offset = 'Offset must be ATM, ITM1-ITM50, or OTM1-OTM50'
  test.each([
    ['optionsymbol', { ...SYMBOL, offset: 'ITM0' }, 'offset', offset],
    ['optionsymbol', { ...SYMBOL, offset: 'ITM51' }, 'offset', offset],
    ['optionsymbol', { ...SYMBOL, offset: 'ATM1' }, 'offset', offset],
    ['optionsymbol', { ...SYMBOL, option_type: 'XX' }, 'option_type', 'Must be one of: CE, PE, ce, pe.'],
    ['optionsymbol', { ...SYMBOL, strike_int: 0 }, 'strike_int', 'Must be greater than or equal to 1.'],
    ['optionsymbol', { ...SYMBOL, strike_int: 'x' }, 'strike_int', 'Not a valid number.'],
    [
      'optionchain',
      { ...NIFTY, strike_count: 0 },
      'strike_count',
      'Must be greater than or equal to 1 and less than or equal to 100.',
    ],
    [
      'optionchain',
      { ...NIFTY, strike_count: 101 },
      'strike_count',
      'Must be greater than or equal to 1 and less than or equal to 100.',
    ],
    ['optionchain', { ...NIFTY, with_greeks: 'maybe' }, 'with_greeks', 'Not a valid boolean.'],
    ['optionchain', { ...NIFTY, interest_rate: 101 }, 'interest_rate', range],
    ['optiongreeks', { ...option, interest_rate: -1 }, 'interest_rate', range],
    [
      'optiongreeks',
      { ...option, forward_price: -1 },
      'forward_price',
      'Must be greater than or equal to 0.',
    ],
    [
      'optiongreeks',
      { ...option, exchange: 'NSE' },
      'exchange',
      'Must be one of: NFO, BFO, MCX, CDS, NCO, BCD, NCDEX, CRYPTO.',
    ],
    [
      'optiongreeks',
      { ...option, expiry_time: '25:00' },
      'expiry_time',
      "Invalid expiry_time format: 25:00. Use HH:MM format (e.g., '15:30', '19:00')",
    ],
    ['multioptiongreeks', { symbols: [] }, 'symbols', 'Length must be between 1 and 50.'],
    ['multioptiongreeks', { symbols: Array(51).fill(option) }, 'symbols', 'Length must be between 1 and 50.'],
    ['multioptiongreeks', { symbols: [option, 7] }, 'symbols.1', 'Invalid input type.'],
    [
      'multioptiongreeks',
      { symbols: [{ symbol: 'X' }] },
      'symbols.0.exchange',
      'Missing data for required field.',
    ],
  ])('of %s is refused by its field: %j', async (path, body, field, text) => {
    const { status, body: refusal } = await rig.post(path, body)
    expect({ status, errors: refusal.errors }).toEqual({ status: 400, errors: { [field]: [text] } })
  })

  test('of an overlong symbol is refused before the symbol is parsed', async () => {
    expect((await rig.post('optiongreeks', { ...option, symbol: 'A'.repeat(65) })).status).toBe(400)
  })
})

test('Greeks have a limit of their own, other options the one of market data', async () => {
  const limited = await MarketApp.open({ GREEKS_RATE_LIMIT: '2 per minute', DATA_RATE_LIMIT: '3 per second' })
  onTestFinished(() => limited.close())
  const body = { symbol: 'SBIN', exchange: 'NFO' }
  const statuses = async (path: string, given: object, count: number) => {
    const found: number[] = []
    for (let call = 0; call < count; call++) found.push((await limited.post(path, given)).status)
    return found
  }
  expect(await statuses('optiongreeks', body, 3)).toEqual([400, 400, 429])
  expect(await statuses('multioptiongreeks', { symbols: [body] }, 4)).toEqual([200, 200, 200, 429])
  expect(await statuses('syntheticfuture', NIFTY, 4)).toEqual([200, 200, 200, 429])
  expect(await statuses('quotes', { symbol: 'SBIN', exchange: 'NSE' }, 4)).toEqual([200, 200, 200, 429])
  await limited.clock.advance(60_001)
  expect(await statuses('optiongreeks', body, 1)).toEqual([400])
})
