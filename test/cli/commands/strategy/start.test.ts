import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { USER } from '../../../support/desk/desk.js'

const PAIR = {
  name: 'Pair',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'intraday',
  product: 'MIS',
  universe_tab: 'stocks_fno',
  exit_time: '15:15',
  legs: [{ segment: 'cash', position: 'B', lots: 10, sl_pts: 500 }],
}
const AHEAD = 'Start strategy Pair: it enters now, before its entry time 11:30'

/** A desk at 11:00 on a day of trading, with a strategy of that entry time. */
async function desk(entry_time: string) {
  const cli = await CliDesk.open()
  await cli.service.strategyCatalog.create(USER, { ...PAIR, entry_time })
  const runs = async () => (await cli.service.strategyHistory.unfinished(USER)).length
  return { cli, runs }
}

test('a script does not start a strategy before its entry time, unless it says --now', async () => {
  const { cli, runs } = await desk('11:30')
  for (const options of ['', ' --yes']) {
    const { exit, stderr } = await cli.svc(`strategy start Pair${options}`)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(AHEAD)])
    expect(stderr).toContain('Pass --now to enter at once.')
  }
  expect(await runs()).toBe(0)
  expect(await cli.svc('strategy start Pair --now')).toMatchObject({ exit: 0 })
  expect(await runs()).toBe(1)
})

test('a terminal is told that it enters before the entry time, and asked', async () => {
  const { cli, runs } = await desk('11:30')
  const no = await cli.svc('strategy start Pair', { answers: ['n'] })
  expect([no.exit, no.stderr]).toEqual([1, expect.stringContaining(`${AHEAD}? [y/N]`)])
  expect(await runs()).toBe(0)
  expect(await cli.svc('strategy start Pair', { answers: ['y'] })).toMatchObject({ exit: 0 })
  expect(await runs()).toBe(1)
})

test('from the entry time on nothing is asked, and after the exit time a start is refused', async () => {
  const { cli, runs } = await desk('11:00')
  expect(await cli.svc('strategy start Pair')).toMatchObject({ exit: 0 })
  expect(await runs()).toBe(1)
  const late = await desk('10:00')
  await late.cli.service.strategyCatalog.change(USER, 1, { exit_time: '10:59' })
  const { exit, stderr } = await late.cli.svc('strategy start Pair --now')
  expect([exit, stderr]).toEqual([5, expect.stringContaining('The exit time 10:59 of today has passed')])
})

test('live orders are still asked for with --now', async () => {
  const { cli, runs } = await desk('11:30')
  const { exit, stderr } = await cli.svc('strategy start Pair --now --mode live')
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Start strategy Pair with live orders')])
  expect(await runs()).toBe(0)
})
