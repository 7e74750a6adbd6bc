import { expect, test } from 'vitest'
import { type Chance, chance, rounds } from '../support/chance/chance.js'
import { IDS, POISON } from '../support/chance/poison.js'
import { HttpDesk } from '../support/desk/http-desk.js'

const REQUESTS = rounds(5000)

/** The expected statuses of 500 and above. */
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-z]+$/
const KNOWN_FAILURES = [501, 502, 503, 504, 507]

const HUGE = 'x'.repeat(1_100_000)
const DEEP = 100_000

const ORDER = {
  strategy: 'fuzz',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 1,
  product: 'CNC',
  pricetype: 'LIMIT',
  price: 800,
}
/** Fields in which none of these values is valid. */
const STRICT_FIELDS = ['exchange', 'action', 'quantity', 'product', 'pricetype'] as const

/** Prices beyond every limit. */
const ABSURD_PRICES = [1e15, 1e21, 1e308, -1e-9]

const NAMES = [
  'action',
  'scan_name',
  'stocks',
  'market_position',
  'position_size',
  'legs',
  'underlying',
  'scheduler',
  'strategy_id',
  'reviewed',
  'updated_at',
  'closed_by_hand',
  'positions_checked',
  'leg_id',
  'kind',
  'severity',
  'webhook_ip_allowlist',
  'channel',
  'address',
  'telegram_id',
  'webhook_url',
  'rate_limit_per_minute',
  'timezone',
  'update_id',
  'callback_query',
  'filters',
  'username',
  'password',
  'user_id',
  'mode',
  'reason',
  'on',
  'confirm',
  'broker',
  'fields',
  'config_key',
  'config_value',
  'orderid',
  'outcome',
  'name',
  'scopes',
  'expires',
  'max_order_value',
  'price_band_percent',
  'allowed_exchanges',
  'message',
  'stack',
  'component_stack',
  'symbol',
  'freeze_qty',
  'holiday_date',
  'holiday_type',
  'description',
  'exchanges',
  'open_exchanges',
  'complete',
  'date',
  'start_time',
  'end_time',
  'csrf_token',
  'setup_token',
  'back',
  'next',
  '__proto__',
  'constructor',
]

const TEXTS: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '1e999',
  '\ufeff{}',
  '{"a":1}{"a":1}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '[{"on":["place"],"kind":"fail","latencyMs":-1}]',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  HUGE,
  JSON.stringify({ apikey: HUGE }),
]

const QUERIES = [
  '?run_id=0&kind=__proto__&severity=error&limit=0',
  '?q=%00%27&status=sleeping',
  '?run_id=1&confirm=close&leg=__proto__',
  '?telegram_id=1e9&days=-1&state=dead',
  '?hub.mode=subscribe&hub.verify_token=&hub.challenge=%00',
  '',
  '?',
  '?limit=NaN',
  '?limit=-1&limit=2',
  '?__proto__=1',
  '?status=%00',
  '?before=1e99',
  '?order=9e99',
  '?confirm=all&order=-1',
  '?start_date=&end_date=',
  '?next=//evil.example',
  '?year=1e3&exchange=__proto__&complete=2',
  '?from=9999-12-31&to=0001-01-01&before=-1',
  '?secret=&confirm=all&symbol=%E2%80%AE',
  '?%ZZ=%',
  '?level=%00&q=%1b%5b2J',
  '?format=__proto__',
]
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'text/csv',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json, text/plain',
  '',
]

const pick = <T>({ between }: Chance, from: readonly T[]): T => from[between(0, from.length - 1)] as T

/** Sends any body to any route with any credential: the answer is a JSON refusal, and nothing happens. */
test(`${REQUESTS} malformed requests bring no fault of the service and execute nothing`, async () => {
  const http = await HttpDesk.open()
  const token = await http.tokenOf('admin')
  const cookie = `session=${await http.signIn()}`
  const dice = chance('fuzz')
  const routes = http.app.routes.filter(({ method }) => method !== 'ALL')
  const credentials: readonly Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}` },
    { cookie },
    { 'x-api-key': http.apikey },
    { authorization: 'Bearer \u00e9', 'x-api-key': 'é' },
    {},
  ]

  const bodyOf = (): string => {
    const roll = dice.next()
    if (roll < 0.35) {
      const poisoned =
        roll < 0.05
          ? { price: pick(dice, ABSURD_PRICES) }
          : { [pick(dice, STRICT_FIELDS)]: pick(dice, POISON) }
      return JSON.stringify({ apikey: http.apikey, ...ORDER, ...poisoned })
    }
    if (roll < 0.7) {
      const fields = Array.from({ length: dice.between(1, 3) }, () => [pick(dice, NAMES), pick(dice, POISON)])
      return JSON.stringify({ ...Object.fromEntries(fields), ...(roll < 0.4 && { apikey: http.apikey }) })
    }
    // The large bodies are slow to make, not to refuse.
    return roll < 0.71 ? pick(dice, TEXTS) : pick(dice, TEXTS.slice(0, 10))
  }
  const pathOf = (path: string): string => {
    const filled = path.replaceAll(/:\w+/g, () => pick(dice, IDS))
    const roll = dice.next()
    if (roll < 0.7) return filled + pick(dice, QUERIES)
    if (roll < 0.8) return `${filled}/`
    if (roll < 0.85) return `//${filled}`
    if (roll < 0.9) return filled.replace('a', '%61')
    return `${filled}/${pick(dice, IDS)}`
  }

  const ids = new Set<string>()
  for (let i = 0; i < REQUESTS; i++) {
    const route = pick(dice, routes)
    const method =
      dice.next() < 0.9
        ? route.method
        : pick(dice, ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])
    const path = pathOf(route.path)
    const withBody = method !== 'GET' && method !== 'HEAD'
    const text = withBody ? bodyOf() : undefined
    const type = dice.next() < 0.85 ? 'application/json' : pick(dice, TYPES)
    const headers = { ...pick(dice, credentials), ...(withBody && { 'content-type': type }) }
    const reply = await http.request(method, path, { headers, ...(text !== undefined && { text }) })

    const shown = `${method} ${path.slice(0, 100)} ${type} ${text?.slice(0, 200)} -> ${reply.status} ${reply.text.slice(0, 300)}`
    if (reply.status >= 500) expect(KNOWN_FAILURES, shown).toContain(reply.status)
    // The health checks answer with their checks. Some request may have signed the broker out.
    const isHealth = route.path.startsWith('/health/') && reply.status === 503
    if (reply.status >= 400 && method !== 'HEAD' && !isHealth) {
      expect(reply.body, shown).toMatchObject({ status: 'error', message: expect.any(String) })
    }
    const id = reply.headers.get('x-request-id') ?? ''
    expect(id, shown).toMatch(REQUEST_ID)
    ids.add(id)
    // The answer repeats little of the refused text.
    if (reply.status >= 400) expect(reply.text.length, shown).toBeLessThan(100_000)
  }
  expect(ids.size, 'each request has an id of its own').toBe(REQUESTS)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(await http.desk.ledger()).toEqual([])
  expect(http.desk.service.approvals.count('asha')).toBe(0)
  expect((await http.desk.service.sandbox.books.orderbook('asha')).orders).toEqual([])
})
