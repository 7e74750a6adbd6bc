import { expect, it } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const ORDER = {
  strategy: 's',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 1,
  pricetype: 'MARKET',
  product: 'MIS',
  price: 0,
}

const LINE = /^([a-z_][a-z0-9_]*)(\{(?:[a-z]+="[^"\\\n]*",?)*\})? (-?[0-9.e+-]+|[+-]Inf|NaN)$/i

/** Parses Prometheus' text format. @throws Error for a line that it does not allow */
function parsed(text: string): Map<string, number> {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ') || line.startsWith('# TYPE ')) continue
    const [, name, labels = '', value] = LINE.exec(line) ?? []
    if (name === undefined) throw new Error(`no metric: ${line}`)
    expect(values.has(name + labels)).toBe(false)
    values.set(name + labels, Number(value))
  }
  return values
}

async function open(env: Record<string, string> = {}) {
  const http = await HttpDesk.open({ env })
  const headers = bearer(await http.tokenOf('read'))
  const scrape = async () => parsed((await http.request('GET', '/metrics', { headers })).text)
  const place = (order: object, headers = {}) =>
    http.request('POST', '/api/v1/placeorder', { body: { apikey: http.apikey, ...ORDER, ...order }, headers })
  return { http, scrape, place, headers }
}

const orders = (values: Map<string, number>) =>
  Object.fromEntries([...values].filter(([name]) => name.startsWith('svc_orders_total')))

it('a placed, a repeated and a refused order count once each', async () => {
  const { http, place, scrape } = await open()
  expect(orders(await scrape())).toEqual({})
  const key = { 'idempotency-key': 'once' }
  expect((await place({}, key)).status).toBe(200)
  expect((await place({}, key)).status).toBe(200)
  await http.desk.service.risk.setKillSwitch(true, 'test', 'asha')
  expect((await place({})).status).toBe(403)
  const values = await scrape()
  expect(orders(values)).toEqual({
    'svc_orders_total{mode="live",act="place",outcome="accepted"}': 1,
    'svc_orders_total{mode="live",act="place",outcome="refused"}': 1,
  })
  expect(values.get('svc_kill_switch')).toBe(1)
  expect(values.get('svc_broker_calls_total{call="orders.place",end="served"}')).toBe(1)
  expect(values.get('svc_request_duration_seconds_count{kind="PLACE",outcome="succeeded"}')).toBe(1)
  expect(values.get('svc_broker_round_trip_seconds_count{kind="PLACE"}')).toBe(1)
})

it('each order of a basket counts', async () => {
  const { http, scrape } = await open()
  const { strategy, ...order } = ORDER
  const body = { apikey: http.apikey, strategy, orders: [order, { ...order, symbol: 'NOSUCH' }] }
  await http.request('POST', '/api/v1/basketorder', { body })
  expect(orders(await scrape())).toEqual({
    'svc_orders_total{mode="live",act="place",outcome="accepted"}': 1,
    'svc_orders_total{mode="live",act="place",outcome="refused"}': 1,
  })
})

it('shows queues, the feed and the process, and names no symbol and no user', async () => {
  const { headers, http, place } = await open()
  http.daemon.metrics.watchProcess()
  await place({})
  const reply = await http.request('GET', '/metrics', { headers })
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const names = [...parsed(reply.text).keys()]
  for (const name of [
    'svc_ready',
    'svc_events_waiting{queue="callbacks"}',
    'svc_writes_waiting{database="svc"}',
    'svc_log_rows_waiting{log="orders"}',
    'svc_approvals_pending',
    'svc_feed_state{state="live"}',
    'svc_broker_budget_waits_total{broker="simulated"}',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
  ]) {
    expect(names).toContain(name)
  }
  expect(reply.text).toContain('nodejs_gc_duration_seconds')
  expect(reply.text).not.toMatch(/SBIN|asha/)
})

it('needs a token that may read, or a caller on this machine if the configuration says so', async () => {
  const closed = await open()
  for (const headers of [{}, bearer('svc_no_such_token')]) {
    const refused = await closed.http.request('GET', '/metrics', { headers })
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('scope read or admin')])
  }
  const orders = bearer(await closed.http.tokenOf('orders'))
  expect((await closed.http.request('GET', '/metrics', { headers: orders })).status).toBe(403)
  const local = await open({ METRICS_ALLOW_LOCAL: 'true' })
  expect((await local.http.request('GET', '/metrics')).status).toBe(200)
  const forwarded = { 'x-forwarded-for': '192.0.2.1' }
  expect((await local.http.request('GET', '/metrics', { headers: forwarded })).status).toBe(401)
})

it('no gauge has the name of a counter', async () => {
  const { http, headers } = await open()
  const { metrics } = http.daemon
  metrics.watchProcess()
  const { text } = await http.request('GET', '/metrics', { headers })
  const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind]) => ({ name, kind }))
  expect(kinds.some(({ name }) => name.startsWith('nodejs_'))).toBe(true)
  expect(kinds.filter(({ name, kind }) => name.endsWith('_total') !== (kind === 'counter'))).toEqual([])
})
