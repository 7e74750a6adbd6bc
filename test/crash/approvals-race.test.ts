import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { rounds } from '../support/chance.js'
import { type Decision, wrongRegister } from '../support/checker.js'
import type { DaemonProcess } from '../support/daemon-process.js'
import { approvalsOf, journalOf, queueOne } from '../support/desk-state.js'
import { pause } from '../support/eventually.js'
import { FakeKiteProcess } from '../support/fake-kite-process.js'
import { damages } from '../support/files.js'

/* Promise 5: an approval executes at most once, whoever decides at the same moment. */
const TOGETHER = 200
const ROUNDS = rounds(5)
const KILLED_ROUNDS = rounds(2)
const EXPIRY_MS = 1000

let kite: FakeKiteProcess
let daemon: DaemonProcess
beforeAll(async () => {
  kite = await FakeKiteProcess.start()
  daemon = await kite.desk()
  await daemon.orderMode('semi_auto')
})
afterAll(async () => {
  expect(await damages(daemon.home)).toEqual([])
  await daemon.dispose()
  await kite.dispose()
})

/** What the broker got for one row of the queue, by its ledger and our tag. */
async function executionsOf(id: number): Promise<number> {
  const tags = (await journalOf(daemon)).filter((row) => row.approval_id === id).map((row) => row.order_ref)
  return (await kite.placed()).filter(({ tag }) => tags.includes(tag)).length
}

async function rowOf(id: number) {
  const row = (await approvalsOf(daemon)).find((each) => each.id === id)
  if (!row) throw new Error(`row ${id} is gone`)
  return row
}

it(`${TOGETHER} simultaneous approvals of one row execute it once`, async () => {
  for (let round = 1; round <= rounds(2); round++) {
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

/** One way to decide about a row, or to get in the way of it. */
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
const approveAll: Move = {
  name: 'approve-all',
  // It tells how many rows it approved; here there is one.
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

/** Runs two moves on a fresh row at the same moment and checks what the row, the clients and the broker say. */
async function race(first: Move, second: Move): Promise<void> {
  const id = await queueOne(daemon)
  const decisions = await Promise.all([first.run(id), second.run(id)])
  if (!daemon.running) await daemon.start()
  const { status } = await rowOf(id)
  const made = decisions.filter((decision) => decision !== undefined)
  expect(wrongRegister(made, status, await executionsOf(id))).toEqual([])
  await daemon.request('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })
  if (status === 'pending') {
    const { code } = await daemon.request('POST', `/action-center/reject/${id}`)
    expect(code, 'what is pending can still be decided').toBeNull()
  } else {
    const { code } = await daemon.request('POST', `/action-center/approve/${id}`)
    expect(code, 'what is decided stays decided').toBe('not_pending')
  }
  expect(wrongRegister([], 'pending', Math.max(0, (await executionsOf(id)) - 1))).toEqual([])
}

describe('at the same moment', () => {
  const deciders = [approve, approveAll, reject]
  const pairs = [...deciders, killSwitch, kill].flatMap((second, index) =>
    deciders.slice(0, index + 1).map((first) => [first, second] as const),
  )
  for (const [first, second] of pairs) {
    const count = second === kill ? KILLED_ROUNDS : ROUNDS
    it(`${first.name} and ${second.name}: one winner at the most, executed once at the most`, async () => {
      for (let round = 1; round <= count; round++) await race(first, second)
    })
  }
})

describe('at the moment a row expires', () => {
  beforeAll(() => daemon.crash({ env: { APPROVAL_EXPIRY_SECONDS: String(EXPIRY_MS / 1000) } }))
  afterEach(() => expect(daemon.running).toBe(true))

  for (const move of [approve, approveAll, reject]) {
    it(`${move.name}: one winner at the most, executed once at the most`, async () => {
      const queued = await Promise.all(
        Array.from({ length: ROUNDS }, async (_, round) => {
          await pause(round * 100)
          const id = await queueOne(daemon)
          await pause(EXPIRY_MS - 6 + round * 2)
          return { id, decision: await move.run(id) }
        }),
      )
      await pause(50)
      for (const { id, decision } of queued) {
        const { status } = await rowOf(id)
        const mine = decision && (move === approveAll ? { ...decision, won: 'unknown' as const } : decision)
        const expired: Decision = { kind: 'expire', won: 'unknown' }
        const executions = await executionsOf(id)
        expect(wrongRegister([...(mine ? [mine] : []), expired], status, executions)).toEqual([])
        expect(executions).toBe(status === 'approved' ? 1 : 0)
      }
    })
  }
})
