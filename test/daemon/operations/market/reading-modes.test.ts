import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRIDAY_11, USER } from '../../../support/desk/desk.js'
import { MarketApp } from '../../../support/desk/market-app.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }
const OPTION = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO' }

/** The simulated market at the time of the test: its prices follow from the seed and the clock alone. */
const DAY = { high: 952.15, low: 949.5, ltp: 949.6, open: 951.5, prev_close: 947.85, volume: 103206, oi: 0 }
const QUOTE = { ...DAY, ask: 949.65, bid: 949.6, bid_qty: 122, ask_qty: 42 }
const DEPTH = {
  ...DAY,
  asks: levels([949.65, 42], [949.75, 536], [949.85, 5], [949.95, 832], [950, 731]),
  bids: levels([949.6, 122], [949.5, 451], [949.4, 714], [949.3, 83], [949.25, 908]),
  ltq: 14,
  totalbuyqty: 2278,
  totalsellqty: 2146,
}
const BAR = {
  timestamp: Date.parse('2026-11-20T05:30:00+05:30') / 1000,
  open: 951.5,
  high: 952.15,
  low: 949.5,
  close: 949.6,
  volume: 103206,
  oi: 0,
}
const ROW = {
  symbol: 'SBIN',
  brsymbol: 'SBIN',
  name: 'State Bank of India',
  exchange: 'NSE',
  brexchange: 'NSE',
  token: '172',
  expiry: '',
  strike: 0,
  lotsize: 1,
  instrumenttype: 'EQ',
  tick_size: 0.05,
  freeze_qty: 1,
}
const SPOT = 26101.55
const FORWARD = 26121.05
const LEG_FIELDS =
  'ltp bid ask bid_qty ask_qty open high low prev_close volume oi implied_volatility delta gamma theta vega'
const CHAIN = [
  {
    strike: 26050,
    ce: chainLeg(
      'NIFTY24NOV2626050CE',
      'ITM1',
      '173.25 173.2 173.35 2210 1625 143.85 179.8 137.45 136.3 1125605 130130 12.09 0.5858 0.001152 -15.7379 10.9024',
    ),
    pe: chainLeg(
      'NIFTY24NOV2626050PE',
      'OTM1',
      '102.25 102.15 102.25 1950 910 126.5 132.25 98.7 155.2 314665 84110 12.09 -0.4142 0.001152 -15.7441 10.9026',
    ),
  },
  {
    strike: 26100,
    ce: chainLeg(
      'NIFTY24NOV2626100CE',
      'ATM',
      '144.95 144.95 145.1 2535 2340 118.85 150.9 113.25 113.45 1108835 22165 12.02 0.5275 0.001183 -15.9878 11.1352',
    ),
    pe: chainLeg(
      'NIFTY24NOV2626100PE',
      'ATM',
      '123.9 123.9 123.95 910 520 151.5 158 119.75 182.25 2365090 57785 12.02 -0.4725 0.001183 -15.9878 11.1352',
    ),
  },
  {
    strike: 26150,
    ce: chainLeg(
      'NIFTY24NOV2626150CE',
      'OTM1',
      '119.75 119.7 119.85 2145 455 97 125.05 92.1 93.4 654030 38480 11.97 0.4681 0.001187 -15.9077 11.1261',
    ),
    pe: chainLeg(
      'NIFTY24NOV2626150PE',
      'ITM1',
      '148.65 148.6 148.7 455 130 179.6 186.85 143.85 212.15 859560 27625 11.97 -0.5319 0.001187 -15.9017 11.1261',
    ),
  },
]
const OPTION_GREEKS = {
  status: 'success',
  symbol: 'NIFTY24NOV2626000CE',
  exchange: 'NFO',
  underlying: 'NIFTY',
  strike: 26000,
  option_type: 'CE',
  expiry_date: '24-Nov-2026',
  days_to_expiry: 4.1875,
  spot_price: 26121.05,
  option_price: 204.6,
  interest_rate: 0,
  implied_volatility: 12.17,
  greeks: { delta: 0.6416, gamma: 0.001097, theta: -15.1913, vega: 10.451, rho: -0.023473 },
}
const SESSION = {
  exchange: 'CRYPTO',
  start_time: Date.parse('2026-11-21T00:00:00+05:30'),
  end_time: Date.parse('2026-11-21T23:59:59+05:30'),
}
const EXPIRIES = [
  '26-NOV-26',
  '29-DEC-26',
  '27-JAN-27',
  '24-FEB-27',
  '29-MAR-27',
  '28-APR-27',
  '27-MAY-27',
  '28-JUN-27',
  '28-JUL-27',
  '27-AUG-27',
  '28-SEP-27',
  '27-OCT-27',
]

