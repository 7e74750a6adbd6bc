import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { MarketApp } from '../../../support/desk/market-app.js'

const N = expect.any(Number)
const TEXT = expect.any(String)
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }
const OPTION = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO' }
const EXPIRY = expect.stringMatching(/^\d\d-[A-Z]{3}-\d\d$/)

const QUOTE = { ask: N, bid: N, high: N, low: N, ltp: N, open: N, prev_close: N, volume: N, oi: N }
const SIZED_QUOTE = { ...QUOTE, bid_qty: N, ask_qty: N }
const LEVELS = Array.from({ length: 5 }, () => ({ price: N, quantity: N }))
const BAR = { timestamp: N, open: N, high: N, low: N, close: N, volume: N, oi: N }
const ROW = {
  ...{ symbol: TEXT, brsymbol: TEXT, name: TEXT, exchange: TEXT, brexchange: TEXT, token: TEXT },
  ...{ expiry: TEXT, strike: N, lotsize: N, instrumenttype: TEXT, tick_size: N },
}
const GREEKS = { delta: N, gamma: N, theta: N, vega: N }
const CHAIN_LEG = {
  ...{ symbol: TEXT, label: TEXT, ltp: N, bid: N, ask: N, bid_qty: N, ask_qty: N, open: N, high: N, low: N },
  ...{ prev_close: N, volume: N, oi: N, lotsize: N, tick_size: N, implied_volatility: N, ...GREEKS },
}
const OPTION_GREEKS = {
  ...{ status: 'success', symbol: OPTION.symbol, exchange: 'NFO', underlying: 'NIFTY', strike: 26000 },
  ...{ option_type: 'CE', expiry_date: '24-Nov-2026', days_to_expiry: N, spot_price: N, option_price: N },
  ...{ interest_rate: 0, implied_volatility: N },
  greeks: { ...GREEKS, rho: N },
}
const SESSION = { exchange: TEXT, start_time: N, end_time: N }
const REFUSED = (message: string) => ({ status: 'error', message: expect.stringMatching(message) })

interface Reading {
  method?: 'GET'
  path: string
  body?: Record<string, unknown>
  status?: number
  /** The expected members of the whole answer; a list stands for one of its rows. */
  answer: Record<string, unknown>
}

const ok = (answer: object) => ({ status: 'success', ...answer })

/** Every endpoint that only reads prices, instruments or the calendar, or that sends a message. */
const READINGS: readonly Reading[] = [
  { path: 'quotes', body: SBIN, answer: ok({ data: SIZED_QUOTE }) },
  {
    path: 'multiquotes',
    body: { symbols: [SBIN] },
    answer: ok({ results: [{ ...SBIN, data: SIZED_QUOTE }] }),
  },
  {
    path: 'depth',
    body: SBIN,
    answer: ok({
      data: {
        ...QUOTE,
        ask: undefined,
        bid: undefined,
        asks: LEVELS,
        bids: LEVELS,
        ltq: N,
        totalbuyqty: N,
        totalsellqty: N,
      },
    }),
  },
  {
    path: 'history',
    body: { ...SBIN, interval: 'D', start_date: '2026-11-20', end_date: '2026-11-20' },
    answer: ok({ data: [BAR] }),
  },
  {
    path: 'intervals',
    answer: ok({
      data: {
        seconds: [],
        minutes: expect.arrayContaining(['1m', '5m']),
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
      symbol: TEXT,
      exchange: 'NFO',
      lotsize: 65,
      tick_size: 0.05,
      freeze_qty: 1800,
      underlying_ltp: N,
    }),
  },
  {
    path: 'optionchain',
    body: { ...NIFTY, strike_count: 1, with_greeks: true },
    answer: ok({
      ...{
        underlying: 'NIFTY',
        underlying_symbol: 'NIFTY',
        underlying_exchange: 'NSE_INDEX',
        underlying_ltp: N,
      },
      ...{ underlying_prev_close: N, expiry_date: '24NOV26', expiry_ts: N, server_ts: N, atm_strike: N },
      ...{ quotes_included: true, greeks_included: true, forward_price: N },
      chain: Array.from({ length: 3 }, () => ({ strike: N, ce: CHAIN_LEG, pe: CHAIN_LEG })),
    }),
  },
  {
    path: 'syntheticfuture',
    body: NIFTY,
    answer: ok({
      underlying: 'NIFTY',
      underlying_ltp: N,
      expiry: '24NOV26',
      atm_strike: N,
      synthetic_future_price: N,
    }),
  },
  { path: 'optiongreeks', body: OPTION, answer: OPTION_GREEKS },
  {
    path: 'multioptiongreeks',
    body: { symbols: [OPTION] },
    answer: ok({ data: [OPTION_GREEKS], summary: { total: 1, success: 1, failed: 0 } }),
  },
  { path: 'symbol', body: SBIN, answer: ok({ data: { id: N, ...ROW, freeze_qty: 1 } }) },
  {
    path: 'search',
    body: { query: 'SBIN', exchange: 'NSE' },
    answer: ok({ message: 'Found 1 matching symbols', data: [{ ...ROW, freeze_qty: 1 }] }),
  },
  {
    path: 'expiry',
    body: { symbol: 'USDINR', exchange: 'CDS', instrumenttype: 'futures' },
    answer: ok({
      message: expect.stringMatching(/^Found \d+ expiry dates for USDINR futures in CDS$/),
      data: expect.arrayContaining([EXPIRY]),
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
    answer: ok({ year: 2031, timezone: 'Asia/Kolkata', data: [] }),
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
  }, 60_000)
  afterAll(() => rig?.close())

  /** Returns everything that an order or a request log would have left behind. */
  async function traces() {
    const { approvals, bus, journal, orderLogs, sandbox } = rig.service
    await bus.idle()
    return {
      journal: await journal.list(USER, 10),
      queued: approvals.count(USER),
      logs: [await orderLogs.count('live', {}), await orderLogs.count('analyze', {})],
      sandbox: (await sandbox.books.orderbook(USER)).orders,
      published,
    }
  }

  test.each(READINGS)('$path answers as in any other, and does nothing else', async (reading) => {
    const { method, path, body = {}, status = 200, answer } = reading
    const before = await traces()
    const query = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
    const reply = method === 'GET' ? await rig.get(path, query) : await rig.post(path, body)
    expect(reply.body).toEqual(answer)
    expect(reply.status).toBe(status)
    expect(await traces()).toEqual(before)
  })
})
