import { expect, test } from 'vitest'
import { PAIR, RunRig } from '../../core/strategies/runs/run-rig.js'
import { Browser } from '../../support/desk/browser.js'
import { HttpDesk } from '../../support/desk/http-desk.js'

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }
const PAGE = '/strategies/1'
const RELEASE = '/strategy/api/strategies/1/runs/1/release'

/** A browser at a daemon whose only run, a live one that holds ten shares, is reserved. */
async function reserved() {
  const before = await RunRig.open('live')
  const id = await before.create(ONE, true)
  await before.settled(before.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await before.settled(before.runs.settled())
  const { svc } = before.rig.desk.service.databases
  await svc.write((tx) => tx.exec('update strategy_orders set quantity = 0'))
  await before.settled(before.rig.desk.close())
  const http = await HttpDesk.open({ home: before.rig.desk.home, clock: before.clock })
  const browser = await Browser.signedIn(http)
  const act = (fields: Record<string, string>) => http.desk.settled(browser.act(RELEASE, fields))
  return { act, browser, runs: http.desk.service.strategyRuns }
}

test('the page names a reserved run and its reason, and has no button that would not reach it', async () => {
  const { browser } = await reserved()
  expect((await browser.open('/strategies')).text).toMatch(/class="badge bad">reserved</)
  const { text } = await browser.open(PAGE)
  expect(text).toMatch(/Run 1 is reserved: the service manages none of its positions\. Run 1 remains open/)
  expect(text).toContain(`href="${PAGE}?confirm=release"`)
  expect(text).not.toContain('?confirm=stop')
  for (const confirm of ['stop', 'kill', 'live']) {
    expect((await browser.open(`${PAGE}?confirm=${confirm}`)).text).not.toContain('Change nothing')
  }
  const question = (await browser.open(`${PAGE}?confirm=release`)).text
  for (const part of [`action="${RELEASE}"`, 'has no whole quantity', 'name="reason"', 'Nothing is sent']) {
    expect(question).toContain(part)
  }
})

test('a release needs the reason and both words of the person, and frees the strategy', async () => {
  const { act, browser, runs } = await reserved()
  const retry = `${PAGE}?confirm=release`
  const word = { reason: 'closed in the app', closed_by_hand: 'true', retry, back: PAGE }
  const refusals: [Record<string, string>, string][] = [
    [{ ...word, reason: ' ' }, 'May not be empty'],
    [{ retry, back: PAGE }, 'Must be true'],
    [{ ...word, closed_by_hand: 'no' }, 'Must be true'],
    [word, 'The account still holds 10 NSE:SBIN MIS'],
  ]
  for (const [fields, reason] of refusals) {
    const refused = await act(fields)
    expect([refused.path, refused.text]).toEqual([retry, expect.stringContaining(reason)])
  }
  expect(runs.reserved()).toHaveLength(1)
  const released = await act({ ...word, positions_checked: 'true' })
  expect([released.path, released.text]).toEqual([PAGE, expect.stringContaining('class="notice good"')])
  expect(runs.reserved()).toEqual([])
  const { text } = await browser.open(PAGE)
  expect([text.includes('reserved'), text.includes('released by asha: closed in the app')]).toEqual([
    false,
    true,
  ])
})