function levels(...pairs: [price: number, quantity: number][]) {
  return pairs.map(([price, quantity]) => ({ price, quantity }))
}

/** Returns one side of a strike; `values` has a number for each of the fields. */
function chainLeg(symbol: string, label: string, values: string) {
  const numbers = values.split(' ').map(Number)
  const fields = LEG_FIELDS.split(' ').map((field, place) => [field, numbers[place]])
  return { symbol, label, ...Object.fromEntries(fields), lotsize: 65, tick_size: 0.05 }
}

const REFUSED = (message: string) => ({ status: 'error', message: expect.stringMatching(message) })

interface Reading {
  method?: 'GET'
  path: string
  body?: Record<string, unknown>
  status?: number
  /** True if the request and its answer are logged. */
  logged?: true
  /** The whole answer. */
  answer: Record<string, unknown>
}

const ok = (answer: object) => ({ status: 'success', ...answer })

/** Every endpoint that only reads prices, instruments or the calendar, or that sends a message. */
const READINGS: readonly Reading[] = [
  { path: 'quotes', logged: true, body: SBIN, answer: ok({ data: QUOTE }) },
  {
    path: 'multiquotes',
    body: { symbols: [SBIN] },
    answer: ok({ results: [{ ...SBIN, data: QUOTE }] }),
  },
  {
    path: 'depth',
    logged: true,
    body: SBIN,
    answer: ok({ data: DEPTH }),
  },
  {
    path: 'history',
    logged: true,
    body: { ...SBIN, interval: 'D', start_date: '2026-11-20', end_date: '2026-11-20' },
    answer: ok({ data: [BAR] }),
  },
  {
    path: 'intervals',
    answer: ok({
      data: {
        seconds: [],
        minutes: ['1m', '3m', '5m', '10m', '15m', '30m'],
        hours: ['1h'],
        days: ['D'],
        weeks: [],
        months: [],
      },
    }),
  },
  {
    method: 'GET',
    path: 'ticker/NSE:SBIN',
    body: { from: '2026-11-20', to: '2026-11-20' },
    answer: ok({ data: [BAR] }),
  },
  {
    path: 'optionsymbol',
    body: { ...NIFTY, offset: 'ATM', option_type: 'CE' },
    answer: ok({
      symbol: 'NIFTY24NOV2626100CE',
      exchange: 'NFO',
      lotsize: 65,
      tick_size: 0.05,
      freeze_qty: 1800,
      underlying_ltp: SPOT,
    }),
  },
  {
    path: 'optionchain',
    body: { ...NIFTY, strike_count: 1, with_greeks: true },
    answer: ok({
      underlying: 'NIFTY',
      underlying_symbol: 'NIFTY',
      underlying_exchange: 'NSE_INDEX',
      underlying_ltp: SPOT,
      underlying_prev_close: 26000.4,
      expiry_date: '24NOV26',
      atm_strike: 26100,
      expiry_ts: Date.parse('2026-11-24T15:30:00+05:30') / 1000,
      server_ts: Date.parse(FRIDAY_11) / 1000,
      quotes_included: true,
      greeks_included: true,
      forward_price: FORWARD,
      chain: CHAIN,
    }),
  },
  {
    path: 'syntheticfuture',
    body: NIFTY,
    answer: ok({
      underlying: 'NIFTY',
      underlying_ltp: SPOT,
      expiry: '24NOV26',
      atm_strike: 26100,
      synthetic_future_price: FORWARD,
    }),
  },
  { path: 'optiongreeks', body: OPTION, answer: OPTION_GREEKS },
  {
    path: 'multioptiongreeks',
    body: { symbols: [OPTION] },
    answer: ok({ data: [OPTION_GREEKS], summary: { total: 1, success: 1, failed: 0 } }),
  },
  { path: 'symbol', body: SBIN, answer: ok({ data: { id: 3, ...ROW } }) },
  {
    path: 'search',
    body: { query: 'SBIN', exchange: 'NSE' },
    answer: ok({ message: 'Found 1 matching symbols', data: [ROW] }),
  },
  {
    path: 'expiry',
    body: { symbol: 'USDINR', exchange: 'CDS', instrumenttype: 'futures' },
    answer: ok({
      message: `Found ${EXPIRIES.length} expiry dates for USDINR futures in CDS`,
      data: EXPIRIES,
    }),
  },
  {
    method: 'GET',
    path: 'instruments',
    body: { exchange: 'MCX_INDEX' },
    answer: ok({ message: 'No instruments found', data: [] }),
  },
  {
    path: 'market/holidays',
    body: { year: 2031 },
    answer: ok({
      year: 2031,
      timezone: 'Asia/Kolkata',
      data: [],
      warning: 'The calendar has no holidays of 2031: a holiday that is missing counts as a trading day.',
    }),
  },
  { path: 'market/timings', body: { date: '2026-11-21' }, answer: ok({ data: [SESSION] }) },
  {
    path: 'checkholiday',
    body: { date: '2026-01-26' },
    answer: ok({ data: { date: '2026-01-26', exchange: 'ALL', is_holiday: true } }),
  },
  { method: 'GET', path: 'chart', answer: ok({ data: {} }) },
  { path: 'ping', answer: ok({ data: { message: 'pong', broker: 'simulated' } }) },
  { path: 'telegram/notify', status: 409, answer: REFUSED('^Telegram bot is stopped') },
  { path: 'whatsapp/notify', status: 409, answer: REFUSED('^WhatsApp is not paired') },
]

