import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/core/time/index.js'
import { Arrivals } from '../../src/daemon/http/orders/arrivals.js'
import { DaemonRequest } from '../../src/daemon/http/request.js'
import { USER } from '../support/desk/desk.js'
import { HttpDesk } from '../support/desk/http-desk.js'
import { FlowRig, HOOK } from './operations/flows/flow-rig.js'

const ORDER = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', action: 'BUY', quantity: 10 }
const SECOND_MS = 1000

async function open(mode: 'live' | 'analyze') {
  const http = await HttpDesk.open()
  await http.desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const post = (path: string, fields: object, headers: Record<string, string> = {}) =>
    http.request('POST', `/api/v1/${path}`, {
      body: { apikey: http.apikey, strategy: 't', ...fields },
      headers,
    })
  const book = async (path = 'orderbook') =>
    (await http.request('POST', `/api/v1/${path}`, { body: { apikey: http.apikey } })).text
  const orders = async () => (await book()).split('"orderid"').length - 1
  return { http, service: http.desk.service, clock: http.desk.clock, post, book, orders }
}

test.each(['0', '-1', 'soon', '1e3', '3601', ''])('X-Request-Timeout: %s is refused', async (timeout) => {
  const { post, orders } = await open('analyze')
  const reply = await post('placeorder', ORDER, { 'x-request-timeout': timeout })
  expect(reply).toMatchObject({ status: 400, code: 'validation' })
  expect(reply.body.message).toContain('X-Request-Timeout')
  expect(await orders()).toBe(0)
})

test.each([
  ['live', '2', 2],
  ['live', undefined, 30],
  ['analyze', '2', 2],
  ['analyze', undefined, 30],
] as const)(
  'an order whose deadline has passed is not sent (%s, X-Request-Timeout %s)',
  async (mode, header, seconds) => {
    const { service, clock, post, orders } = await open(mode)
    let waitMs = 0
    const { quote } = service.market
    service.market.quote = async (ref) => {
      await clock.advance(waitMs)
      return quote.call(service.market, ref)
    }
    service.brokers.orderSlot = async () => void (await clock.advance(waitMs))
    const headers: Record<string, string> = header === undefined ? {} : { 'x-request-timeout': header }
    waitMs = seconds * SECOND_MS + 1
    const late = await post('placeorder', ORDER, headers)
    expect(late).toMatchObject({ status: 503, code: 'request_expired', body: { status: 'error' } })
    expect(await orders()).toBe(0)
    waitMs = seconds * SECOND_MS - 1000
    expect(await post('placeorder', ORDER, headers)).toMatchObject({ status: 200 })
    expect(await orders()).toBe(1)
  },
)

test('a GTT and a changed order whose deadline has passed are not sent', async () => {
  const { service, clock, post, book } = await open('live')
  const limit = { ...ORDER, pricetype: 'LIMIT', price: 700 }
  const placed = await post('placeorder', limit)
  service.brokers.orderSlot = async () => void (await clock.advance(31 * SECOND_MS))
  const change = { ...limit, orderid: placed.body.orderid, disclosed_quantity: 0, trigger_price: 0 }
  expect(await post('modifyorder', { ...change, price: 650 })).toMatchObject({ code: 'request_expired' })
  const gtt = { ...ORDER, product: 'CNC', trigger_type: 'SINGLE', price: 690, triggerprice_sl: 700 }
  expect(await post('placegttorder', gtt)).toMatchObject({ status: 503, code: 'request_expired' })
  expect(await book()).not.toContain('650')
  expect(await book('gttorderbook')).toContain('"data":[]')
})

test('the parts of a split order that come after its deadline are not sent', async () => {
  const { http, service, clock, post, orders } = await open('live')
  let turns = 0
  service.brokers.orderSlot = async () => {
    if (++turns > 2) await clock.advance(31 * SECOND_MS)
  }
  const { text } = await http.desk.settled(post('splitorder', { ...ORDER, quantity: 40, splitsize: 10 }))
  expect(text.split('passed before it was executed')).toHaveLength(3)
  expect(await orders()).toBe(2)
})

/** A request that the server received some time ago. */
function receivedAt(monotonic: number): { incoming: DaemonRequest } {
  return { incoming: Object.assign(new DaemonRequest(new Socket()), { receivedAt: monotonic }) }
}

