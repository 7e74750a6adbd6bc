import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JournalEntry, journalOf } from '../support/desk/desk-state.js'
import { eventually } from '../support/eventually.js'
import type { DaemonProcess, Reply } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'

/*
 * The faults of a broker, one row each: the answer to the caller, the state in the journal, and the state
 * after a search of the broker's book. In every case the order is sent once.
 */
interface Fault {
  what: string
  action: string
  status: number
  code: string | null
  state: string
  settled: string
  /** Returns the orders that the broker really has. */
  executed: 0 | 1
  message?: string
}

const IN_DOUBT = { status: 504, code: 'outcome_unknown', state: 'unknown' }

const FAULTS: readonly Fault[] = [
  {
    what: 'accepts',
    action: 'ok',
    status: 200,
    code: null,
    state: 'accepted',
    settled: 'accepted',
    executed: 1,
  },
  {
    what: 'accepts and drops the connection',
    action: 'drop_after',
    ...IN_DOUBT,
    settled: 'accepted',
    executed: 1,
  },
  {
    what: 'accepts behind a failing gateway',
    action: '5xx_after',
    ...IN_DOUBT,
    settled: 'accepted',
    executed: 1,
  },
  { what: 'accepts and answers garbage', action: 'garbage', ...IN_DOUBT, settled: 'accepted', executed: 1 },
  {
    what: 'accepts and answers without an id',
    action: 'no_id',
    ...IN_DOUBT,
    settled: 'accepted',
    executed: 1,
  },
  { what: 'drops the connection first', action: 'drop_before', ...IN_DOUBT, settled: 'unknown', executed: 0 },
  {
    what: 'is behind a gateway that fails first',
    action: '5xx_before',
    ...IN_DOUBT,
    settled: 'unknown',
    executed: 0,
  },
  {
    what: 'says its order system is away',
    action: 'reject:NetworkException:Gateway timed out',
    ...IN_DOUBT,
    settled: 'unknown',
    executed: 0,
  },
  {
    what: 'has no money for it',
    action: 'reject:MarginException:Insufficient funds',
    status: 400,
    code: 'broker_rejected',
    state: 'rejected',
    settled: 'rejected',
    executed: 0,
    message: 'Insufficient funds',
  },
  {
    what: 'does not accept its input',
    action: 'reject:InputException:Invalid quantity',
    status: 400,
    code: 'broker_rejected',
    state: 'rejected',
    settled: 'rejected',
    executed: 0,
    message: 'Invalid quantity',
  },
  {
    what: 'has ended the session',
    action: 'reject:TokenException:Incorrect api_key or access_token.',
    status: 403,
    code: 'forbidden',
    state: 'rejected',
    settled: 'rejected',
    executed: 0,
  },
  {
    what: 'limits the rate',
    action: '429',
    status: 429,
    code: 'rate_limited',
    state: 'rejected',
    settled: 'rejected',
    executed: 0,
  },
]

let kite: FakeBrokerProcess
let daemon: DaemonProcess
/** Longer than the plugin's order limit; it starts first, because it takes long. */
let slow: Promise<Reply<{ order_ref?: string }>>
const SLOW_MS = 17_000

beforeAll(async () => {
  kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  daemon = await kite.desk()
  // Orders stay in their state, so that no update of the broker reveals what its answer did not.
  await kite.holdBack(600_000)
  await kite.script('place', `slow:${SLOW_MS}`)
  slow = daemon.place({ strategy: 'slow' })
  await eventually(async () => (await kite.placed()).length === 1)
})
afterAll(async () => {
  await daemon.dispose()
  await kite.dispose()
})

async function entry(ref: string | null): Promise<JournalEntry> {
  const found = (await journalOf(daemon)).find(({ order_ref }) => order_ref === ref)
  if (!found) throw new Error(`the journal has no ${ref}`)
  return found
}

async function inDoubt(): Promise<string> {
  await kite.script('place', 'drop_before')
  const { body } = await daemon.place()
  return body.order_ref ?? ''
}

async function sentUnder(ref: string | null): Promise<string[]> {
  return (await kite.placed()).filter(({ tag }) => tag === ref).map(({ orderId }) => orderId)
}

