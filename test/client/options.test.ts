import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { SvcClient } from '../../src/client/index.js'

/** As a program in JavaScript gives them, without the compiler's help. */
const wrong = (options: object): object => options

it('a client refuses an option that it does not know, and names the known ones', () => {
  expect(() => new SvcClient(wrong({ apiKey: 'k' }))).toThrow(
    new TypeError('unknown option "apiKey"; the known ones are url, apikey, token, timeoutMs, trust'),
  )
})

it('a client with an empty key and a token reads with the token', async () => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.headers.authorization} ${request.headers['x-api-key']}`)
    response.setHeader('content-type', 'application/json').end('{"status":"success","data":{}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const svc = new SvcClient({ url: `http://127.0.0.1:${port}`, apikey: '', token: 'svc_pat_x' })
  await svc.call('quotes', { symbol: 'SBIN', exchange: 'NSE' })
  expect(seen).toEqual(['Bearer svc_pat_x undefined'])
})

it('a call refuses an unknown option before it sends anything', async () => {
  // Nothing listens on this address: a request would fail in another way.
  const svc = new SvcClient({ url: 'http://127.0.0.1:9' })
  await expect(svc.call('ping', {}, wrong({ idempotencykey: 'k' }))).rejects.toThrow(TypeError)
  await expect(svc.request('GET /status', wrong({ parms: {} }))).rejects.toThrow(TypeError)
  expect(() => svc.events(wrong({ from: 1 }))).toThrow(TypeError)
  expect(() => svc.ticks(wrong({ symbol: 'SBIN' }))).toThrow(TypeError)
})
