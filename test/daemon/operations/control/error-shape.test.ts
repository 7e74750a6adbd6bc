import { describe, expect, test } from 'vitest'
import { API_ROUTES, type ApiRoute, TRADING_ROUTES } from '../../../support/desk/api-routes.js'
import { HttpDesk, type Reply } from '../../../support/desk/http-desk.js'

const BOT = `123456789:${'a'.repeat(35)}`
/** Without the route whose limit no setting raises. */
const UNLIMITED = API_ROUTES.filter(({ path }) => path !== 'telegram/broadcast')
const MISSING = 'Missing data for required field.'
const NULL = 'Field may not be null.'
const UNKNOWN = /^Unknown field\./
const KEY_LENGTH = 'Length must be between 1 and 256.'
/** Larger than any route accepts. */
const TOO_LARGE = 5 * 1_048_576

type Fields = Readonly<Record<string, unknown>>

/** A fresh desk for each test, because a refused request must leave nothing behind. */
async function open(analyze = false): Promise<HttpDesk> {
  const http = await HttpDesk.open({
    env: {
      DATA_RATE_LIMIT: '1000000 per second',
      GREEKS_RATE_LIMIT: '1000000 per second',
      SEARCH_RATE_LIMIT: '1000000 per second',
      SMART_ORDER_RATE_LIMIT: '1000000 per second',
      WHATSAPP_RATE_LIMIT: '1000000 per second',
      TELEGRAM_RATE_LIMIT: '1000000 per second',
      TELEGRAM_BOT_TOKEN: BOT,
    },
  })
  if (analyze) await http.desk.service.settings.setAnalyzeMode(true)
  return http
}

function call(http: HttpDesk, { method, path }: ApiRoute, fields: Fields, headers = {}): Promise<Reply> {
  if (method === 'POST') return http.request(method, `/api/v1/${path}`, { body: fields, headers })
  const query = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  return http.request(method, `/api/v1/${path}?${new URLSearchParams(query)}`, { headers })
}

/** The shape of every refusal: a sentence, and texts by field if fields are at fault. */
function expectRefusal(reply: Reply, status: number, code: string, shown: string): void {
  expect([shown, reply.status, reply.code]).toEqual([shown, status, code])
  expect(reply.headers.get('content-type'), shown).toMatch(/^application\/json/)
  const { status: word, message, errors = {}, ...rest } = reply.body
  expect([word, rest], shown).toEqual(['error', {}])
  expect(message, shown).toMatch(/\S/)
  expect(errors, shown).toBeTypeOf('object')
  for (const texts of Object.values(Object(errors))) {
    expect(texts, shown).toEqual([expect.stringMatching(/\S/)])
  }
}

/** Expects a refusal with at least these fields; its sentence names the first. */
function expectFields(
  reply: Reply,
  expected: Record<string, string | RegExp>,
  shown: string,
  sentence?: string,
): void {
  expectRefusal(reply, 400, 'validation', shown)
  const errors = reply.body.errors as Record<string, string[]>
  for (const [field, text] of Object.entries(expected)) {
    expect(errors, shown).toMatchObject({ [field]: [expect.stringMatching(text)] })
  }
  const [first = '', [text] = ['']] = Object.entries(errors)[0] ?? []
  expect(reply.body.message, shown).toBe(sentence ?? `${first}: ${text}`)
}

/** Returns everything that an accepted request could have left behind. */
async function traces({ desk }: HttpDesk) {
  const { approvals, chart, journal, mode, orderLogs, sandbox } = desk.service
  await desk.service.bus.idle()
  return {
    mode: mode(),
    ledger: await desk.ledger(),
    journal: await journal.list('asha', 10),
    queued: approvals.count('asha'),
    logs: [await orderLogs.count('live', {}), await orderLogs.count('analyze', {})],
    sandbox: (await sandbox.books.orderbook('asha')).orders,
    chart: await chart.read('asha'),
    events: desk.events.map(({ topic }) => topic),
  }
}

const nameOf = ({ method, path }: ApiRoute) => `${method} ${path}`

/** Runs a check on every route, each with a desk in a suitable mode. No check may leave a trace. */
async function onEveryRoute(check: (http: HttpDesk, route: ApiRoute, whole: Fields) => Promise<void>) {
  for (const analyze of [false, true]) {
    const http = await open(analyze)
    const before = await traces(http)
    for (const route of UNLIMITED.filter(({ simulated = false }) => simulated === analyze)) {
      await check(http, route, { apikey: http.apikey, ...route.body })
    }
    expect(await traces(http)).toEqual(before)
  }
}

