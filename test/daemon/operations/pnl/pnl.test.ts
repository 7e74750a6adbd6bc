import { describe, expect, it } from 'vitest'
import type { PnlDay } from '../../../../src/core/pnl/index.js'
import { DAY_MS, istInstant, istTime, MINUTE_MS } from '../../../../src/core/time/index.js'
import {
  type PlainInstrument,
  type PlainTrade,
  paise,
  plainSeries,
} from '../../../core/pnl/plain-reference.js'
import { asleep } from '../../../support/asleep.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const DATE = '2026-11-20'
const FUTURE = { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO' }
const OPENED = deskClock(istInstant(DATE, '09:20')).now()

interface TradeBookRow {
  symbol: string
  exchange: string
  action: 'BUY' | 'SELL'
  quantity: number
  average_price: number
  timestamp: string
}

/** A desk in one of the modes, with the calls of these tests. */
class PnlDesk {
  private constructor(
    readonly http: HttpDesk,
    private token: string,
  ) {}

  static async open(mode: 'live' | 'analyze', at = OPENED): Promise<PnlDesk> {
    const http = await HttpDesk.open({ clock: deskClock(at) })
    const token = await http.signIn()
    const desk = new PnlDesk(http, token)
    await http.request('POST', `/settings/analyze-mode/${mode === 'analyze' ? 1 : 0}`, {
      headers: bearer(token),
    })
    return desk
  }

  async order(action: 'BUY' | 'SELL', quantity: number, fields: object = {}): Promise<void> {
    const body = {
      apikey: this.http.apikey,
      strategy: 't',
      symbol: 'SBIN',
      exchange: 'NSE',
      product: 'MIS',
      action,
      quantity,
      pricetype: 'MARKET',
      ...fields,
    }
    const { body: answer } = await this.api('placeorder', body)
    expect(answer).toMatchObject({ status: 'success' })
    await this.http.desk.clock.advance(2000)
  }

  api(path: string, body: object) {
    const call = { body: { apikey: this.http.apikey, ...body } }
    return this.http.desk.settled(this.http.request('POST', `/api/v1/${path}`, call))
  }

  async pnl(): Promise<PnlDay> {
    const call = { headers: bearer(this.token) }
    const reply = await this.http.desk.settled(this.http.request('POST', '/pnltracker/api/pnl', call))
    expect([reply.status, reply.body.status]).toEqual([200, 'success'])
    return reply.body.data as unknown as PnlDay
  }

  headers() {
    return bearer(this.token)
  }

  async signInAgain(): Promise<void> {
    this.token = await this.http.signIn()
  }

  minutes(count: number): Promise<void> {
    return this.http.desk.clock.advance(count * MINUTE_MS)
  }

  /** Returns an instrument as the plain reference needs it, from the public books and bars. */
  async plainly(
    symbol: string,
    exchange = 'NSE',
    carried?: PlainInstrument['carried'],
  ): Promise<PlainInstrument> {
    const trades = (await this.api('tradebook', {})).body.data as unknown as TradeBookRow[]
    const bars = await this.bars({ symbol, exchange }, '1m', DATE)
    return {
      trades: trades
        .filter((row) => row.symbol === symbol)
        .map(plainTrade)
        .sort((a, b) => a.at - b.at),
      carried,
      bars: bars.map(({ close, timestamp }) => ({ at: timestamp * 1000, close: units(close) })),
    }
  }

  async bars(ref: object, interval: string, date: string): Promise<{ close: number; timestamp: number }[]> {
    const query = { ...ref, interval, start_date: date, end_date: DATE }
    return (await this.api('history', query)).body.data as never
  }
}

const units = (rupees: number): bigint => BigInt(Math.round(rupees * 10_000))

/** The book of the sandbox has the date, the live one only the time. */
function plainTrade({ action: side, average_price, quantity, timestamp }: TradeBookRow): PlainTrade {
  const at = istInstant(DATE, timestamp.slice(-8))
  return { side, quantity: BigInt(quantity) * 100_000_000n, price: units(average_price), at }
}

/** The exchange fills within a second, so the books of both modes agree to the second. */
function plainly(instruments: PlainInstrument[], now: number): [string, number][] {
  const series = plainSeries(instruments, { quarterPastNine: istInstant(DATE, '09:15'), now })
  return series.map(({ at, value }) => [istTime(at), paise(value)])
}

const seriesOf = ({ pnl_series }: PnlDay): [string, number][] =>
  pnl_series.map(({ time, value }) => [istTime(time), value])

describe.each(['live', 'analyze'] as const)('the profit and loss of the day (%s)', (mode) => {
  it('is zero without trades and positions', async () => {
    const desk = await PnlDesk.open(mode)
    expect(await desk.pnl()).toEqual({
      current_mtm: 0,
      max_mtm: 0,
      max_mtm_time: null,
      min_mtm: 0,
      min_mtm_time: null,
      max_drawdown: 0,
      pnl_series: [],
      drawdown_series: [],
    })
  })

  it('follows the trades of two instruments by the minute', async () => {
    const desk = await PnlDesk.open(mode)
    await desk.order('BUY', 10)
    await desk.minutes(3)
    await desk.order('SELL', 4)
    await desk.order('SELL', 25, { symbol: 'INFY' })
    await desk.minutes(7)
    await desk.order('BUY', 30, { symbol: 'INFY' })
    await desk.minutes(5)
    const plain = [await desk.plainly('SBIN'), await desk.plainly('INFY')]
    const now = desk.http.desk.clock.now()
    const day = await desk.pnl()
    expect(seriesOf(day)).toEqual(plainly(plain, now))
    expect(seriesOf(day)[0]).toEqual(['09:15:00', 0])
    expect(day.current_mtm).not.toBe(0)
    expect(day.max_drawdown).toBeLessThan(0)
  })

  it('counts a position of the day before from its previous close', async () => {
    const desk = await PnlDesk.open(mode, istInstant(DATE, '15:00') - DAY_MS)
    await desk.order('BUY', 130, { ...FUTURE, product: 'NRML' })
    const { clock } = desk.http.desk
    await clock.advance(istInstant(DATE, '15:31') - DAY_MS - clock.now())
    await asleep(clock, istInstant(DATE, '09:25') - clock.now(), MINUTE_MS)
    // The session of the day before has ended.
    await desk.signInAgain()
    await desk.order('SELL', 65, { ...FUTURE, product: 'NRML' })
    await desk.minutes(10)
    const close = (await desk.bars(FUTURE, 'D', '2026-11-19'))[0]?.close ?? 0
    const plain = await desk.plainly(FUTURE.symbol, 'NFO', {
      quantity: 130n * 100_000_000n,
      close: units(close),
    })
    const now = desk.http.desk.clock.now()
    const day = await desk.pnl()
    expect(seriesOf(day)).toEqual(plainly([plain], now))
    expect(seriesOf(day)[0]?.[0]).toBe('09:15:00')
  })
})

describe('the route of the profit and loss', () => {
  it('ignores its body', async () => {
    const desk = await PnlDesk.open('analyze')
    for (const text of ['', '[]', '{', '{"__proto__":{}}', 'x'.repeat(1000)]) {
      const headers = desk.headers()
      const reply = await desk.http.request('POST', '/pnltracker/api/pnl', { text, headers })
      expect([text, reply.status]).toEqual([text, 200])
    }
  })

  it('needs a connected broker, whose bars it shows', async () => {
    const desk = await PnlDesk.open('analyze')
    await desk.http.desk.service.brokers.close()
    const reply = await desk.http.request('POST', '/pnltracker/api/pnl', { headers: desk.headers() })
    expect([reply.status, reply.body.message]).toEqual([400, 'Broker not set in session'])
  })

  it.each(['/pnltracker/legacy', '/test_chart'])('%s says that it is unavailable', async (path) => {
    const desk = await PnlDesk.open('analyze')
    const reply = await desk.http.request('GET', path, { headers: desk.headers() })
    expect([reply.status, reply.body.message]).toEqual([
      404,
      'This page is registered but unavailable. Open /pnl-tracker instead.',
    ])
  })
})
