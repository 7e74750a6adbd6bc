import { expect, test } from 'vitest'
import { HttpDesk } from '../support/desk/http-desk.js'

async function served() {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  return {
    http,
    get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' }),
  }
}

test('the document is served as JSON, with the policy of every other response', async () => {
  const { get } = await served()
  const [response, other] = [await get('/openapi.json'), await get('/version')]
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(other.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  const document: { openapi: string; paths: object } = Object(await response.json())
  expect(document.openapi).toBe('3.1.1')
  expect(Object.keys(document.paths).length).toBeGreaterThan(90)
})

test('an example carries no API key, which would win over the key in the header', async () => {
  const { get } = await served()
  const document: { paths: Record<string, Record<string, { requestBody?: { content: object } }>> } = Object(
    await (await get('/openapi.json')).json(),
  )
  const content: Record<string, { example?: unknown }> = Object(
    document.paths['/api/v1/placeorder']?.post?.requestBody?.content,
  )
  expect(content['application/json']?.example).toEqual({
    strategy: 'example',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    pricetype: 'MARKET',
    product: 'MIS',
  })
})

test('the page loads its own script and the document, and its policy allows nothing from elsewhere', async () => {
  const { get } = await served()
  const response = await get('/docs')
  const html = await response.text()
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
      "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  const loaded = [...html.matchAll(/(?:src|href|data-url)="([^"]+)"/g)].map(([, address]) => address)
  expect(new Set(loaded)).toEqual(new Set(['/openapi.json', '/docs/reference.js', 'data:,']))
  expect(html).not.toContain('https:')
})

test('the script is sent compressed, and may be cached for an hour', async () => {
  const { get } = await served()
  const response = await get('/docs/reference.js')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(await response.text()).toContain('api-reference')
})

test('/ leads a script to the page', async () => {
  const { get } = await served()
  const response = await get('/')
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('/docs')
})