/** Telegram has a secret of its own, and the assistants of this machine get errors of their protocol. */
const OF_ANOTHER_SHAPE: ReadonlySet<string> = new Set(['/api/v1/telegram/webhook', '/api/v1/mcp'])

test('the table holds every route there is', async () => {
  const http = await open()
  const found = http.app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/v1'))
  const keyed = found.filter(({ path }) => !OF_ANOTHER_SHAPE.has(path))
  const names = keyed.map(({ method, path }) => `${method} ${path.replace(/^\/api\/v1\/(.*?)\/?$/, '$1')}`)
  const known = API_ROUTES.map((route) => nameOf(route).replace('NSE:SBIN', ':ticker'))
  expect([...new Set(names)].sort()).toEqual(known.sort())
})

test('every request of the table is well formed, with the key in the body or in the header', async () => {
  for (const analyze of [false, true]) {
    const http = await open(analyze)
    for (const route of UNLIMITED.filter(({ simulated = false }) => simulated === analyze)) {
      const fields = { ...route.body, ...route.optional }
      for (const reply of [
        await call(http, route, { apikey: http.apikey, ...fields }),
        await call(http, route, fields, { 'x-api-key': http.apikey }),
      ]) {
        const shown = `${nameOf(route)} ${reply.text.slice(0, 200)}`
        expect(reply.body.errors, shown).toBeUndefined()
        expect(reply.code, shown).not.toBe('invalid_key')
        expect([413, 415, 429, 500], shown).not.toContain(reply.status)
      }
    }
  }
})

describe('every route of /api/v1', () => {
  test('refuses fields it does not know, and offers the nearest', () =>
    onEveryRoute(async (http, route, whole) => {
      if (route.open || route.method === 'GET') return
      const name = nameOf(route)
      expectFields(await call(http, route, { ...whole, zzzzz: 1 }), { zzzzz: UNKNOWN }, name)
      const near = await call(http, route, { ...whole, api_keys: 1 })
      expectFields(near, { api_keys: /^Unknown field\. Did you mean "apikey"\?$/ }, name)
    }))

  test('ignores the keys of a query it does not know, as those that only keep an answer out of a cache', () =>
    onEveryRoute(async (http, route, whole) => {
      if (route.method !== 'GET') return
      const [plain, busted] = [await call(http, route, whole), await call(http, route, { ...whole, _: 1 })]
      expect(plain.body.errors, nameOf(route)).toBeUndefined()
      expect([busted.status, busted.text], nameOf(route)).toEqual([plain.status, plain.text])
    }))

  test('refuses a missing or null field', () =>
    onEveryRoute(async (http, route, whole) => {
      for (const field of route.required) {
        const shown = `${nameOf(route)} ${field}`
        const { [field]: _, ...rest } = whole
        expectFields(await call(http, route, rest), { [field]: MISSING }, shown, route.sentence)
        if (route.method === 'GET') continue
        expectFields(await call(http, route, { ...whole, [field]: null }), { [field]: NULL }, shown)
      }
    }))

  test('refuses values of another type', () =>
    onEveryRoute(async (http, route, whole) => {
      if (route.method === 'GET' || route.open) return
      for (const field of Object.keys({ ...route.body, ...route.optional })) {
        const shown = `${nameOf(route)} ${field}`
        const reply = await call(http, route, { ...whole, [field]: { a: 1 } })
        expectRefusal(reply, 400, 'validation', shown)
        expect(Object.keys(Object(reply.body.errors)), shown).toContain(field)
      }
    }))

  test('refuses a wrong key, and before it looks at anything else unless it is about orders', () =>
    onEveryRoute(async (http, route) => {
      const wrong = { ...route.body, apikey: 'f'.repeat(64) }
      const refused = { status: 'error', message: 'Invalid svc apikey' }
      for (const [fields, headers] of [
        [wrong, {}],
        [route.body, { 'x-api-key': 'x' }],
        [wrong, { 'x-api-key': http.apikey }],
      ] as const) {
        const reply = await call(http, route, fields, headers)
        expectRefusal(reply, 403, 'invalid_key', `${nameOf(route)} ${JSON.stringify(fields)}`)
        expect(reply.body).toEqual(refused)
      }
      for (const fields of [{ ...wrong, zzzzz: 1 }, { apikey: 'x' }]) {
        const reply = await call(http, route, fields)
        const shown = `${nameOf(route)} ${JSON.stringify(fields)}`
        if (TRADING_ROUTES.has(route.path)) expectRefusal(reply, 400, 'validation', shown)
        else expectRefusal(reply, 403, 'invalid_key', shown)
      }
    }))

  test('names the key among the fields that are missing or wrong', () =>
    onEveryRoute(async (http, route) => {
      const name = nameOf(route)
      if (name === 'GET chart') {
        // The chart routes answer this with their own sentence.
        const reply = await call(http, route, {})
        expectRefusal(reply, 400, 'validation', name)
        expect(reply.body.message).toBe('Missing apikey parameter')
        return
      }
      if (!route.open || Object.keys(route.body).length > 0) {
        expectFields(await call(http, route, route.body), { apikey: MISSING }, name)
      }
      for (const apikey of ['', 'x'.repeat(257)]) {
        const reply = await call(http, route, { ...route.body, apikey })
        expectFields(reply, { apikey: KEY_LENGTH }, `${name} ${apikey.length}`)
      }
      if (route.method === 'GET') return
      for (const apikey of [5, {}, [], true]) {
        const reply = await call(http, route, { ...route.body, apikey })
        expectFields(reply, { apikey: 'Not a valid string.' }, `${name} ${JSON.stringify(apikey)}`)
      }
    }))

  test('refuses a body that is not a JSON object, not JSON, of another content type or too large', () =>
    onEveryRoute(async (http, route, whole) => {
      if (route.method === 'GET') return
      const send = (text: string, type = 'application/json') =>
        http.request('POST', `/api/v1/${route.path}`, {
          text,
          headers: { 'content-type': type, 'x-api-key': http.apikey },
        })
      for (const text of ['[]', 'null', '5', '"x"', 'true', '[{}]']) {
        const reply = await send(text)
        expectRefusal(reply, 400, 'validation', `${nameOf(route)} ${text}`)
        if (!route.open) expect(reply.body.errors, text).toEqual({ _schema: ['Invalid input type.'] })
      }
      for (const text of ['', '{', '{"apikey":}', '{"a":1}{"a":1}', "{'a':1}", 'apikey=x']) {
        const reply = await send(text)
        expectRefusal(reply, 400, 'validation', `${nameOf(route)} ${text}`)
        expect(reply.body.message).toBe('Invalid JSON')
      }
      const text = JSON.stringify(whole)
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        expectRefusal(await send(text, type), 415, 'unsupported_media', `${nameOf(route)} ${type}`)
      }
      expectRefusal(await send(text + ' '.repeat(TOO_LARGE)), 413, 'too_large', nameOf(route))
    }))

  test('refuses other methods', () =>
    onEveryRoute(async (http, route) => {
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        const reply = await http.request(method, `/api/v1/${route.path}`)
        expectRefusal(reply, 405, 'method_not_allowed', `${method} ${route.path}`)
      }
    }))
})

