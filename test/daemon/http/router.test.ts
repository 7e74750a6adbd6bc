import { TrieRouter } from 'hono/router/trie-router'
import { describe, expect, it } from 'vitest'
import { CachingRouter } from '../../../src/daemon/http/router.js'

const ROUTES = [
  ['ALL', '*', 'everything'],
  ['ALL', '/api/*', 'guard'],
  ['GET', '/api/orders', 'list'],
  ['POST', '/api/orders', 'place'],
  ['GET', '/api/orders/:id', 'one'],
  ['GET', '/api/orders/book', 'book'],
  ['GET', '/api/files/:name{.+}', 'file'],
] as const

function withRoutes<R extends { add(method: string, path: string, handler: string): void }>(router: R): R {
  for (const [method, path, handler] of ROUTES) router.add(method, path, handler)
  return router
}

describe('the router', () => {
  it.each([
    ['GET', '/api/orders'],
    ['POST', '/api/orders'],
    ['DELETE', '/api/orders'],
    ['GET', '/api/orders/book'],
    ['GET', '/api/orders/17'],
    ['GET', '/api/files/a/b'],
    ['GET', '/nowhere'],
  ])('finds for %s %s what the search finds, the first time and again', (method, path) => {
    const router = withRoutes(new CachingRouter<string>())
    const expected = withRoutes(new TrieRouter<string>()).match(method, path)
    expect(router.match(method, path)).toEqual(expected)
    expect(router.match(method, path)).toEqual(expected)
  })

  it.each([
    ['/api/orders/:id', 'one', { id: ':id' }],
    ['/api/orders/*', 'one', { id: '*' }],
    ['/api/orders/:other', 'one', { id: ':other' }],
  ])('takes %s for a value, not for the pattern', (path, route, value) => {
    const [matches] = withRoutes(new CachingRouter<string>()).match('GET', path)
    const [, params] = matches.find(([handler]) => handler === route) ?? []
    const decoded = Object.entries(params ?? {}).map(([name, text]) => [
      name,
      decodeURIComponent(String(text)),
    ])
    expect(Object.fromEntries(decoded)).toEqual(value)
    expect(matches.filter(([handler]) => handler === route)).toHaveLength(1)
  })

  it('caches literal paths of routes, and no path of a caller', () => {
    const router = withRoutes(new CachingRouter<string>())
    expect(router.match('POST', '/api/orders')).toBe(router.match('POST', '/api/orders'))
    expect(router.match('GET', '/api/orders/17')).not.toBe(router.match('GET', '/api/orders/17'))
    expect(router.match('GET', '/nowhere')).not.toBe(router.match('GET', '/nowhere'))
  })

  it('looks again when a route was added', () => {
    const router = withRoutes(new CachingRouter<string>())
    const handlers = () => router.match('POST', '/api/orders')[0].map(([handler]) => handler)
    expect(handlers()).toEqual(['everything', 'guard', 'place'])
    router.add('POST', '/api/*', 'late')
    expect(handlers()).toEqual(['everything', 'guard', 'place', 'late'])
  })
})
