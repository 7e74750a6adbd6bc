import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { USER } from '../../../support/desk/desk.js'

/* Every time of a strategy is Indian time, also one that no column of the list has. */

const PAIR = {
  name: 'Pair',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'intraday',
  product: 'MIS',
  universe_tab: 'stocks_fno',
  entry_time: '09:20',
  exit_time: '15:15',
  legs: [{ segment: 'cash', position: 'B', lots: 10, sl_pts: 500 }],
}

test('a column that --columns adds to a list shows its times as the others do', async () => {
  const desk = await CliDesk.open()
  await desk.service.strategyCatalog.create(USER, PAIR)
  const line = 'strategy list --columns name,created_at,updated_at'
  const csv = (await desk.svc(`${line} -o csv --no-headers`)).stdout
  expect(csv).toMatch(/^Pair,(\S+\+05:30),\1\r\n$/)
  const utc = (await desk.svc(`${line} -o csv --no-headers --utc`)).stdout
  expect(utc).toMatch(/^Pair,(\S+Z),\1\r\n$/)
  expect((await desk.svc(`${line} -o table`)).stdout).toMatch(/^NAME +CREATED AT IST +CHANGED IST *\n/)
})

test('the completion of a run names its start in Indian time', async () => {
  const desk = await CliDesk.open()
  await desk.service.strategyCatalog.create(USER, PAIR)
  expect(await desk.svc('strategy start Pair --now')).toMatchObject({ exit: 0 })
  const { stdout } = await desk.svc('__complete -- strategy orderbook Pair --run ""')
  expect(stdout).toMatch(/^1\tsandbox, \d\d:\d\d:\d\d IST\n/)
})

test('the completion of a version names its time in Indian time', async () => {
  const desk = await CliDesk.open()
  await desk.service.strategyCatalog.create(USER, PAIR)
  const { stdout } = await desk.svc('__complete -- strategy rollback Pair ""')
  expect(stdout).toMatch(/^1\t\d\d:\d\d:\d\d IST\n/)
})
