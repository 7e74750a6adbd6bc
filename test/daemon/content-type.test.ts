import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

const TYPES = [
  ['/docs', /^text\/html; ?charset=utf-8$/i],
  ['/docs/reference.js', /^text\/javascript; ?charset=utf-8$/i],
  ['/reset-password', /^text\/html; ?charset=utf-8$/i],
  ['/logs/export', /^text\/csv; ?charset=utf-8$/i],
  ['/traffic/export', /^text\/csv; ?charset=utf-8$/i],
  ['/latency/export', /^text\/csv; ?charset=utf-8$/i],
  ['/api/v1/instruments?format=csv', /^text\/csv; ?charset=utf-8$/i],
  [
    '/api/v1/ticker/NSE:SBIN?from=2026-11-10&to=2026-11-12&interval=D&format=txt',
    /^text\/plain; ?charset=utf-8$/i,
  ],
  // JSON is UTF-8 by its definition, and its type has no parameter.
  ['/status', /^application\/json$/],
  ['/nowhere', /^application\/json$/],
] as const

test('every kind of document says what it is', async () => {
  const http = await HttpDesk.open()
  for (const [path, type] of TYPES) {
    const asked = path.startsWith('/api/') ? `${path}&apikey=${http.apikey}` : path
    const reply = await http.request('GET', asked, { headers: bearer(await http.signIn()) })
    expect(reply.headers.get('content-type'), path).toMatch(type)
  }
})
