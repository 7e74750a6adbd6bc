import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rounds } from '../support/chance/chance.js'
import { approvalsOf, type QueuedRow, queueOne } from '../support/desk/desk-state.js'
import { pause } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import type { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'
import { type Decision, wrongRegister } from '../support/traffic/checker.js'

/** Promise 5: an approval executes at most once, even when several callers decide at the same moment. */
const TOGETHER = 200
const ROUNDS = rounds(2, 100)
const KILLED_ROUNDS = rounds(1, 40)
/** The number of rounds in which rows expire; each of them waits for the expiry. */
const EXPIRY_ROUNDS = rounds(1, 60)
const EXPIRY_MS = 1000
/**
 * Rows that expire shortly one after another, so that a concurrent decision meets expired and pending rows.
 */
const EXPIRING = 8

let kite: FakeBrokerProcess
let daemon: DaemonProcess
beforeAll(async () => {
  kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  daemon = await kite.desk()
  await daemon.orderMode('semi_auto')
})
afterAll(async () => {
  expect(await damages(daemon.home)).toEqual([])
  await daemon.dispose()
  await kite.dispose()
})

/** Returns the number of broker orders for one row of the queue, from the ledger and our tag. */
async function executionsOf(id: number): Promise<number> {
  const rows = await query(
    join(daemon.home, 'svc.db'),
    'select order_ref from order_journal where approval_id = ?',
    [id],
  )
  const tags = rows.map((row) => row.order_ref)
  return (await kite.placed()).filter(({ tag }) => tags.includes(tag)).length
}

async function rowOf(id: number): Promise<QueuedRow> {
  const row = (await approvalsOf(daemon)).find((each) => each.id === id)
  if (!row) throw new Error(`row ${id} is gone`)
  return row
}

it(`${TOGETHER} simultaneous approvals of one row execute it once`, async () => {
  for (let round = 1; round <= rounds(1, 40); round++) {
    const id = await queueOne(daemon)
    const replies = await Promise.all(
      Array.from({ length: TOGETHER }, () => daemon.request('POST', `/action-center/approve/${id}`)),
    )
    const told = replies.map(({ status, code }) => `${status} ${code}`).sort()
    expect(told).toEqual(['200 null', ...Array(TOGETHER - 1).fill('400 not_pending')])
    expect(await executionsOf(id)).toBe(1)
    expect(await rowOf(id)).toMatchObject({ status: 'approved', execution: 'done' })
  }
})

/** One way to decide about a row, or to interfere with a decision. */
interface Move {
  name: string
  run: (id: number) => Promise<Decision | undefined>
}

/** A warning is an approval too: the row was claimed, and then its execution was refused or is in doubt. */
const orUnknown = (
  kind: Decision['kind'],
  request: Promise<{ body: { status?: string } }>,
): Promise<Decision> =>
  request.then(
    ({ body }) => ({ kind, won: body.status === 'success' || body.status === 'warning' }),
    () => ({ kind, won: 'unknown' as const }),
  )

const approve: Move = {
  name: 'approve',
  run: (id) => orUnknown('approve', daemon.request('POST', `/action-center/approve/${id}`)),
}
/** The size of the orders of `queueOne`. */
const SIZE = 10
/** An approver who saw an order of this size. */
const approveShown = (quantity: number): Move => ({
  name: `approve ${quantity} as shown`,
  run: (id) => {
    const terms = { action: 'BUY', quantity, pricetype: 'MARKET', product: 'CNC', price: 0 }
    const legs = [{ symbol: 'SBIN', exchange: 'NSE', ...terms }]
    const body = { expected: { mode: 'live', legs } }
    return orUnknown('approve', daemon.request('POST', `/action-center/approve/${id}`, body))
  },
})
const approveAll: Move = {
  name: 'approve-all',
  // The answer has the number of approved rows; here it is one.
  run: (_id) =>
    daemon.request<{ approved_count?: number }>('POST', '/action-center/approve-all').then(
      ({ body }) => ({ kind: 'approve' as const, won: (body.approved_count ?? 0) > 0 }),
      () => ({ kind: 'approve' as const, won: 'unknown' as const }),
    ),
}
const reject: Move = {
  name: 'reject',
  run: (id) => orUnknown('reject', daemon.request('POST', `/action-center/reject/${id}`, { reason: 'no' })),
}
const killSwitch: Move = {
  name: 'kill switch',
  run: async () => {
    await daemon.request('POST', '/risk/kill-switch', { on: true, reason: 'race' }).catch(() => undefined)
    return undefined
  },
}
const kill: Move = {
  name: 'kill -9',
  run: async () => {
    await pause(Math.random() * 8)
    await daemon.kill()
    return undefined
  },
}

/** Checks that a row agrees with its deciders and the broker, and that nobody can decide it again. */
async function judge(id: number, decisions: readonly Decision[]): Promise<QueuedRow> {
  const row = await rowOf(id)
  expect(wrongRegister(decisions, row.status, await executionsOf(id))).toEqual([])
  const deciders = [row.approved_by, row.rejected_by].filter((name) => name !== null)
  expect(deciders, 'one has decided it, or nobody').toHaveLength(row.status === 'pending' ? 0 : 1)
  if (row.status === 'pending') {
    const { code } = await daemon.request('POST', `/action-center/reject/${id}`)
    expect(code, 'what is pending can still be decided').toBeNull()
  } else {
    const { code } = await daemon.request('POST', `/action-center/approve/${id}`)
    expect(code, 'what is decided stays decided').toBe('not_pending')
  }
  expect(await executionsOf(id)).toBeLessThanOrEqual(1)
  return row
}

const resume = () => daemon.request('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })

/** Makes two moves on a new row at the same moment and checks the row, the answers and the broker. */
async function race(first: Move, second: Move): Promise<void> {
  const id = await queueOne(daemon)
  const made = await Promise.all([first.run(id), second.run(id)])
  if (!daemon.running) await kite.resume(daemon)
  await resume()
  const decisions = made.filter((decision) => decision !== undefined)
  const { status } = await judge(id, decisions)
  if (decisions.length === 2 && decisions.every(({ won }) => won !== 'unknown')) {
    expect(decisions.filter(({ won }) => won)).toHaveLength(1)
    expect(status).not.toBe('pending')
  }
}

describe('at the same moment', () => {
  const deciders = [approve, approveAll, reject]
  const pairs = [
    ...[...deciders, killSwitch, kill].flatMap((second, index) =>
      deciders.slice(0, index + 1).map((first) => [first, second] as const),
    ),
    [killSwitch, kill] as const,
  ]
  for (const [first, second] of pairs) {
    const count = second === kill ? KILLED_ROUNDS : ROUNDS
    it(`${first.name} and ${second.name}: at most one wins, and the order executes at most once`, async () => {
      for (let round = 1; round <= count; round++) await race(first, second)
    })
  }
})

describe('two approvers, one of whom saw another size', () => {
  const [right, wrong] = [approveShown(SIZE), approveShown(2 * SIZE)]

  it('one order, and only for the one who saw what is sent', async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const id = await queueOne(daemon)
      const order = round % 2 === 0 ? [right, wrong] : [wrong, right]
      const made = await Promise.all(order.map((move) => move.run(id)))
      expect(made.map((decision, at) => [order[at]?.name, decision?.won]).sort()).toEqual([
        [right.name, true],
        [wrong.name, false],
      ])
      expect(await executionsOf(id)).toBe(1)
      await judge(
        id,
        made.filter((decision) => decision !== undefined),
      )
    }
  })

  it('a kill -9 at the same moment sends nothing for the one who saw another size', async () => {
    for (let round = 1; round <= KILLED_ROUNDS; round++) {
      const id = await queueOne(daemon)
      await Promise.all([wrong.run(id), kill.run(id)])
      if (!daemon.running) await kite.resume(daemon)
      expect(await executionsOf(id)).toBe(0)
      expect((await rowOf(id)).status).toBe('pending')
      await daemon.request('POST', `/action-center/reject/${id}`)
    }
  })
})

