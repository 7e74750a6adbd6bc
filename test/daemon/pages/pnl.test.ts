import { expect, test } from 'vitest'
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

/** Returns the line through the highest and the lowest point of a picture. */
function scaleOf(values: readonly number[], heights: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [bottom, top] = [Math.max(...heights), Math.min(...heights)]
  return (value) => bottom + ((value - low) / (high - low)) * (top - bottom)
}
