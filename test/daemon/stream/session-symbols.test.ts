import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }

test('the symbols of a session are its own, and end with it', async () => {
  const http = await HttpDesk.open()
  const [first, second] = [bearer(await http.signIn()), bearer(await http.signIn())]
  const call = async (headers: Record<string, string>, act: string, body?: object) =>
    (await http.request('POST', `/api/websocket/${act}`, { headers, ...(body && { body }) })).body
  const followed = async (headers: Record<string, string>) =>
    (await http.request('GET', '/api/websocket/subscriptions', { headers })).body.count
  const streamed = () => http.desk.service.hub.symbols().map(({ symbol }) => symbol)

  await call(first, 'subscribe', { symbols: [SBIN] })
  await call(second, 'subscribe', { symbols: [SBIN, INFY] })
  expect([await followed(first), await followed(second)]).toEqual([1, 2])
  await call(first, 'unsubscribe-all')
  expect([await followed(first), await followed(second)]).toEqual([0, 2])
  await call(first, 'subscribe', { symbols: [SBIN] })
  await http.request('POST', '/auth/logout', { headers: second })
  expect(streamed()).toEqual(['SBIN'])
  expect(await followed(first)).toBe(1)
})
