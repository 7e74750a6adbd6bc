import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { ORDER_ROUTES } from '../support/desk/api-routes.js'
import { approvalsOf, queueOne, sandboxOf } from '../support/desk/desk-state.js'
import { eventually, pause } from '../support/eventually.js'
import { query } from '../support/files/files.js'
import type { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'
import { orderWays } from './order-ways.js'

/* Promise 10: once the kill switch is acknowledged, no source sends a new order, across restarts. */
let kite: FakeBrokerProcess
let daemon: DaemonProcess
beforeAll(async () => {
  kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  daemon = await kite.desk()
})
afterAll(async () => {
  await daemon.dispose()
  await kite.dispose()
})

const stop = () => daemon.request('POST', '/risk/kill-switch', { on: true, reason: 'too fast' })
const resume = (confirm?: string) => daemon.request('POST', '/risk/kill-switch', { on: false, confirm })
const stopped = async () =>
  (await daemon.request<{ data: { kill_switch: Record<string, unknown> } }>('GET', '/risk')).body.data
    .kill_switch

beforeEach(async () => {
  await resume('RESUME')
})

const MODES = casesFor(['live', 'analyze'] as const, (mode) => mode === 'live')

/**
 * Returns the number of orders sent so far: at the broker, and in the simulated account with its triggers.
 */
async function sent(): Promise<number> {
  const { orders } = await sandboxOf(daemon)
  const gtts = await query(join(daemon.home, 'sandbox.db'), 'select 1 from sandbox_gtt')
  return (await kite.placed()).length + orders.length + gtts.length
}

/** Requests that this broker does not support, with or without the switch. */
const UNSUPPORTED = new Set(['placegttorder', 'modifygttorder'])

describe.each(MODES)('in %s mode', (mode) => {
  beforeEach(async () => {
    await daemon.analyze(mode === 'analyze')
  })
  afterEach(async () => {
    await resume('RESUME')
    await daemon.orderMode('auto')
    await daemon.analyze(false)
  })

  it('no way of ordering sends anything while trading is stopped, also after a kill; after the resume each works', async () => {
    const ways = await orderWays(daemon)
    expect(ways.length).toBeGreaterThan(ORDER_ROUTES.length)
    const before = await sent()
    expect((await stop()).status).toBe(200)
    const expectRefused = async () => {
      for (const { name, send } of ways) {
        const { text } = await send()
        // A change is compared with its order first, and this broker has no such orders.
        const isUnsupported = mode === 'live' && name === 'modifygttorder'
        if (!isUnsupported) expect(text, name).toContain('kill switch')
        expect(await sent(), name).toBe(before)
      }
    }
    await expectRefused()
    await daemon.crash()
    expect(await stopped()).toMatchObject({ on: true, reason: 'too fast', by: 'asha' })
    await expectRefused()

    await kite.serves(daemon)
    expect((await resume('RESUME')).status).toBe(200)
    for (const { name, send } of ways) {
      if (mode === 'live' && UNSUPPORTED.has(name)) continue
      const [already, { status, text }] = [await sent(), await send()]
      expect([name, status, text]).toEqual([name, 200, expect.stringContaining('"success"')])
      if (!/modify/i.test(name)) expect(await sent(), name).toBeGreaterThan(already)
    }
  })

  it.each(casesFor(['approve', 'approve-all'], (verb) => verb === 'approve-all'))(
    '%s sends nothing either, and what waits stays pending',
    async (verb) => {
      await daemon.analyze(false)
      await daemon.orderMode('semi_auto')
      const id = await queueOne(daemon)
      await daemon.analyze(mode === 'analyze')
      const send = () =>
        daemon.request('POST', `/action-center/${verb === 'approve' ? `approve/${id}` : verb}`)
      const before = await sent()
      await stop()
      const expectRefused = async () => {
        const { status, code, text } = await send()
        expect(text).toContain('kill switch')
        // approve-all answers for all rows at once: 200 with the outcome of each.
        if (verb === 'approve') expect([status, code]).toEqual([403, 'kill_switch'])
        expect(await sent()).toBe(before)
        expect((await approvalsOf(daemon)).at(-1)?.status).toBe('pending')
      }
      await expectRefused()
      await daemon.crash()
      await expectRefused()
      await kite.serves(daemon)
      await resume('RESUME')
      expect((await send()).status).toBe(200)
      expect(await sent()).toBe(before + 1)
    },
  )
})

it('orders queue while trading is stopped, and can be sent only after the resume', async () => {
  await daemon.orderMode('semi_auto')
  await stop()
  const id = await queueOne(daemon)
  expect((await daemon.request('POST', `/action-center/approve/${id}`)).code).toBe('kill_switch')
  await resume('RESUME')
  expect((await daemon.request('POST', `/action-center/approve/${id}`)).status).toBe(200)
  await daemon.orderMode('auto')
})

describe('the resume', () => {
  it.each([undefined, '', 'resume', 'yes'])('is refused with the word %j', async (word) => {
    await stop()
    const { status, code } = await resume(word)
    expect([status, code]).toEqual([400, 'validation'])
    expect(await stopped()).toMatchObject({ on: true })
    expect((await daemon.place()).code).toBe('kill_switch')
  })

  testInTorture('survives a restart', async () => {
    await stop()
    await resume('RESUME')
    await daemon.crash()
    expect((await daemon.place()).status).toBe(200)
  })
})

it('under load no order is sent between the acknowledged stop and the request to resume', async () => {
  const CLIENTS = 8
  const already = (await kite.placed()).length
  const placed = async () => (await kite.placed()).length
  let running = true
  let period: 'before' | 'stopped' | 'after' = 'before'
  /** The codes of the orders that were requested while trading was stopped. */
  const refusals: (string | null)[] = []
  const turns = Array.from({ length: CLIENTS }, () => 0)
  const client = async (_: unknown, index: number) => {
    while (running) {
      const requested = period
      const { code } = await daemon.place()
      if (requested === 'stopped' && period === 'stopped') refusals.push(code)
      turns[index] = (turns[index] ?? 0) + 1
    }
  }
  /** Resolves when each client has the answers to the request that is open now, and to a few more. */
  const someTurns = async (count: number) => {
    const until = turns.map((turn) => turn + count)
    await eventually(() => turns.every((turn, index) => turn >= (until[index] ?? 0)))
  }
  const clients = Array.from({ length: CLIENTS }, client)
  await eventually(async () => (await placed()) > already, 'orders are sent')
  await stop()
  period = 'stopped'
  await someTurns(1)
  const sentByThen = await placed()
  await someTurns(20)
  expect(await placed(), 'orders sent while trading was stopped').toBe(sentByThen)
  expect(new Set(refusals)).toEqual(new Set(['kill_switch']))
  period = 'after'
  await resume('RESUME')
  await eventually(async () => (await placed()) > sentByThen, 'orders are sent again')
  running = false
  await Promise.all(clients)
})

it('an order that waits for a price when trading is stopped is not sent', async () => {
  // With a user's own limit, the gate requests a quote, which takes a while here.
  await daemon.crash()
  await daemon.request('PUT', '/risk', { max_order_value: 1_000_000 })
  await kite.script('quote', 'stall:3000')
  const before = (await kite.placed()).length
  const order = daemon.place({ symbol: 'RELIANCE' })
  await pause(200)
  expect((await stop()).status).toBe(200)
  expect((await order).code).toBe('kill_switch')
  expect(await kite.placed()).toHaveLength(before)
  await daemon.request('PUT', '/risk', { max_order_value: null })
})
