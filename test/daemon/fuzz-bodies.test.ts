import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chance, rounds } from '../support/chance/chance.js'
import { mutatedFields } from '../support/chance/mutated.js'
import { API_ROUTES, type ApiRoute } from '../support/desk/api-routes.js'
import { USER } from '../support/desk/desk.js'
import { bearer, HttpDesk, type Reply } from '../support/desk/http-desk.js'

const BODIES = rounds(5000)
/** Requests that switch between immediate execution and the approval queue. */
const CHANGE_AFTER = 250
/** The number of event-loop turns before the clock advances for a request that still runs. */
const PATIENCE = 40
const STATUSES = ['success', 'error', 'partial']

/** Switches into Analyzer mode as often as out of it. */
const SENT = API_ROUTES.flatMap((route) =>
  route.path === 'analyzer/toggle' ? [route, { ...route, body: { mode: true } }] : [route],
)

const UNLIMITED = Object.fromEntries(
  ['DATA', 'GREEKS', 'SMART_ORDER', 'TELEGRAM', 'WHATSAPP'].map((group) => [
    `${group}_RATE_LIMIT`,
    '1000000 per second',
  ]),
)

const TOO_DEEP = 'JSON is nested too deeply: at most 100 levels'

/** Advances the clock while an answer waits for it, as with the pauses between the parts of a split order. */
async function answered(http: HttpDesk, request: Promise<Reply>): Promise<Reply> {
  let done = false
  const finish = () => {
    done = true
  }
  request.then(finish, finish)
  for (let turn = 1; !done; turn++) {
    await setImmediate()
    if (turn % PATIENCE === 0) await http.desk.clock.advance(100)
  }
  return request
}

interface Case {
  route: ApiRoute
  body: Record<string, unknown>
}

function send(http: HttpDesk, { route: { method, path }, body }: Case): Promise<Reply> {
  if (method === 'POST') return http.request(method, `/api/v1/${path}`, { body })
  const query = Object.entries(body).map(([name, value]): [string, string] => [name, String(value)])
  return http.request(method, `/api/v1/${path}?${new URLSearchParams(query)}`)
}

/** Expects a documented answer shape; a status above 500 needs its own documented code. */
function expectAnswer({ route: { method, path }, body }: Case, reply: Reply): void {
  const shown = `${method} ${path} ${JSON.stringify(body)} -> ${reply.status} ${reply.text.slice(0, 300)}`
  if (reply.status >= 500) expect([null, 'internal'], shown).not.toContain(reply.code)
  if (method === 'GET' && !reply.text.startsWith('{')) {
    expect(reply.headers.get('content-type'), shown).toMatch(/^text\//)
    return
  }
  expect(STATUSES, shown).toContain(reply.body.status)
  if (reply.status >= 400) expect(reply.body.message, shown).toMatch(/\S/)
}

/**
 * Requests that are nearly well formed, to every route, in every mode, in the state that earlier requests
 * left.
 */
test(
  `${BODIES} requests with mutated bodies bring no fault of the service`,
  async () => {
    const http = await HttpDesk.open({ env: UNLIMITED })
    const { apiKeys } = http.desk.service.identity
    const cases: fc.Arbitrary<Case> = fc.oneof(
      ...SENT.map((route) =>
        mutatedFields({ apikey: http.apikey, ...route.body, ...route.optional }).map((body) => ({
          route,
          body,
        })),
      ),
    )
    const statuses = new Map<number, number>()
    let count = 0
    const check = async (one: Case) => {
      if (count % CHANGE_AFTER === 0) {
        await apiKeys.setOrderMode(USER, count % (2 * CHANGE_AFTER) === 0 ? 'auto' : 'semi_auto')
      }
      count += 1
      const reply = await answered(http, send(http, one))
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      expectAnswer(one, reply)
    }
    const { seed } = chance('fuzz of bodies')
    await fc.assert(fc.asyncProperty(cases, check), { numRuns: BODIES, seed, endOnFailure: true })

    // The routes neither refused all requests nor accepted all of them.
    for (const status of [200, 400, 403, 404]) {
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(BODIES / 100)
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const ping = await http.request('POST', '/api/v1/ping', { body: { apikey: http.apikey } })
    expect(ping.status).toBe(200)
  },
  Math.max(240_000, rounds(240_000)),
)

test('every route that reads a body refuses one that is nested too deeply, and changes nothing', async () => {
  const http = await HttpDesk.open({ env: UNLIMITED })
  const headers = { ...bearer(await http.signIn()), 'content-type': 'application/json' }
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const paths = [
    ...API_ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => `/api/v1/${path}`),
    ...['subscribe', 'unsubscribe'].map((path) => `/api/websocket/${path}`),
    ...['/auth/login', '/auth/tokens', '/flow/api/workflows', '/sandbox/update'],
  ]
  for (const path of paths) {
    for (const levels of [100, 9000, 90_000]) {
      const text = `{"apikey":"${http.apikey}","member":${deep(levels)}}`
      const { status, body } = await http.request('POST', path, { text, headers })
      expect([path, levels, status, body.message]).toEqual([path, levels, 400, TOO_DEEP])
    }
  }
})
