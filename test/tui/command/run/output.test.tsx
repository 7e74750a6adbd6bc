import { expect, it, onTestFinished } from 'vitest'
import type { CommandAccess } from '../../../../src/tui/command/access.js'
import { Output } from '../../../../src/tui/command/run/Output.js'
import { CommandRun } from '../../../../src/tui/command/run/run.js'
import { liveDesk } from '../../support/live-desk.js'
import { shown, UP } from '../../support/shown.js'

const nothing = () => undefined
const SENTENCE = Array.from({ length: 40 }, (_, at) => `word${at + 1}`).join(' ')

it('a long line of the output is whole, in several lines, and the arrows scroll by lines of the screen', async () => {
  const { access } = await liveDesk()
  const commands: CommandAccess = {
    program: [process.execPath, '-e', `console.log('first'); console.log(${JSON.stringify(SENTENCE)})`],
    env: {},
    expanded: async (words) => words,
    commandOf: async () => undefined,
    complete: async () => [],
  }
  const run = new CommandRun(commands, 'order list', [], 80)
  onTestFinished(() => run.ended)
  const area = { width: 80, height: 6 }
  const { press, screen, shows } = await shown(
    access,
    <Output {...area} run={run} onClose={nothing} onNext={nothing} />,
  )
  await shows('word40')
  expect(screen().split('\n').join(' ')).toContain(SENTENCE)
  expect(screen()).not.toContain('first')
  await press(UP)
  await shows('first')
})