describe('at the moment a row expires', () => {
  const env = { APPROVAL_EXPIRY_SECONDS: String(EXPIRY_MS / 1000) }
  beforeAll(() => daemon.crash({ env }))

  /** Makes the move while the rows expire, one after another. */
  async function raceWithExpiry(move: Move): Promise<void> {
    const rows: { id: number; expiresAt: number }[] = []
    while (rows.length < EXPIRING) {
      rows.push({ id: await queueOne(daemon), expiresAt: Date.now() + EXPIRY_MS })
    }
    const middle = rows[EXPIRING / 2]?.expiresAt ?? 0
    await pause(middle - Date.now() - Math.random() * 10)
    const made = await Promise.all(rows.map(({ id }) => move.run(id)))
    if (!daemon.running) await daemon.start({ env })
    await pause((rows.at(-1)?.expiresAt ?? 0) - Date.now())
    await resume()
    for (const [index, { id }] of rows.entries()) {
      await expect.poll(async () => (await rowOf(id)).status).not.toBe('pending')
      const expired: Decision = { kind: 'expire', won: (await rowOf(id)).rejected_by === 'system' }
      const mine = made[index]
      // The answer has the number of approved rows, but not their ids.
      const decision = mine && move === approveAll ? { ...mine, won: 'unknown' as const } : mine
      const { status } = await judge(id, [expired, ...(decision ? [decision] : [])])
      expect(await executionsOf(id)).toBe(status === 'approved' ? 1 : 0)
      if (move === killSwitch || move === kill) expect(expired.won, 'nobody else was there').toBe(true)
      else if (move !== approveAll) expect(expired.won).toBe(!decision?.won)
    }
  }

  for (const move of [approve, approveAll, reject, killSwitch, kill]) {
    const count = move === kill ? KILLED_ROUNDS : EXPIRY_ROUNDS
    it(`${move.name}: one wins, and the order executes at most once`, async () => {
      for (let round = 1; round <= count; round++) await raceWithExpiry(move)
    })
  }
})
