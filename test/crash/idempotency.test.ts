import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rounds } from '../support/chance/chance.js'
import { approvalsOf, sandboxOf } from '../support/desk/desk-state.js'
import type { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'

/** Promises 3 and 4: one execution for each key, across parallel requests, retries, restarts and kills. */
const PARALLEL = 16
/** Kite takes 200 orders a minute. */
const ROUNDS = rounds(5, 150)
const KILLED_ROUNDS = rounds(1, 60)

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

let keys = 0
const newKey = () => ({ 'idempotency-key': `key-${++keys}` })

/** Sends the same request many times at once. */
function postTogether(headers: Record<string, string>) {
  return Promise.all(Array.from({ length: PARALLEL }, () => daemon.place({ strategy: 'together' }, headers)))
}

/** Returns the one answer that all requests got. */
function sameAnswer(replies: Awaited<ReturnType<typeof postTogether>>): string {
  const answers = new Set(replies.map(({ status, code, text }) => `${status} ${code} ${text}`))
  expect([...answers]).toHaveLength(1)
  return [...answers][0] ?? ''
}

const MODES = [
  { name: 'live', enter: () => daemon.analyze(false), executed: async () => (await kite.placed()).length },
  {
    name: 'simulated',
    enter: () => daemon.analyze(true),
    executed: async () => (await sandboxOf(daemon)).orders.length,
  },
]

for (const { name, enter, executed } of MODES) {
  describe(`${name} orders`, () => {
    beforeAll(async () => {
      if (!daemon.running) await kite.resume(daemon)
      await enter()
    })

    it(`${PARALLEL} parallel posts of one key are one order with one answer, ${ROUNDS} times`, async () => {
      for (let round = 1; round <= ROUNDS; round++) {
        const before = await executed()
        const headers = newKey()
        const answer = sameAnswer(await postTogether(headers))
        expect(answer).toMatch(/^200 null .*"orderid":/)
        expect(sameAnswer(await postTogether(headers))).toBe(answer)
        expect((await executed()) - before).toBe(1)
      }
    })

    it('a retry gets the same answer to the last byte, also from the next process', async () => {
      const headers = newKey()
      const first = await daemon.place({}, headers)
      const before = await executed()
      const second = await daemon.place({}, headers)
      await daemon.crash()
      const third = await daemon.place({}, headers)
      for (const again of [second, third]) {
        expect([again.status, again.text, again.headers.get('x-order-ref')]).toEqual([
          first.status,
          first.text,
          first.headers.get('x-order-ref'),
        ])
      }
      expect(await executed()).toBe(before)
    })

    it('a used key with any field changed is a conflict and executes nothing', async () => {
      const headers = newKey()
      await daemon.place({}, headers)
      const before = await executed()
      const others = [
        { quantity: 11 },
        { action: 'SELL' },
        { symbol: 'INFY' },
        { exchange: 'BSE' },
        { product: 'MIS' },
        { strategy: 'other' },
        { pricetype: 'LIMIT', price: 800 },
        { disclosed_quantity: 1 },
      ]
      for (const other of others) {
        const { status, code } = await daemon.place(other, headers)
        expect([other, status, code]).toEqual([other, 409, 'conflict'])
      }
      await daemon.crash()
      expect((await daemon.place({ quantity: 11 }, headers)).status).toBe(409)
      expect(await executed()).toBe(before)
    })

    it('the same request in another JSON form is the same request', async () => {
      const headers = newKey()
      const first = await daemon.place({ quantity: 10 }, headers)
      const again = await daemon.place({ quantity: '10', pricetype: 'MARKET', price: 0 }, headers)
      expect([again.status, again.text]).toEqual([first.status, first.text])
    })

    it(`killed between commit and send with ${PARALLEL} posts waiting: their retries get one order and one answer`, async () => {
      for (let round = 1; round <= KILLED_ROUNDS; round++) {
        const headers = newKey()
        const before = await executed()
        await daemon.crash({ env: { SVC_CRASH_AT: 'orders.intake.afterCommit' } })
        await kite.serves(daemon)
        await postTogether(headers).catch(() => undefined)
        expect((await daemon.exited()).signal).toBe('SIGKILL')
        await kite.resume(daemon)
        const answer = sameAnswer(await postTogether(headers))
        expect(answer).toMatch(/^200 null/)
        expect((await executed()) - before).toBe(1)
      }
    })
  })
}

describe('the results that a key stores', () => {
  beforeAll(() => daemon.analyze(false))

  it('a refusal before the start is not stored: a retry executes the request', async () => {
    const headers = newKey()
    await daemon.request('PUT', '/risk', { max_order_quantity: 5 })
    const refused = await daemon.place({}, headers)
    expect([refused.status, refused.code]).toEqual([403, 'risk_refused'])
    await daemon.request('PUT', '/risk', { max_order_quantity: null })
    expect((await daemon.place({}, headers)).status).toBe(200)
  })

  it('a rejection by the broker is stored: a retry gets it and sends nothing', async () => {
    const headers = newKey()
    await kite.script('place', 'reject:MarginException:Insufficient funds')
    const first = await daemon.place({}, headers)
    const before = (await kite.placed()).length
    const again = await daemon.place({}, headers)
    expect([again.status, again.code, again.text]).toEqual([first.status, first.code, first.text])
    expect(first.body.message).toBe('Insufficient funds')
    expect(await kite.placed()).toHaveLength(before)
  })

  it('an unknown outcome is not stored: the key returns the outcome once it is known', async () => {
    const headers = newKey()
    await kite.holdBack(60_000)
    await kite.script('place', 'drop_after')
    expect((await daemon.place({}, headers)).status).toBe(504)
    await expect.poll(async () => (await daemon.place({}, headers)).status).toBe(200)
    await kite.holdBack(0)
    const { orderId } = (await kite.placed()).at(-1) ?? {}
    expect((await daemon.place({}, headers)).body.orderid).toBe(orderId)
  })

  it('an invalid key is refused', async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      const { status, code } = await daemon.place({}, { 'idempotency-key': key })
      expect([status, code]).toEqual([400, 'validation'])
    }
    expect((await daemon.place({}, { 'idempotency-key': 'k'.repeat(255) })).status).toBe(200)
  })
})

describe('queued orders', () => {
  beforeAll(() => daemon.orderMode('semi_auto'))
  afterAll(() => daemon.orderMode('auto'))

  it('parallel posts of one key become one row in the queue, also after a kill', async () => {
    const headers = newKey()
    const before = (await approvalsOf(daemon)).length
    const answer = sameAnswer(await postTogether(headers))
    expect(answer).toMatch(/"mode":"semi_auto"/)
    await daemon.crash()
    expect(sameAnswer(await postTogether(headers))).toBe(answer)
    expect(await approvalsOf(daemon)).toHaveLength(before + 1)
  })
})
