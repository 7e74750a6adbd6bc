import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

const PROXIED = { env: { TRUST_PROXY_HEADERS: 'true' } }
const CLIENT = '198.51.100.9'

/** The whole daemon behind a proxy that names its client in X-Real-IP. */
async function open() {
  const http = await HttpDesk.open(PROXIED)
  const { port } = await http.listen()
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        'x-real-ip': CLIENT,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const offences = () => http.daemon.service.security.offences()
  return { http, send, offences }
}

test('requests for missing paths count, also below paths of signed-in callers, and known paths do not', async () => {
  const { send, offences } = await open()
  for (const path of ['/wp-login.php', '/api/v1/nothing', '/auth/nothing', '/security/nothing?token=abc'])
    await send('GET', path)
  await send('POST', '/nothing', {}, { apikey: 'x'.repeat(64) })
  for (const [method, path] of [
    ['GET', '/version'],
    ['DELETE', '/version'],
    ['GET', '/status'],
    ['POST', '/security/ban'],
    ['GET', '/favicon.ico'],
    ['POST', '/flow/webhook/unknown'],
  ] as const) {
    await send(method, path)
  }
  expect(offences().missingPaths).toMatchObject([
    {
      address: CLIENT,
      count: 5,
      details: ['/wp-login.php', '/api/v1/nothing', '/auth/nothing', '/security/nothing', '/nothing'],
    },
  ])
})

test('a mistyped path of a caller with a valid credential does not count', async () => {
  const { http, send, offences } = await open()
  await send('GET', '/nothing', bearer(await http.signIn()))
  await send('GET', '/nothing', bearer(await http.tokenOf('read')))
  await send('GET', '/auth/nothing', bearer(await http.tokenOf('read')))
  await send('GET', '/api/v1/nothing', { 'x-api-key': http.apikey })
  await send('POST', '/v1/placeorder', {}, { apikey: http.apikey })
  await send('GET', `/v1/chart?apikey=${http.apikey}`)
  expect(offences().missingPaths).toEqual([])
})

test('each distinct invalid key counts once, on every kind of route; a request without a key does not', async () => {
  const { send, offences } = await open()
  const key = (digit: string) => digit.repeat(64)
  await send('POST', '/api/v1/ping', {}, { apikey: key('a') })
  await send('POST', '/api/v1/ping', {}, { apikey: key('a') })
  await send('POST', '/api/v1/funds', { 'x-api-key': key('b') }, {})
  await send('GET', `/api/v1/chart?apikey=${key('c')}`)
  const order = { strategy: 'a', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }
  await send('POST', '/api/v1/placeorder', {}, { apikey: key('d'), ...order })
  await send('POST', '/api/v1/ping', {}, {})
  const { invalidKeys } = offences()
  expect(invalidKeys).toMatchObject([{ address: CLIENT, count: 4 }])
  expect(JSON.stringify(invalidKeys)).not.toContain('aaaa')
})

test('offences of which only the proxy is known count for nobody', async () => {
  const { send, offences } = await open()
  await send('GET', '/nothing', { 'x-real-ip': '' })
  await send('GET', '/nothing', { 'x-real-ip': 'nonsense' })
  await send('GET', '/nothing', { 'x-real-ip': '127.0.0.1' })
  expect(offences().missingPaths).toEqual([])
})