/** Rows of lists are named by their index. */
const NESTED: readonly (readonly [path: string, body: Fields, field: string, text: string | RegExp])[] = [
  ['basketorder', { orders: 5 }, 'orders', 'Not a valid list.'],
  ['basketorder', { orders: ['x'] }, 'orders.0', 'Invalid input type.'],
  ['basketorder', { orders: [{ symbol: 'SBIN' }] }, 'orders.0.exchange', MISSING],
  ['optionsmultiorder', { legs: [] }, 'legs', 'Legs must contain 1 to 20 items.'],
  ['optionsmultiorder', { legs: [{ offset: 'ATM0' }] }, 'legs.0.offset', /^Offset must be ATM/],
  ['margin', { positions: [null] }, 'positions.0', /./],
  [
    'multiquotes',
    { symbols: [{ symbol: 'X', exchange: 'Y' }] },
    'symbols.0.exchange',
    /^Must be one of: NSE, /,
  ],
  ['multiquotes', { symbols: [{ symbol: 'X', exchange: 'NSE', z: 1 }] }, 'symbols.0.z', UNKNOWN],
  ['multioptiongreeks', { symbols: [{ exchange: 'NFO' }] }, 'symbols.0.symbol', MISSING],
]

test('a wrong row of a list is refused by the path of its field', async () => {
  const http = await open()
  for (const [path, fields, field, text] of NESTED) {
    const route = API_ROUTES.find((one) => one.path === path)
    if (!route) throw new Error(`${path} is not in the table`)
    const reply = await call(http, route, { apikey: http.apikey, ...route.body, ...fields })
    expectFields(reply, { [field]: text }, `${path} ${field}`)
  }
})
