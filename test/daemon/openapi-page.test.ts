import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { OPERATION_LIST } from '../../src/daemon/operations/index.js'
import { HttpDesk } from '../support/desk/http-desk.js'

async function served() {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  return { http, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) }
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

test('the page shows every operation, and its anchors lead somewhere', async () => {
  const { get } = await served()
  const html = await (await get('/docs')).text()
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor)
  expect(anchors.filter((anchor) => !ids.has(anchor))).toEqual([])
  expect([...html.matchAll(/<article /g)]).toHaveLength(OPERATION_LIST.length)
  expect(html.match(/curl -fsS/g)).toHaveLength(OPERATION_LIST.length)
})

test('the page needs no script and nothing from elsewhere, and its policy allows no more than its own style', async () => {
  const { get } = await served()
  const response = await get('/docs')
  const html = await response.text()
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(html).not.toMatch(/<script|<link|<img|<iframe| style=| on\w+=|src=|url\(|https?:/)
  expect(html).toMatch(/prefers-color-scheme: dark/)
})

test('the page is well formed: every open tag is closed', async () => {
  const { get } = await served()
  const html = await (await get('/docs')).text()
  const open: string[] = []
  for (const [, closing, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?: [^<>]*)?>/g)) {
    if (closing) expect(open.pop()).toBe(name)
    else if (name !== 'meta') open.push(name)
  }
  expect(open).toEqual([])
})
