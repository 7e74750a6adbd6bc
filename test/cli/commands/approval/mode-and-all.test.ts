import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* An approval is for the mode that somebody named or saw, and approve-all is for what was shown. */

async function analyze(desk: CliDesk, on: boolean): Promise<void> {
  await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(on)
}

/** A desk with orders that were queued in Analyzer mode; the mode is Live since. */
async function switchedDesk(...orders: string[]): Promise<CliDesk> {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  await analyze(desk, true)
  for (const order of orders)
    expect((await desk.svc(`order ${order} --product MIS --strategy many`)).exit).toBe(0)
  await analyze(desk, false)
  return desk
}

async function states(desk: CliDesk): Promise<string[]> {
  const { stdout } = await desk.svc('approval list --status all --json')
  const rows: { id: number; status: string }[] = JSON.parse(stdout)
  return rows.toSorted((one, other) => one.id - other.id).map(({ status }) => status)
}

const REFUSED =
  /queued in Analyzer mode,( and)? would now be sent LIVE to simulated\. The order stays pending\./
const PLACE = 'place SBIN NSE BUY 1'

test.each(['approve 1', 'approve 1 --yes', 'approve --strategy many --yes', 'approve-all --yes'])(
  'a script sends no order LIVE that was queued in Analyzer: %s',
  async (line) => {
    const desk = await switchedDesk(PLACE)
    const { exit, stderr } = await desk.svc(`approval ${line}`)
    expect(stderr).toMatch(REFUSED)
    expect(stderr).toContain('--only-mode live')
    expect([exit, await states(desk)]).toEqual([5, ['pending']])
    const named = await desk.svc(`approval ${line} --only-mode live`)
    expect([named.exit, await states(desk)]).toEqual([0, ['approved']])
  },
)

test.each(['approve 1', 'approve --strategy many', 'approve-all'])(
  'the question says that the mode is another one than when the order was queued: %s',
  async (line) => {
    const desk = await switchedDesk(PLACE)
    const { exit, stderr } = await desk.svc(`approval ${line}`, { answers: ['y'] })
    expect(stderr).toContain('approval 1: queued in Analyzer mode, would now be sent LIVE to simulated')
    expect([exit, await states(desk)]).toEqual([0, ['approved']])
  },
)

test('an order that was queued in the mode of now needs no word', async () => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  await desk.svc(`order ${PLACE} --product MIS`)
  const named = await desk.svc('approval approve 1 --only-mode analyze')
  expect(named.stderr).toContain(
    'Orders are live, and this request asks for simulated ones alone; nothing was sent.',
  )
  expect([named.exit, await states(desk)]).toEqual([5, ['pending']])
  expect((await desk.svc('approval approve 1')).exit).toBe(0)
  expect(await states(desk)).toEqual(['approved'])
})

/** What the third trades depends on the second. */
const SMART = [
  PLACE,
  'smart SBIN NSE BUY 0 --position-size 100',
  'smart SBIN NSE SELL 0 --position-size -100',
  'place INFY NSE BUY 1',
]

test('approve-all ends with the first order that would send something else than was shown', async () => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  for (const order of SMART) await desk.svc(`order ${order} --product MIS`)
  const { exit, stderr } = await desk.svc('approval approve-all', { answers: ['y'] })
  expect(stderr).toContain('Approve and execute 4 waiting orders')
  // Both were planned for the position at the time of the question, which the first order changes.
  expect(stderr).toMatch(/approval [23]: Not approved: it would now send /)
  expect(stderr).toContain('approval 4: Not approved: order ')
  expect(exit).toBe(5)
  expect((await states(desk)).filter((state) => state === 'approved').length).toBeLessThan(3)
})

test('an order that comes after the list of approve-all stays pending', async () => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  for (let made = 0; made < 25; made += 1) await desk.svc(`order ${PLACE} --product MIS`)
  const late = async () => {
    await desk.svc(`order ${PLACE} --product MIS`)
    return 'y'
  }
  const { exit, stderr } = await desk.svc('approval approve-all', { answers: [late] })
  expect([...stderr.matchAll(/^ *(\d+) /gm)]).toHaveLength(25)
  expect(exit).toBe(0)
  expect((await states(desk)).toSorted()).toEqual([...Array(25).fill('approved'), 'pending'])
})
