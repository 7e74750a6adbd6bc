import { expect, test } from 'vitest'
import { ModeSwitch } from '../../../src/daemon/service/mode.js'
import { TestDesk, USER } from '../../support/desk/desk.js'

test('when mode switches overlap, the engine runs exactly if the last one asked for it', async () => {
  const desk = await TestDesk.open()
  const { sandbox } = desk.service
  const mode = new ModeSwitch(desk.service)
  const calls: string[] = []
  const { start, stop } = sandbox
  sandbox.start = () => {
    calls.push('start')
    return start.call(sandbox)
  }
  sandbox.stop = () => {
    calls.push('stop')
    return stop.call(sandbox)
  }
  await Promise.all([true, false, true].map((on) => mode.set(on, USER)))
  expect(calls).toEqual(['start', 'stop', 'start'])
  expect(desk.service.mode()).toBe('analyze')
})

test('a failing switch leaves the next one free to be made', async () => {
  const desk = await TestDesk.open()
  const { sandbox } = desk.service
  const mode = new ModeSwitch(desk.service)
  const { start } = sandbox
  sandbox.start = () => Promise.reject(new Error('disk'))
  await expect(mode.set(true, USER)).rejects.toThrow('disk')
  sandbox.start = start
  await mode.set(true, USER)
  expect(desk.service.mode()).toBe('analyze')
})

test.each([true, false])(
  'a mode that cannot be stored changes neither mode nor engine (to Analyzer: %s)',
  async (on) => {
    const desk = await TestDesk.open()
    const { databases, sandbox, settings } = desk.service
    const mode = new ModeSwitch(desk.service)
    await mode.set(!on, USER)
    await databases.svc.write((tx) =>
      tx.exec(`create trigger disk_fault before update on settings begin select raise(abort, 'disk'); end`),
    )
    await expect(mode.set(on, USER)).rejects.toThrow()
    expect(settings.get().analyzeMode).toBe(!on)
    expect((await sandbox.schedule()).running).toBe(!on)
    // A request for the current mode stops nothing, even if its write fails.
    await expect(mode.set(!on, USER)).rejects.toThrow()
    expect((await sandbox.schedule()).running).toBe(!on)

    await databases.svc.write((tx) => tx.exec('drop trigger disk_fault'))
    await mode.set(on, USER)
    expect(desk.service.mode()).toBe(on ? 'analyze' : 'live')
    expect((await sandbox.schedule()).running).toBe(on)
  },
)
