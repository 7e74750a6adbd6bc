import { expect, test } from 'vitest'
import { API_ROUTES } from '../../../support/desk/api-routes.js'
import { HttpDesk } from '../../../support/desk/http-desk.js'

/** Endpoints that the service answers itself. All other reading endpoints ask the broker. */
const OWN = [
  'desk',
  ...['symbol', 'search', 'expiry', 'instruments', 'market/holidays', 'market/timings', 'checkholiday'],
  ...['chart', 'analyzer', 'telegram/notify', 'whatsapp/notify'],
  ...['telegram/config', 'telegram/users', 'telegram/stats', 'strategy/list'],
]
/** Endpoints that read what is stored when the broker cannot be asked, only in Analyzer mode, or of a strategy. */
const ELSEWHERE = [
  ...['orderstatus', 'pnl/symbols', 'refusedorders', 'why'],
  ...['status', 'runs', 'orders', 'events'].map((path) => `strategy/${path}`),
]

test('without a broker session, routes that need one are refused and the others answer', async () => {
  const http = await HttpDesk.open()
  await http.desk.service.brokers.logout()
  for (const { method, path, body, optional, reads } of API_ROUTES) {
    if (!reads || ELSEWHERE.includes(path)) continue
    const fields = { ...body, ...optional }
    const query = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
    const { status, body: reply } = await http.request(
      method,
      `/api/v1/${path}${method === 'GET' ? `?${new URLSearchParams(query)}` : ''}`,
      { ...(method === 'POST' && { body: fields }), headers: { 'x-api-key': http.apikey } },
    )
    if (OWN.includes(path)) {
      // No messenger is set up.
      expect([path, status]).toEqual([path, path.endsWith('/notify') ? 409 : 200])
    } else {
      expect([path, status, reply.status, reply.message]).toEqual([
        path,
        path === 'multioptiongreeks' ? 200 : 403,
        'error',
        expect.stringMatching(
          /The Simulated \w* ?session is missing or has ended\. Sign in with: svc broker login$/i,
        ),
      ])
    }
  }
})
