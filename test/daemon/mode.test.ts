import { expect, test } from 'vitest'
import { ModeSwitch } from '../../src/daemon/mode.js'
import { TestDesk, USER } from '../support/desk.js'

test('however mode switches overlap, the engine runs exactly when the last one asked for it', async () => {
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
