import { expect, test, vi } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

test('analyze on shows a person what stays at the broker, which Analyzer mode does not', async () => {
  const desk = await CliDesk.open()
  await desk.svc('order place SBIN NSE BUY 5 --wait --yes')
  await desk.svc('order place SBIN NSE BUY 2 --type LIMIT --price 740 --yes')
  const { exit, stderr } = await desk.svc('analyze on', { answers: [] })
  expect(exit).toBe(0)
  expect(stderr).toMatch(/1 waiting order[\s\S]*LIMIT[\s\S]*What waits stays at the broker/)
  expect(stderr).toMatch(/1 open position[\s\S]*SBIN[\s\S]*What is open stays at the broker/)
  expect((await desk.svc('analyze on', { answers: [] })).stderr).not.toContain('stays at the broker')
})

test('analyze on in a script, or with nothing at the broker, says no more than before', async () => {
  const desk = await CliDesk.open()
  expect((await desk.svc('analyze on', { answers: [] })).stderr).not.toContain('stays at the broker')
  await desk.svc('analyze off --confirm LIVE')
  await desk.svc('order place SBIN NSE BUY 5 --wait --yes')
  expect((await desk.svc('analyze on')).stderr).not.toContain('stays at the broker')
})

test('analyze on does not wait for books that cannot be read, and says that it does not know', async () => {
  const desk = await CliDesk.open()
  vi.spyOn(desk.service.account, 'positionbook').mockRejectedValue(new Error('too busy'))
  const { exit, stderr } = await desk.svc('analyze on', { answers: [] })
  expect([exit, stderr]).toEqual([0, expect.stringContaining('what stays at the broker is not known')])
  expect(stderr).toContain('Orders are simulated from now on.')
})

test.each([
  ['analyze off', 'LIVE'],
  ['mode set auto', 'LIVE'],
  ['broker use zerodha', 'LIVE'],
  ['sandbox reset', 'RESET'],
  ['risk resume', 'RESUME'],
])('svc %s takes its word %s alone, never --yes: a script says what it does', async (line, word) => {
  const desk = await CliDesk.open()
  for (const before of ['mode set semi_auto', 'risk kill --yes']) await desk.svc(before)
  if (line === 'analyze off') await desk.svc('analyze on')
  const stateOf = async () => [
    desk.service.brokers.brokerId,
    (await desk.svc('analyze status')).stdout,
    (await desk.svc('mode get')).stdout,
  ]
  const before = await stateOf()
  const script = await desk.svc(`${line} --yes`)
  expect([script.exit, script.stderr]).toEqual([
    2,
    expect.stringContaining(`--yes does not answer this: pass --confirm ${word}.`),
  ])
  const terminal = await desk.svc(`${line} --yes`, { answers: ['yes'] })
  expect([terminal.exit, terminal.stderr]).toEqual([1, expect.stringContaining(`Type ${word} to continue: `)])
  expect(await stateOf()).toEqual(before)
  expect(await desk.svc(`${line} --confirm ${word}`)).toMatchObject({ exit: 0 })
})
