import { expect, onTestFinished, test, vi } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { messages, seconds, started } from './account/account-rig.js'
import { PAIR, RunRig } from './run-rig.js'

/* Somebody signs in to another account of the broker. It has none of the positions of the runs that began before. */

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }

/** Signs in to another account, until the returned function is called. */
function signIn(rig: RunRig, userId: string): () => void {
  const { brokers } = rig.rig.desk.service
  const { session } = brokers
  if (!session) throw new Error('nobody is signed in')
  const spy = vi.spyOn(brokers, 'session', 'get').mockReturnValue({ ...session, userId })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  return () => spy.mockRestore()
}

test('a run sends no exit to another account, gives nothing up there, and ends flat at its own', async () => {
  const { id, rig } = await started('live')
  const { portfolio } = rig.rig.desk.service.brokers.client()
  const { positions } = portfolio
  const signBack = signIn(rig, 'OTHER')
  portfolio.positions = async () => []
  await rig.settled(rig.runs.stop(id, 'manual'))
  await seconds(rig, 45)
  expect(new Set((await rig.orders()).slice(1))).toEqual(new Set(['1 exit_close_all SELL rejected 0']))
  const [told] = await rig.query(`select message from strategy_events where kind = 'leg_exit_rejected'`)
  expect(told?.message).toContain('account SIMULATED at simulated, and OTHER is signed in')
  expect(await messages(rig)).toEqual([])
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])

  signBack()
  portfolio.positions = positions
  const again = await rig.reopen()
  const account = { mode: 'live', broker: 'simulated', accountId: 'SIMULATED' }
  expect(again.runs.active(id)?.account).toEqual(account)
  await again.ended()
  expect(await again.brokerNet()).toBe(0)
  expect((await again.orders()).at(-1)).toBe('1 exit_close_all SELL complete 10')
})

test.each([
  [
    'broker',
    (rig: RunRig) => vi.spyOn(rig.rig.desk.service.brokers, 'brokerId', 'get').mockReturnValue('zerodha'),
  ],
  ['account at the broker', (rig: RunRig) => signIn(rig, 'OTHER')],
])('no run begins when the %s is changed while its legs are looked up', async (what, change) => {
  const rig = await RunRig.open('live')
  const id = await rig.create(ONE, true)
  const { instruments } = rig.rig.desk.service
  const { status } = instruments
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  // The last look at the broker before the legs are looked up.
  vi.spyOn(instruments, 'status').mockImplementationOnce(() => {
    queueMicrotask(() => change(rig))
    return status.call(instruments)
  })
  await expect(rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))).rejects.toMatchObject({
    code: 'conflict',
    message: `The ${what} was changed before the run began. Nothing was started.`,
  })
  expect(await rig.query('select id from strategy_runs')).toEqual([])
  expect(await rig.rig.ledger()).toEqual([])
})

test('an exit does not leave for an account that is signed in while it waits for its slot', async () => {
  const { id, rig } = await started('live')
  const { brokers } = rig.rig.desk.service
  const { orderSlot } = brokers
  vi.spyOn(brokers, 'orderSlot').mockImplementationOnce(async (rank) => {
    await orderSlot.call(brokers, rank)
    signIn(rig, 'OTHER')
  })
  await rig.settled(rig.runs.stop(id, 'manual'))
  expect((await rig.orders()).slice(1)).toEqual(['1 exit_close_all SELL rejected 0'])
  expect(await rig.brokerNet()).toBe(10)
  vi.restoreAllMocks()
  await rig.ended()
  expect(await rig.brokerNet()).toBe(0)
})

test('the entry of a run is approved only while its account is signed in', async () => {
  const rig = await RunRig.open('semi_auto')
  const id = await rig.create(ONE, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  const [row] = await rig.query('select id from pending_orders')
  const { approvals } = rig.rig.desk.service
  const approve = () => rig.settled(approvals.approve(USER, Number(row?.id), USER))
  const signBack = signIn(rig, 'OTHER')
  await expect(approve()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('OTHER is signed in'),
  })
  expect(await rig.rig.ledger()).toEqual([])
  signBack()
  await approve()
  expect(await rig.rig.ledger()).toHaveLength(1)
})

test('an approved entry of a run does not leave for an account that is signed in once it is claimed', async () => {
  const rig = await RunRig.open('semi_auto')
  const id = await rig.create(ONE, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  const [row] = await rig.query('select id from pending_orders')
  const { approvals, journal } = rig.rig.desk.service
  const { find } = journal
  vi.spyOn(journal, 'find').mockImplementation(async (ref) => {
    const entry = await find.call(journal, ref)
    if (entry?.state === 'claimed') signIn(rig, 'OTHER')
    return entry
  })
  await rig.settled(approvals.approve(USER, Number(row?.id), USER))
  expect(await rig.rig.ledger()).toEqual([])
  expect(await rig.orders()).toEqual(['1 entry BUY rejected 0'])
})

test('a reserved run is not released on the word of another account', async () => {
  const { id, rig } = await started('live')
  const { databases } = rig.rig.desk.service
  await databases.svc.write((tx) => tx.exec('update strategy_orders set quantity = 0'))
  const again = await rig.reopen()
  const { portfolio } = again.rig.desk.service.brokers.client()
  portfolio.positions = async () => []
  const signBack = signIn(again, 'OTHER')
  const release = () =>
    again.settled(again.runs.release(id, 1, { by: USER, reason: 'closed', positionsChecked: false }))
  await expect(release()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('OTHER is signed in'),
  })
  signBack()
  await release()
  expect(await again.status(id)).toBe('stopped')
})
