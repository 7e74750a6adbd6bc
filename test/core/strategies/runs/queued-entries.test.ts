import { describe, expect, test, vi } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'
import { PAIR, RunRig, SIGNALS } from './run-rig.js'

/* Entries that wait for approval while their run stops, ends or disappears: none is executed without an owner. */

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }

/** A live run whose entry waits for approval. */
async function waiting() {
  const rig = await RunRig.open('semi_auto')
  const id = await rig.create(ONE, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  const [row] = await rig.query('select id from pending_orders')
  const { approvals, databases } = rig.rig.desk.service
  return {
    rig,
    id,
    approvals,
    pending: Number(row?.id),
    exec: (sql: string) => databases.svc.write((tx) => tx.exec(sql)),
    approve: () => rig.settled(approvals.approve(USER, Number(row?.id), USER)),
  }
}

test('the entry of a run that stops is not approved', async () => {
  const { approve, exec, id, rig } = await waiting()
  // As if the withdrawal by the stop were still on its way.
  await exec(
    `create trigger held before update on pending_orders when new.status = 'rejected' begin select raise(abort, 'held'); end`,
  )
  await rig.settled(rig.runs.stop(id, 'manual'))
  await expect(approve()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/stopping/),
  })
  await exec('drop trigger held')
  await rig.ended()
  expect(await rig.rig.ledger()).toEqual([])
})

test('the entry of a run that is over is rejected by the next start', async () => {
  const { approve, exec, rig } = await waiting()
  // The run ends without its engine, as an earlier version or a repair by hand may have left it.
  await exec(`update strategy_runs set stopped_at = 1, stop_reason = 'error'`)
  await exec(`update strategies set status = 'stopped', current_run_id = null`)
  await rig.settled(rig.rig.desk.close())
  const next = await rig.reopen('semi_auto')
  const [row] = await next.query('select status, rejected_reason from pending_orders')
  expect(row).toMatchObject({
    status: 'rejected',
    rejected_reason: expect.stringMatching(/is over or reserved/),
  })
  await expect(approve()).rejects.toThrow()
  expect(await next.rig.ledger()).toEqual([])
})

test('a run that ends during the restore leaves the entries of runs that are restored after it', async () => {
  const rig = await RunRig.open('semi_auto')
  const flat = await rig.create(SIGNALS)
  await rig.settled(rig.runs.signal(flat, { legId: 1, signal: 'long_entry' }))
  await rig.settled(rig.runs.settled())
  await rig.settled(rig.runs.signal(flat, { legId: 1, signal: 'long_exit' }))
  await rig.clock.advance(3_000)
  await rig.settled(rig.runs.settled())
  for (const name of ['a', 'b', 'c', 'd']) {
    const id = await rig.create({ ...ONE, name }, true)
    await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  }
  // A kill came between the stop of the flat run and its end.
  const { svc } = rig.rig.desk.service.databases
  const stop = `stop_requested_at = ${rig.clock.now()}, stop_requested_reason = 'manual'`
  await svc.write((tx) => tx.exec(`update strategy_runs set ${stop} where strategy_id = ${flat}`))
  await rig.settled(rig.rig.desk.close())
  const next = await rig.reopen('semi_auto')
  await next.settled(next.runs.settled())
  expect(next.runs.unfinished(flat)).toBeUndefined()
  const rows = await next.query('select distinct status from pending_orders')
  expect(rows).toEqual([{ status: 'pending' }])
})

test('the entry of a deleted strategy is rejected by the next start', async () => {
  const { exec, id, rig } = await waiting()
  await exec(`update strategies set status = 'stopped', current_run_id = null`)
  await rig.catalog.remove(USER, id)
  await rig.settled(rig.rig.desk.close())
  const { rig: next } = await rig.reopen('semi_auto')
  expect(next.desk.service.approvals.count(USER)).toBe(0)
  expect(await next.ledger()).toEqual([])
})

