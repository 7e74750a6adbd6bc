import { expect, test } from 'vitest'
import { ServiceError } from '../../../src/core/errors/index.js'
import { ORDER, openRig, type Rig } from './rig.js'

const ROUNDS = 200
/** Thousands of durable commits; the machine may be busy with other tests. */
const TIMEOUT_MS = 120_000

test('two hundred simultaneous approvals of one row execute it once', async () => {
  const { approvals, executor, db } = await openRig()
  for (let round = 0; round < 5; round++) {
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => approvals.approve('asha', id, `session ${i}`)),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_pending' })
    }
    expect(executor.executed.filter((executed) => executed === id)).toHaveLength(1)
    expect(await db.queryRaw('select ref from journal where approval_id = ?', [id])).toHaveLength(1)
  }
  expect(approvals.statistics('asha')).toMatchObject({ total_pending: 0, total_approved: 5 })
})

/** Each does its thing to one row and tells whether it decided it. */
const ACTS: Record<string, (rig: Rig, id: number) => Promise<boolean>> = {
  approve: (rig, id) => won(rig.approvals.approve('asha', id, 'first')),
  'approve all': async (rig) => (await rig.approvals.approveAll('asha', 'third')).approvedCount === 1,
  reject: (rig, id) => won(rig.approvals.reject('asha', id, 'fourth')),
  expire: async (rig) => (await rig.approvals.expireDue()) === 1,
  delete: async (rig, id) => {
    await won(rig.approvals.remove('asha', id))
    return false
  },
}

async function won(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof ServiceError && ['not_pending', 'not_found', 'refused'].includes(error.code))
      return false
    throw error
  }
}

const names = Object.keys(ACTS)
const pairs = names
  .flatMap((a, i) => names.slice(i).map((b) => [a, b] as const))
  .filter(([a, b]) => a !== 'delete' || b !== 'delete')

test.each(pairs)(
  `%s against %s: one decides, ${ROUNDS} times`,
  async (a, b) => {
    const rig = await openRig({ expirySeconds: 60 })
    const { approvals, executor, clock, db } = rig
    const expires = a === 'expire' || b === 'expire'
    for (let round = 0; round < ROUNDS; round++) {
      const id = await approvals.enqueue('asha', 'placeorder', ORDER)
      // In expiring pairs the row becomes due between what the one reads and what the other writes.
      const order = round % 2 === 0 ? [a, b] : [b, a]
      const running = order.map((name) => ACTS[name]?.(rig, id))
      if (expires) {
        for (let turn = 0; turn < round % 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        await db.write((tx) =>
          tx.exec('update pending_orders set expires_at = ? where id = ?', [clock.now(), id]),
        )
        running.push(ACTS.expire?.(rig, id))
      }
      const decided = (await Promise.all(running)).filter(Boolean)
      const row = (await db.queryRaw('select status, rejected_by from pending_orders where id = ?', [id]))[0]
      const executions = executor.executed.filter((executed) => executed === id).length
      if (row?.status === 'pending') expect.fail(`round ${round}: nobody decided`)
      // Whoever looks at a row whose time is over rejects it as expired, before its own act, which then decides nothing.
      const isExpired = expires && row?.rejected_by === 'system'
      expect(decided).toHaveLength(isExpired && decided.length === 0 ? 0 : 1)
      expect(executions).toBeLessThanOrEqual(1)
      if (row?.status === 'approved') expect(executions).toBe(1)
      if (row?.status === 'rejected') expect(executions).toBe(0)
      expect(await db.queryRaw('select ref from journal where approval_id = ?', [id])).toHaveLength(
        executions,
      )
      expect(approvals.count('asha')).toBe(0)
    }
  },
  TIMEOUT_MS,
)
