import { expect, test } from 'vitest'
import { ALL_OPERATION_LIST } from '../../../../src/daemon/operations/all.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const MARK = '239,187,191'
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'

/** Every route that answers with a CSV file, by its operation. */
const FILES: Readonly<Record<string, string>> = {
  'GET /logs/export': '/logs/export?',
  'GET /analyzer/export': '/analyzer/export?',
  'GET /traffic/export': '/traffic/export?',
  'GET /latency/export': '/latency/export?',
  'GET /health/export': '/health/export?hours=1',
  'GET /audit/export': '/audit/export?format=csv',
  'GET /sandbox/mypnl/export/:kind': '/sandbox/mypnl/export/trades?',
  'GET /api/v1/instruments': '/api/v1/instruments?format=csv&exchange=NSE',
}

/** What the query and the browser say, and whether the file begins with a byte order mark then. */
const RULE = [
  ['', '*/*', false],
  ['', BROWSER, true],
  ['&bom=true', '*/*', true],
  ['&bom=false', BROWSER, false],
] as const

test('every CSV file has a byte order mark for a browser or with bom=true, and none for a program or with bom=false', async () => {
  const names = ALL_OPERATION_LIST.filter(({ answerText }) => answerText === 'text/csv').map(
    ({ name }) => name,
  )
  expect(Object.keys(FILES).sort()).toEqual(names.sort())
  const http = await HttpDesk.open()
  const headers = { ...bearer(await http.signIn()), 'x-api-key': http.apikey }
  await http.request('POST', '/settings/analyze-mode/1', { headers })
  const order = { strategy: 'दीपावली ₹', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }
  await http.request('POST', '/api/v1/placeorder', { headers, body: { ...order, product: 'MIS' } })
  for (const [name, address] of Object.entries(FILES)) {
    for (const [query, accept, hasMark] of RULE) {
      const response = await http.app.request(address + query, { headers: { ...headers, accept } }, {})
      const first = new Uint8Array(await response.arrayBuffer()).slice(0, 3).join()
      const seen = [response.status, response.headers.get('content-type'), first === MARK]
      expect([name, query, ...seen]).toEqual([name, query, 200, 'text/csv; charset=utf-8', hasMark])
    }
    const refused = await http.request('GET', `${address}&bom=yes`, { headers })
    expect([name, refused.status, refused.text]).toEqual([name, 400, expect.stringContaining('bom')])
  }
})

test('the lines of the audit trail have no byte order mark: they are no CSV', async () => {
  const http = await HttpDesk.open()
  const headers = { ...bearer(await http.signIn()), accept: BROWSER }
  const { text } = await http.request('GET', '/audit/export?format=jsonl&bom=true', { headers })
  expect(text.startsWith('{')).toBe(true)
})
