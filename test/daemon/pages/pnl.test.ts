import { describe, expect, test } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time/index.js'
import { Browser } from '../../support/desk/browser.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

/* The day of the desk is in the past and at an hour of trading, so a curve can be long at any hour. */

interface Point {
  value: number
}

test('the pictures follow the profit of the day and its drawdown, minute by minute', async () => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  const { clock } = http.desk
  const order = (action: string, quantity: number) =>
    http.desk.settled(
      http.request('POST', '/api/v1/placeorder', {
        body: {
          apikey: http.apikey,
          strategy: 's',
          symbol: 'SBIN',
          exchange: 'NSE',
          product: 'MIS',
          action,
          quantity,
          pricetype: 'MARKET',
        },
      }),
    )
  await order('BUY', 100)
  await clock.advance(30 * MINUTE_MS)
  await order('SELL', 250)
  await clock.advance(30 * MINUTE_MS)
  const answer = await http.desk.settled(http.request('POST', '/pnltracker/api/pnl', { headers }))
  const { drawdown_series, pnl_series } = answer.body.data as Record<string, Point[]>
  const browser = await Browser.signedIn(http)
  const { text } = await browser.open('/pnl-tracker')
  const curves = [...text.matchAll(/<polyline[^>]* points="([^"]+)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => Number(point.split(',')[1])),
  )
  expect(curves).toHaveLength(2)
  for (const [index, series = []] of [pnl_series, drawdown_series].entries()) {
    const heights = curves[index] ?? []
    const values = series.map(({ value }) => value)
    expect(new Set(values).size).toBeGreaterThan(20)
    expect(heights).toHaveLength(values.length)
    // A picture counts from the top: the highest value is the lowest number.
    const scale = scaleOf(values, heights)
    values.forEach((value, minute) => void expect(scale(value)).toBeCloseTo(heights[minute] ?? Number.NaN, 0))
  }
})

test('the page waits for no bars: it has the position book at once, and the curves once the bars are read', async () => {
  const http = await HttpDesk.open()
  const { clock } = http.desk
  const options = ['23000CE', '26000CE', '26000PE', '28000CE'].map((end) => `NIFTY24NOV26${end}`)
  const symbols = ['SBIN', 'INFY', ...options]
  for (const symbol of symbols) {
    const where = options.includes(symbol) ? { exchange: 'NFO' } : { exchange: 'NSE' }
    const order = { strategy: 's', symbol, ...where, product: 'MIS', action: 'BUY', quantity: 65 }
    const body = { apikey: http.apikey, ...order, pricetype: 'MARKET' }
    await http.desk.settled(http.request('POST', '/api/v1/placeorder', { body }))
  }
  await clock.advance(30 * MINUTE_MS)
  const browser = await Browser.signedIn(http)
  const before = clock.now()
  const first = await http.desk.settled(browser.open('/pnl-tracker'))
  expect(clock.now() - before).toBeLessThan(300)
  expect(first.text).toContain('The bars of the day are being read')
  expect(first.text).toContain('data-every="3"')
  expect(first.text).not.toContain('<polyline')
  for (const symbol of symbols) expect(first.text).toContain(`<b>${symbol}</b>`)
  await clock.advance(5000)
  const second = await http.desk.settled(browser.open('/pnl-tracker'))
  expect(second.text.match(/<polyline/g)).toHaveLength(2)
  expect(second.text).not.toContain('are being read')
  expect(second.text).toContain('data-every="60"')
})

describe('the profit by strategy', () => {
  /** Returns the cells of the table, row by row, as a browser without scripts shows them. */
  const rowsOf = (html: string): string[][] => {
    const [, table = ''] = /<caption>By strategy,[^<]*<\/caption>(.*?)<\/table>/s.exec(html) ?? []
    const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(table) ?? []
    const textOf = (cell: string) =>
      cell.replace(/<span class="sub">.*?<\/span>/gs, '').replace(/<[^>]+>/g, '')
    return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => textOf(cell).trim()),
    )
  }
  const rupees = (text = '') => Number(text.replace(/[₹,]/g, ''))
  /** Adds up a column of all rows but the last, in whole paise. */
  const summed = (rows: readonly string[][], column: number) =>
    rows.slice(0, -1).reduce((sum, row) => sum + Math.round(rupees(row[column]) * 100), 0)

  async function traded(mode: 'live' | 'analyze') {
    const http = await HttpDesk.open()
    const headers = bearer(await http.signIn())
    await http.request('POST', `/settings/analyze-mode/${mode === 'analyze' ? 1 : 0}`, { headers })
    const order = (strategy: string, action: string, quantity: number) => {
      const what = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', action, quantity }
      const body = { apikey: http.apikey, strategy, ...what, pricetype: 'MARKET' }
      return http.desk.settled(http.request('POST', '/api/v1/placeorder', { body }))
    }
    await order('orb', 'BUY', 100)
    await order('vwap', 'BUY', 40)
    await http.desk.clock.advance(30 * MINUTE_MS)
    await order('orb', 'SELL', 100)
    await http.desk.clock.advance(30 * MINUTE_MS)
    const rows = async () => {
      const browser = await Browser.signedIn(http)
      return rowsOf((await http.desk.settled(browser.open('/pnl-tracker'))).text)
    }
    return { http, rows }
  }

  test.each(['analyze', 'live'] as const)(
    'has a row for each, and the sum of the account in %s',
    async (mode) => {
      const { rows } = await traded(mode)
      const table = await rows()
      const names = table.map(([name]) => name)
      expect(names.slice(0, 2).toSorted()).toEqual(['orb', 'vwap'])
      expect(names.slice(2)).toEqual(['No strategy', 'Account'])
      const orb = table.find(([name]) => name === 'orb') ?? []
      const vwap = table.find(([name]) => name === 'vwap') ?? []
      expect(orb[2]).toBe('₹0.00')
      expect(rupees(orb[1])).not.toBe(0)
      expect(vwap[1]).toBe('₹0.00')
      expect(rupees(vwap[2])).not.toBe(0)
      const account = table.at(-1) ?? []
      for (const column of [1, 2, 3])
        expect(summed(table, column)).toBe(Math.round(rupees(account[column]) * 100))
    },
  )

  test('what was ordered at the broker itself is in the row without a strategy', async () => {
    const { http, rows } = await traded('live')
    const { orders } = http.desk.service.brokers.client()
    const order = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', action: 'BUY', quantity: 50 } as const
    const terms = { priceType: 'MARKET', price: 0, triggerPrice: 0, disclosedQuantity: 0 } as const
    await http.desk.settled(orders.place({ strategy: '', ...order, ...terms }, 'OTHER'))
    await http.desk.clock.advance(30 * MINUTE_MS)
    const table = await rows()
    const rest = table.find(([name]) => name === 'No strategy') ?? []
    expect(rupees(rest[3])).not.toBe(0)
    expect(summed(table, 3)).toBe(Math.round(rupees(table.at(-1)?.[3]) * 100))
  })
})

/** Returns the line through the highest and the lowest point of a picture. */
function scaleOf(values: readonly number[], heights: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [bottom, top] = [Math.max(...heights), Math.min(...heights)]
  return (value) => bottom + ((value - low) / (high - low)) * (top - bottom)
}