describe('a broker that', () => {
  for (const { what, action, status, code, state, settled, executed, message } of FAULTS) {
    const end = settled === state ? '' : `, then ${settled}`
    it(`${what}: ${status}, ${state}${end}, ${executed ? 'executed once' : 'not executed'}`, async () => {
      await kite.script('place', action)
      const reply = await daemon.place()
      expect([reply.status, reply.code]).toEqual([status, code])
      if (message !== undefined) expect(reply.body.message).toBe(message)
      const ref = reply.headers.get('x-order-ref')
      if (code === 'outcome_unknown') expect(reply.body.order_ref).toBe(ref)

      await eventually(async () => (await entry(ref)).state === settled, `it is ${settled}`)
      const sent = await sentUnder(ref)
      expect(sent).toHaveLength(executed)
      if (executed === 1) expect((await entry(ref)).orderid).toBe(sent[0])
      // The broker refused the session, so it has ended.
      if (code === 'forbidden') await kite.connect(daemon)
    })
  }

  it('rejects an accepted order at the exchange: the order keeps its id and ends as rejected', async () => {
    await kite.holdBack(0)
    await kite.script('place', 'late_reject:Circuit limit')
    const reply = await daemon.place()
    expect(reply.status).toBe(200)
    const ref = reply.headers.get('x-order-ref')
    await eventually(async () => (await entry(ref)).state === 'rejected')
    expect(await entry(ref)).toMatchObject({ orderid: reply.body.orderid, reason: 'Circuit limit' })
    await kite.holdBack(600_000)
  })

  it('cannot be reached: the order was certainly not sent', async () => {
    const alone = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
    const unreachable = await alone.desk()
    try {
      await alone.dispose()
      const reply = await unreachable.place()
      expect([reply.status, reply.code]).toEqual([500, 'unavailable'])
      expect((await journalOf(unreachable)).map(({ state }) => state)).toEqual(['rejected'])
    } finally {
      await unreachable.dispose()
    }
  })
})

describe('an order that the broker’s book cannot settle', () => {
  it('stays in doubt, is searched repeatedly, and is never sent', async () => {
    const ref = await inDoubt()
    const lookups = async () => {
      const { body } = await daemon.request<{ data: { lookups: number } }>('GET', `/orders/journal/${ref}`)
      return body.data.lookups
    }
    await eventually(async () => (await lookups()) >= 2, 'it was searched twice')
    expect((await entry(ref)).state).toBe('unknown')
    expect(await sentUnder(ref)).toEqual([])
  })

  it('is rejected by a person once, and keeps the reason', async () => {
    const ref = await inDoubt()
    const path = `/orders/journal/${ref}/settle`
    const verdict = { outcome: 'rejected', reason: 'not in the order book' }
    expect((await daemon.request('POST', path, verdict)).status).toBe(200)
    expect(await entry(ref)).toMatchObject({
      state: 'rejected',
      reason: 'Settled by asha: not in the order book',
    })
    const again = await daemon.request('POST', path, verdict)
    expect([again.status, again.code]).toEqual([409, 'conflict'])
    expect(await sentUnder(ref)).toEqual([])
  })

  it('is accepted by a person only with the broker’s id', async () => {
    const ref = await inDoubt()
    const path = `/orders/journal/${ref}/settle`
    const verdict = { outcome: 'accepted', reason: 'seen in the order book' }
    expect((await daemon.request('POST', path, verdict)).status).toBe(400)
    expect((await daemon.request('POST', path, { ...verdict, orderid: '4711' })).status).toBe(200)
    expect(await entry(ref)).toMatchObject({ state: 'accepted', orderid: '4711' })
  })

  it('cannot be settled when it is not in doubt', async () => {
    const verdict = { outcome: 'rejected', reason: 'because' }
    const unknown = await daemon.request('POST', '/orders/journal/S0000000000000000000/settle', verdict)
    expect([unknown.status, unknown.code]).toEqual([404, 'not_found'])
    await kite.script('place', 'ok')
    const ref = (await daemon.place()).headers.get('x-order-ref')
    const settled = await daemon.request('POST', `/orders/journal/${ref}/settle`, verdict)
    expect([settled.status, settled.code]).toEqual([409, 'conflict'])
  })
})

it('an answer later than the limit leaves the order in doubt; the book settles it, and it is sent once', async () => {
  const { status, code, body } = await slow
  expect([status, code]).toEqual([504, 'outcome_unknown'])
  const ref = body.order_ref ?? ''
  await eventually(async () => (await entry(ref)).state === 'accepted')
  expect(await sentUnder(ref)).toEqual([(await entry(ref)).orderid])
})
