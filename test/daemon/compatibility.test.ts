import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { bearer, HttpDesk, type Reply } from '../support/desk/http-desk.js'
import { settled } from '../support/settled.js'

/*
 * Sends the requests that docs/compatibility.md lists for existing clients, and checks the members that those
 * clients read.
 */

type Mode = 'live' | 'analyze'
const MODES: readonly Mode[] = ['live', 'analyze']

const PAGE = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8')

/** Returns the cells of the tables under a marker, row by row, without the headings. */
function tablesMarked(mark: string): string[][][] {
  const tables = PAGE.split(`<!-- checked: ${mark} -->\n`).slice(1)
  return tables.map((text) => {
    const lines = text.trimStart().split('\n')
    const end = lines.findIndex((line) => !line.startsWith('|'))
    const rows = lines.slice(2, end < 0 ? undefined : end)
    return rows.map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
  })
}

const codes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
const isFor = (mode: Mode, cell: string): boolean => cell === 'both' || cell === mode

/** A desk in one mode, and an HTTP client that has only an API key. */
class Client {
  readonly #known: Record<string, string> = {}

  private constructor(private readonly http: HttpDesk) {}

  static async open(mode: Mode): Promise<Client> {
    const wide = '1000000 per second'
    const env = {
      DATA_RATE_LIMIT: wide,
      SEARCH_RATE_LIMIT: wide,
      SMART_ORDER_RATE_LIMIT: wide,
      GREEKS_RATE_LIMIT: wide,
    }
    const http = await HttpDesk.open({ env, embeddedMarket: true })
    if (mode === 'analyze') {
      await http.desk.service.sandbox.start()
      await http.desk.service.settings.setAnalyzeMode(true)
    }
    return new Client(http)
  }

  /** Sends a printed body with the key added as first member, and remembers the ids of the answer. */
  async post(endpoint: string, printed: string): Promise<Reply> {
    const body = printed.replace(/<(\w+)>/g, (_, name: string) => this.#known[name] ?? '')
    const key = body.includes('"apikey"') ? '' : `"apikey":"${this.http.apikey}"${body === '{}' ? '' : ','}`
    const reply = await settled(
      this.http.desk.clock,

      this.http.request('POST', `/api/v1/${endpoint}`, { text: body.replace('{', `{${key}`) }),
    )
    for (const name of ['orderid', 'trigger_id']) {
      const value = reply.body[name]
      // The resting order is the one to change, because only a limit order can be changed.
      if (typeof value === 'string' && /"LIMIT"/.test(body)) this.#known[name] = value
    }
    return reply
  }

  /** Sends a GET request with the key in its query. */
  get(address: string): Promise<Reply> {
    const joint = address.includes('?') ? '&' : '?'
    return settled(
      this.http.desk.clock,
      this.http.request('GET', `/api/v1/${address}${joint}apikey=${this.http.apikey}`),
    )
  }
}

/** Returns the value at a path such as `data.orders[].orderid`, for each row. */
function valuesAt(value: unknown, path: string): unknown[] {
  const [head = '', ...rest] = path.split('.')
  const inner: unknown = Object(value)[head.replace('[]', '')]
  const found = head.endsWith('[]')
    ? Array.isArray(inner) && inner.length > 0
      ? inner
      : [undefined]
    : [inner]
  return rest.length === 0 ? found : found.flatMap((one) => valuesAt(one, rest.join('.')))
}

test('the page has every endpoint that the public system has, too', () => {
  const cells = tablesMarked('requests')
    .flat()
    .map(([endpoint = '']) => codes(endpoint)[0] ?? '')
  const shown = new Set(
    cells.map((endpoint) =>
      endpoint
        .replace(/^GET /, '')
        .replace(/[?:].*|\/$/g, '')
        .replace(/^ticker.*/, 'ticker'),
    ),
  )
  const all = ALL_OPERATION_LIST.flatMap(({ path }) =>
    path.startsWith('/api/v1/') ? [path.slice(8).replace('/:ticker', '')] : [],
  )
  const absent = [...new Set(all)].filter((endpoint) => !shown.has(endpoint))
  expect(absent).toEqual(OF_OUR_OWN)
})

/** Endpoints without a row: they exist only in this system, or they need an account with a messenger or a strategy. */
const OF_OUR_OWN = [
  'refusedorders',
  'desk',
  ...['chart', 'telegram/notify', 'telegram/config', 'telegram/start', 'telegram/stop', 'telegram/users'],
  ...['telegram/broadcast', 'telegram/stats', 'telegram/preferences', 'telegram/webhook'],
  ...['whatsapp/notify', 'checkholiday'],
  ...['list', 'status', 'start', 'stop', 'close_all', 'close_leg', 'runs', 'orders', 'events'].map(
    (verb) => `strategy/${verb}`,
  ),
  'why',
  'mcp',
]

describe.each(MODES)('in %s mode', (mode) => {
  test('every request of an existing client succeeds and returns the members that the client reads', async () => {
    const tables = tablesMarked('requests')
    expect(tables.flat().length).toBeGreaterThan(45)
    for (const rows of tables) {
      const client = await Client.open(mode)
      // Every book needs a row to read.
      await client.post('placeorder', BOUGHT)
      for (const [endpointCell = '', bodyCell = '', readCell = '', modeCell = ''] of rows) {
        if (!isFor(mode, modeCell)) continue
        const [endpoint = ''] = codes(endpointCell)
        const [body = ''] = codes(bodyCell)
        const [, address] = /^GET (.*)$/.exec(endpoint) ?? []
        const reply = await (address ? client.get(address) : client.post(endpoint, body))
        const row = `${endpoint} ${body} → ${reply.text}`
        expect(reply.status, row).toBe(200)
        expect(reply.body.status, row).toBe('success')
        for (const path of codes(readCell)) {
          expect(valuesAt(reply.body, path), `${path} of ${row}`).not.toContain(undefined)
        }
      }
    }
  })

  test('every documented difference is as the page says', async () => {
    const [rows = []] = tablesMarked('differences')
    expect(rows.length).toBeGreaterThan(8)
    const client = await Client.open(mode)
    for (const [, requestCell = '', hereCell = '', modeCell = ''] of rows) {
      if (!isFor(mode, modeCell)) continue
      const [request = ''] = codes(requestCell)
      const [here = ''] = codes(hereCell)
      const [, endpoint = '', body = ''] = /^(\S+) (.*)$/.exec(request) ?? []
      const [, status = '', answer = ''] = /^(\d+) (.*)$/.exec(here) ?? []
      const reply = await client.post(endpoint, body)
      expect(reply.status, request).toBe(Number(status))
      expect(reply.body, request).toMatchObject(JSON.parse(answer))
    }
  })
})

test('every route that the page lists as not available answers 404', async () => {
  const [rows = []] = tablesMarked('not available')
  const routes = rows.flatMap(([cell = '']) => codes(cell))
  expect(routes.length).toBeGreaterThan(25)
  const http = await HttpDesk.open({ env: { API_RATE_LIMIT: '100000 per second' } })
  const headers = bearer(await http.signIn())
  for (const route of routes) {
    for (const method of ['GET', 'POST']) {
      expect([method, route, (await http.request(method, route, { headers })).status]).toEqual([
        method,
        route,
        404,
      ])
    }
  }
})

const BOUGHT =
  '{"strategy":"x","symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":"20","pricetype":"MARKET","product":"MIS"}'
