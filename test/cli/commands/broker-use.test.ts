import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

async function withWorkflow(): Promise<CliDesk> {
  const desk = await CliDesk.open()
  expect(await desk.svc('flow apply flows/opening-range-breakout.yaml --activate --yes')).toMatchObject({
    exit: 0,
  })
  return desk
}

const MOVES = '1 active workflow will send live orders to Zerodha.'

test('in Analyzer mode the change of a broker is asked about when work goes on at the other one', async () => {
  const desk = await withWorkflow()
  expect(await desk.svc('analyze on')).toMatchObject({ exit: 0 })
  const script = await desk.svc('broker use zerodha')
  expect([script.exit, script.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
  expect(script.stderr).toContain(MOVES)
  const refused = await desk.svc('broker use zerodha', { answers: ['n'] })
  expect(refused.exit).not.toBe(0)
  expect(refused.stderr).toContain('Use zerodha instead of simulated')
  expect(desk.service.brokers.brokerId).toBe('simulated')
  expect(await desk.svc('broker use zerodha --yes')).toMatchObject({ exit: 0 })
  expect(desk.service.brokers.brokerId).toBe('zerodha')
})

test('while orders are live the person sees what moves before the word LIVE', async () => {
  const desk = await withWorkflow()
  const terminal = await desk.svc('broker use zerodha', { answers: ['LIVE'] })
  expect([terminal.exit, desk.service.brokers.brokerId]).toEqual([0, 'zerodha'])
  expect(terminal.stderr.indexOf(MOVES)).toBeLessThan(terminal.stderr.indexOf('LIVE'))
})

test('without such work nothing more is asked', async () => {
  const desk = await CliDesk.open()
  expect(await desk.svc('analyze on')).toMatchObject({ exit: 0 })
  expect(await desk.svc('broker use zerodha')).toMatchObject({ exit: 0 })
})
