import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { execute, query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'

/*
 * The daemon is killed while it replaces the instrument master and executes orders. The old master stays
 * whole, the next start deletes the new one's rows, and every acknowledged order is in the journal.
 */

interface Rows {
  current: number
  others: number
}

/** Counts the rows of the current master, and those of another. */
async function rowsIn(daemon: DaemonProcess): Promise<Rows> {
  const [rows] = await query<Rows>(
    join(daemon.home, 'svc.db'),
    `select count(*) filter (where i.id >= s.first_id and i.id < s.first_id + s.count) as current,
      count(*) filter (where i.id < s.first_id or i.id >= s.first_id + s.count) as others
      from instruments i, master_contract_status s`,
  )
  return rows ?? { current: 0, others: 0 }
}

it('a kill during a replacement keeps the old master whole, leaves no rows behind and keeps every order', async () => {
  // A home of its own: the prepared one has a tenth of the instruments.
  const daemon = new DaemonProcess()
  onTestFinished(() => daemon.dispose())
  await daemon.start()
  await daemon.signUp()
  const before = await rowsIn(daemon)
  expect(before).toEqual({ current: expect.any(Number), others: 0 })
  expect(before.current).toBeGreaterThan(50_000)

  const replacement = daemon.request('POST', '/broker/sync').catch(() => undefined)
  const acknowledged: string[] = []
  await eventually(async () => {
    const { status, headers } = await daemon.place()
    expect(status).toBe(200)
    acknowledged.push(headers.get('x-order-ref') ?? '')
    return (await rowsIn(daemon)).others > 5000
  })
  await daemon.kill()
  await replacement
  const { current, others } = await rowsIn(daemon)
  expect(current).toBe(before.current)
  expect(others).toBeGreaterThan(5000)

  await daemon.start()
  expect(await rowsIn(daemon)).toEqual(before)
  expect((await daemon.place()).status).toBe(200)
  const journal = await query<{ order_ref: string }>(
    join(daemon.home, 'svc.db'),
    'select order_ref from order_journal',
  )
  const kept = new Set(journal.map(({ order_ref }) => order_ref))
  expect(acknowledged.filter((ref) => !kept.has(ref))).toEqual([])
  expect(await daemon.request('POST', '/broker/sync')).toMatchObject({ status: 200 })
  expect(await rowsIn(daemon)).toEqual(before)
})

it('a sign-in after midnight, while the instruments of the day before are replaced, gets those of its broker', async () => {
  const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  onTestFinished(() => kite.dispose())
  const daemon = DaemonProcess.prepared(kite.env)
  onTestFinished(() => daemon.dispose())
  await execute(join(daemon.home, 'svc.db'), `update master_contract_status set generated_for = '2020-01-01'`)
  await daemon.start()
  await kite.connect(daemon)
  expect((await daemon.place()).status).toBe(200)
  expect(await kite.placed()).toHaveLength(1)
})