/** Sends a request with a session token; `ageMs` before now it was received. */
async function sessionOf(http: HttpDesk) {
  const headers = { authorization: `Bearer ${await http.signIn()}`, 'content-type': 'application/json' }
  return async (method: string, path: string, ageMs = 0, fields?: object) => {
    const init = { method, headers, ...(fields && { body: JSON.stringify(fields) }) }
    const reply = await http.app.request(path, init, receivedAt(http.desk.clock.monotonic() - ageMs))
    return { status: reply.status, code: reply.headers.get('x-svc-code'), text: await reply.text() }
  }
}

describe('an approval whose caller is gone', () => {
  async function queued() {
    const rig = await open('analyze')
    await rig.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    for (let n = 0; n < 2; n++) expect(await rig.post('placeorder', ORDER)).toMatchObject({ status: 200 })
    return { ...rig, ask: await sessionOf(rig.http), pending: () => rig.service.approvals.count(USER) }
  }

  test('is refused before the claim, also when it waited behind a check', async () => {
    const { service, clock, orders, ask, pending } = await queued()
    expect(await ask('POST', '/action-center/approve/1', 31 * SECOND_MS)).toMatchObject({
      status: 503,
      code: 'request_expired',
    })
    const open = service.executor.open.bind(service.executor)
    service.executor.open = (order) => ({
      ...open(order),
      recheck: async () => {
        await clock.advance(31 * SECOND_MS)
        return undefined
      },
    })
    expect(await ask('POST', '/action-center/approve/1')).toMatchObject({ code: 'request_expired' })
    expect(pending()).toBe(2)
    expect(await orders()).toBe(0)
  })

  test('leaves all that approve-all had not reached', async () => {
    const { service, clock, orders, ask, pending } = await queued()
    const open = service.executor.open.bind(service.executor)
    service.executor.open = (order) => {
      const request = open(order)
      const send = async (ref: string) => {
        await clock.advance(31 * SECOND_MS)
        return request.send(ref)
      }
      return { ...request, send }
    }
    const all = await ask('POST', '/action-center/approve-all')
    expect(JSON.parse(all.text)).toMatchObject({ approved_count: 1, failed_executions: [{ order_id: 2 }] })
    expect(pending()).toBe(1)
    expect(await orders()).toBe(1)
    expect(await ask('POST', '/action-center/approve-all', 31 * SECOND_MS)).toMatchObject({
      code: 'request_expired',
    })
  })
})

test('a run requested after its deadline does not start, by hand or by webhook', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(HOOK, 'Late')
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  const { body } = await rig.ask('GET', `/workflows/${id}/webhook`)
  const ask = await sessionOf(rig.http)
  const calls = [
    [`/flow/api/workflows/${id}/execute`, {}],
    [`/flow/webhook/${body.webhook_token}`, { secret: body.webhook_secret }],
  ] as const
  for (const [path, fields] of calls) {
    expect(await ask('POST', path, 31 * SECOND_MS, fields)).toMatchObject({
      status: 503,
      code: 'request_expired',
    })
  }
  expect(await rig.runs(id)).toEqual([])
  for (const [path, fields] of calls)
    expect(await ask('POST', path, 0, fields)).toMatchObject({ status: 200 })
  expect(await rig.runs(id)).toHaveLength(2)
})

describe('when a request was received', () => {
  test('is the moment it is read, while the process runs', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const arrivals = new Arrivals(clock)
    await clock.advance(10 * SECOND_MS)
    expect(arrivals.stamp()).toBe(clock.monotonic())
  })

  test('is the start of a freeze for all that is read right after it', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    let frozenMs = 0
    const monotonic = () => VirtualClock.prototype.monotonic.call(clock) + frozenMs
    const arrivals = new Arrivals(Object.assign(clock, { monotonic }))
    await clock.advance(10 * SECOND_MS)
    const before = clock.monotonic()
    frozenMs = 60 * SECOND_MS
    expect(arrivals.stamp()).toBe(before)
    await clock.advance(300)
    expect(arrivals.stamp()).toBe(before)
    await arrivals.backlog
    await clock.advance(300)
    expect(arrivals.stamp()).toBe(clock.monotonic())
  })

  test('is the start of a freeze as long as each turn of the event loop reads more of the backlog', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    let frozenMs = 0
    const monotonic = () => VirtualClock.prototype.monotonic.call(clock) + frozenMs
    const arrivals = new Arrivals(Object.assign(clock, { monotonic }))
    const before = clock.monotonic()
    frozenMs = 60 * SECOND_MS
    for (let turn = 0; turn < 50; turn++) {
      expect(arrivals.stamp()).toBe(before)
      await clock.advance(100)
      await new Promise((resolve) => setImmediate(resolve))
      arrivals.connected()
    }
    await arrivals.backlog
    expect(arrivals.stamp()).toBe(clock.monotonic())
  })
})