test('a run that ends between the check and the claim of its entry sends nothing', async () => {
  const { approvals, pending, rig } = await waiting()
  const { strategyOrders } = rig.rig.desk.service.orders
  const [row] = await rig.query('select order_ref from strategy_orders')
  let asked = 0
  strategyOrders.guardEntries({
    ready: async () => undefined,
    refusalOf: (ref) => {
      expect(ref).toBe(row?.order_ref)
      asked += 1
      return asked === 1 ? undefined : { code: 'conflict', message: 'the run is over' }
    },
  })
  await expect(rig.settled(approvals.approve(USER, pending, USER))).rejects.toThrow('the run is over')
  expect(asked).toBe(2)
  expect(await rig.query('select status from pending_orders')).toEqual([{ status: 'pending' }])
  expect(await rig.query('select * from order_journal')).toEqual([])
  expect(await rig.rig.ledger()).toEqual([])
})

describe('the sale of a start whose purchase waits for approval, too', () => {
  /** A live run of a purchase and a sale. @returns the ids of their requests by side, and what a decision is made with */
  async function pair() {
    const rig = await RunRig.open('semi_auto')
    const id = await rig.create(PAIR, true)
    await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
    const rows = await rig.query(`select id, order_data ->> 'action' as action from pending_orders`)
    const ids = Object.fromEntries(rows.map(({ action, id: request }) => [String(action), Number(request)]))
    const { approvals, brokers } = rig.rig.desk.service
    const approve = (side: string) => rig.settled(approvals.approve(USER, Number(ids[side]), USER))
    const statuses = async () =>
      (await rig.query('select status from pending_orders order by id')).map(({ status }) => status)
    return { rig, ids, approvals, approve, faults: brokers.plugins.faults(), statuses }
  }

  test('is not approved before it', async () => {
    const { approve, rig, statuses } = await pair()
    await expect(approve('SELL')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/has not been sent/),
    })
    expect(await statuses()).toEqual(['pending', 'pending'])
    await approve('BUY')
    await approve('SELL')
    expect(await rig.orders()).toEqual(['2 entry BUY complete 10', '1 entry SELL complete 5'])
  })

  test('waits for approval, too, if semi-auto mode ends meanwhile', async () => {
    const rig = await RunRig.open('semi_auto')
    const id = await rig.create(PAIR, true)
    const { approvals } = rig.rig.desk.service
    vi.spyOn(approvals, 'shouldQueue').mockReturnValueOnce(true).mockReturnValue(false)
    await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
    expect(await rig.query('select count(*) as n from pending_orders')).toEqual([{ n: 2 }])
  })

  test('is approved with it', async () => {
    const { approvals, rig } = await pair()
    await rig.settled(approvals.approveAll(USER, USER))
    await rig.settled(rig.runs.settled())
    expect(await rig.orders()).toEqual(['2 entry BUY complete 10', '1 entry SELL complete 5'])
  })

  test.each<[string, (desk: Awaited<ReturnType<typeof pair>>) => Promise<unknown>]>([
    [
      'the broker refuses',
      ({ approve, faults }) => {
        faults.set([{ on: ['place'], times: 1, kind: 'fail', httpStatus: 422 }])
        return approve('BUY')
      },
    ],
    [
      'no broker takes',
      async ({ approve, rig }) => {
        await rig.rig.desk.service.brokers.logout()
        return approve('BUY')
      },
    ],
    ['a person rejects', ({ approvals, ids }) => approvals.reject(USER, Number(ids.BUY), USER, 'no')],
  ])('is withdrawn when %s it', async (_, end) => {
    const desk = await pair()
    const { rig } = desk
    await end(desk)
    await rig.settled(rig.runs.settled())
    await eventually(async () => !(await desk.statuses()).includes('pending'), 'the sale is withdrawn')
    await expect(desk.approve('SELL')).rejects.toThrow()
    expect(await rig.rig.ledger()).toEqual([])
  })
})
