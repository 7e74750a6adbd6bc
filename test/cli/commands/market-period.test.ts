import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

const LINE = 'history SBIN NSE --interval D --json'

test('bars take --since and --until as every list does, and the earlier names', async () => {
  const desk = await CliDesk.open()
  const bars = async (period: string) => {
    const { exit, stdout, stderr } = await desk.svc(`${LINE} ${period}`)
    expect([exit, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }
  const days = await bars('--start 2026-11-16 --end 2026-11-18')
  expect(days).toHaveLength(3)
  for (const period of [
    '--since 2026-11-16 --until 2026-11-18',
    '--since 4d --until 2026-11-18',
    '--since=2026-11-16 --end=2026-11-18',
  ]) {
    expect([period, await bars(period)]).toEqual([period, days])
  }
  for (const [period, message] of [
    ['--since 2026-11-16 --start 2026-11-16', 'Choose one: --since or --start.'],
    ['--until soon', '--until must be a day: today, '],
  ] as const) {
    const { exit, stderr } = await desk.svc(`${LINE} ${period}`)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect((await desk.svc('history --help')).stdout).not.toContain('--start')
})

test('a bar of a day has its date alone in a table, and the time of the API in documents', async () => {
  const desk = await CliDesk.open()
  const period = '--since 2026-11-16 --until 2026-11-18'
  for (const zone of ['', ' --utc']) {
    const table = (await desk.svc(`history SBIN NSE --interval D ${period} -o table${zone}`)).stdout
    expect(table).toMatch(/^DATE +OPEN /)
    expect(table.match(/^2026-11-1[678] {2}/gm)).toHaveLength(3)
    expect(table).not.toMatch(/\d:\d\d/)
  }
  const minutes = (await desk.svc(`history SBIN NSE --interval 1h ${period} -o table`)).stdout
  expect(minutes).toMatch(/^TIME IST +OPEN /)
  expect(minutes).toMatch(/^2026-11-16 \d\d:\d\d:00 /m)
  const [first] = JSON.parse((await desk.svc(`${LINE} ${period}`)).stdout)
  expect(first.timestamp).toBe('2026-11-16T05:30:00+05:30')
})
