import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { SvcClient } from '../../../src/client/index.js'

/*
 * The daemon must not send an order after its caller gave up, so each change says how long its caller waits.
 */

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const ORDER = { ...SBIN, strategy: 'test', action: 'BUY', quantity: 10, product: 'MIS' } as const

/** The headers that a daemon receives. */
async function receiver(): Promise<{ url: string; last(): IncomingHttpHeaders }> {
  const received: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    request.resume().on('end', () => response.end('{"status":"success"}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, last: () => received.at(-1) ?? {} }
}

test.each([
  [3_000, '3'],
  [undefined, '30'],
  [1_234, '1.234'],
  [7_200_000, '3600'],
])('a client that waits %s ms says %s seconds', async (timeoutMs, header) => {
  const { last, url } = await receiver()
  const svc = new SvcClient({ url, ...(timeoutMs !== undefined && { timeoutMs }) })
  await svc.call('placeorder', ORDER)
  expect(last()['x-request-timeout']).toBe(header)
})

test('a route that changes something says it too; a question does not', async () => {
  const { last, url } = await receiver()
  const svc = new SvcClient({ url, token: 'token', apikey: 'key', timeoutMs: 2_000 })
  await svc.request('POST /action-center/approve-all', { body: {} })
  expect(last()['x-request-timeout']).toBe('2')
  await svc.request('GET /status', {})
  expect(last()['x-request-timeout']).toBeUndefined()
  await svc.call('quotes', SBIN)
  expect(last()['x-request-timeout']).toBeUndefined()
})