const MODES = [
  { name: 'live', analyze: false, orders: 'auto' },
  { name: 'analyze', analyze: true, orders: 'auto' },
  { name: 'semi-auto', analyze: false, orders: 'semi_auto' },
  { name: 'semi-auto in analyze', analyze: true, orders: 'semi_auto' },
] as const

describe.each(MODES)('in $name mode', ({ analyze, orders }) => {
  let rig: MarketApp
  let published = 0
  beforeAll(async () => {
    rig = await MarketApp.open()
    await rig.service.settings.setAnalyzeMode(analyze)
    rig.service.bus.subscribe('*', 'test', () => {
      published += 1
    })
    await rig.service.identity.apiKeys.setOrderMode(USER, orders)
  })
  afterAll(() => rig?.close())

  /** Returns everything that an order or a request log would have left behind. */
  async function traces() {
    const { approvals, bus, journal, orderLogs, sandbox } = rig.service
    await bus.idle()
    return {
      journal: await journal.list(USER, 10),
      queued: approvals.count(USER),
      logs: { live: await orderLogs.count('live', {}), analyze: await orderLogs.count('analyze', {}) },
      sandbox: (await sandbox.books.orderbook(USER)).orders,
      published,
    }
  }

  test.each(READINGS)('$path answers as in any other, and leaves at most a row of a log', async (reading) => {
    const { method, path, body = {}, logged, status = 200, answer } = reading
    const before = await traces()
    const query = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
    const reply = method === 'GET' ? await rig.get(path, query) : await rig.post(path, body)
    expect(reply.body).toEqual(answer)
    expect(reply.status).toBe(status)
    const log = analyze ? 'analyze' : 'live'
    const logs = { ...before.logs, [log]: before.logs[log] + (logged ? 1 : 0) }
    expect(await traces()).toEqual({ ...before, logs })
  })
})
