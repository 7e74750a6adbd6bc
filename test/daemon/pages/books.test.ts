import { beforeEach, expect, test } from 'vitest'
import { BROWSER, Browser } from '../../support/desk/browser.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

let http: HttpDesk
let browser: Browser

beforeEach(async () => {
  http = await HttpDesk.open()
  browser = await Browser.signedIn(http)
})

const place = (order: object) =>
  http.desk.settled(
    http.request('POST', '/api/v1/placeorder', {
      body: {
        apikey: http.apikey,
        ...{ strategy: 'pages', exchange: 'NSE', product: 'MIS', pricetype: 'MARKET' },
        ...order,
      },
    }),
  )

const book = async (name: string): Promise<unknown> =>
  (await http.request('POST', `/api/v1/${name}`, { body: { apikey: http.apikey } })).body.data

/** The texts of the cells, row by row. */
const rowsOf = (html: string) =>
  [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
        cell
          .replace(/<[^>]+>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      ),
    )
    .filter((row) => row.length > 0)

test('the page of the orders has each order of today with its state, the newest first', async () => {
  expect((await browser.open('/orders')).text).toContain('No order today.')
  await place({ symbol: 'SBIN', action: 'BUY', quantity: 10 })
  await http.desk.clock.advance(60_000)
  await place({ symbol: 'INFY', action: 'SELL', quantity: 5, pricetype: 'LIMIT', price: 9 })
  const { orders } = (await book('orderbook')) as { orders: { orderid: string }[] }
  const rows = rowsOf((await browser.open('/orders')).text)
  expect(rows.map((row) => row[1])).toEqual(['INFY NSE MIS', 'SBIN NSE MIS'])
  expect(rows[1]).toEqual(expect.arrayContaining(['BUY', '10', 'MARKET', 'complete']))
  for (const { orderid } of orders) {
    expect(rows.flat().some((text) => text.startsWith(orderid))).toBe(true)
  }
})

test('the page of the positions has sides, values and the sum of the profits', async () => {
  expect((await browser.open('/positions')).text).toContain('No position.')
  await place({ symbol: 'SBIN', action: 'BUY', quantity: 10 })
  await place({ symbol: 'INFY', action: 'SELL', quantity: 5 })
  const { text } = await browser.open('/positions')
  const rows = rowsOf(text)
  expect(rows.map(([name, side, quantity]) => [name, side, quantity]).sort()).toEqual([
    ['INFY NSE MIS', 'short', '-5'],
    ['SBIN NSE MIS', 'long', '10'],
  ])
  expect(text).toContain('<dt>Open</dt><dd>2</dd>')
})

test('a script gets the books as from the API', async () => {
  await place({ symbol: 'SBIN', action: 'BUY', quantity: 10 })
  const headers = bearer(await http.signIn())
  for (const [page, name] of [
    ['/orders', 'orderbook'],
    ['/positions', 'positionbook'],
  ] as const) {
    expect((await http.request('GET', page, { headers })).body.data).toEqual(await book(name))
  }
})

test('anybody gets the manifest and its icon, which every page names', async () => {
  const { text, headers } = await browser.open('/orders')
  const [, manifest = ''] = /<link rel="manifest" href="([^"]+)"/.exec(text) ?? []
  expect(headers.get('content-security-policy')).toContain("manifest-src 'self'")
  const answer = await http.request('GET', manifest)
  expect(answer.headers.get('content-type')).toBe('application/manifest+json')
  const { icons, start_url, display } = JSON.parse(answer.text)
  expect([start_url, display]).toEqual(['/action-center', 'standalone'])
  const icon = await http.request('GET', icons[0].src, { headers: BROWSER })
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})
