import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streamLines } from '../../../../src/daemon/http/body/ndjson.js'
import { DaemonResponse } from '../../../../src/daemon/http/response/response.js'
import { requestBasics } from '../../../../src/daemon/middleware/basics.js'
import type { AppEnv } from '../../../../src/daemon/process/env.js'

const STANDING = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), screen-wake-lock=()',
  'cache-control': 'no-store',
  'x-request-id': 'request-1',
}

const app = new Hono<AppEnv>()
  .use(
    '*',
    requestBasics(() => 'request-1', []),
  )
  .get('/json', (c) => c.json({ status: 'success' }))
  .get('/empty', (c) => c.body(null, 204))
  .get('/lines', (c) =>
    streamLines(c, (sink) => {
      sink.send({ line: 1 })
      sink.end()
      return () => {}
    }),
  )
  .get('/own-policy', (c) => {
    c.header('Content-Security-Policy', "style-src 'self'")
    return c.html('<p>')
  })
  .get('/own-caching', (c) => c.json({}, 200, { 'CACHE-CONTROL': 'max-age=60', 'X-Own': 'yes' }))
  .get('/failing', () => {
    throw new Error('no')
  })
app.onError((_, c) => c.json({ status: 'error' }, 500))

describe('the headers of every response', () => {
  let server: Server
  let url: string

  beforeAll(async () => {
    server = createAdaptorServer({
      fetch: app.fetch,
      serverOptions: { ServerResponse: DaemonResponse },
    }) as Server
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it.each([
    ['/json', 200, {}],
    ['/empty', 204, {}],
    ['/lines', 200, { 'content-type': 'application/x-ndjson' }],
    ['/failing', 500, {}],
    ['/unknown', 404, {}],
    // A header that the route sets takes precedence, whatever its spelling.
    ['/own-policy', 200, { 'content-security-policy': "style-src 'self'" }],
    ['/own-caching', 200, { 'cache-control': 'max-age=60', 'x-own': 'yes' }],
  ])('goes out with %s (%i)', async (path, status, own) => {
    const response = await fetch(url + path)
    await response.text()
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...STANDING, ...own })
  })

  it('is the same where there is no socket', async () => {
    const response = await app.request('/json', {}, {})
    expect(Object.fromEntries(response.headers)).toMatchObject(STANDING)
  })
})
