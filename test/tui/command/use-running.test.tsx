import { Text } from 'ink'
import { expect, test } from 'vitest'
import type { CommandAccess } from '../../../src/tui/command/access.js'
import { useCommandLine } from '../../../src/tui/command/use-command.js'
import { type Running, useRunning } from '../../../src/tui/command/use-running.js'
import { heldAccount } from '../support/held-account.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

/** The command line with a command typed into it, over a daemon in LIVE mode, and the number of the commands that ran. */
async function typed({ verb = 'modify', script = '' } = {}) {
  const daemon = await liveDesk()
  let [checks, runs] = [0, 0]
  const access: CommandAccess = {
    get program(): CommandAccess['program'] {
      runs += 1
      return [process.execPath, '-e', script]
    },
    env: {},
    expanded: async (words) => words,
    async commandOf() {
      checks += 1
      return { path: ['order', verb], isHelp: false }
    },
    complete: async () => [],
  }
  const drawn: { type(text: string): void; running: Running }[] = []
  const Screen = () => {
    const line = useCommandLine(access)
    const running = useRunning(access, line, 80)
    drawn.push({ type: line.type, running })
    const { question, run, refusal } = running
    return <Text>{run ? 'runs' : (question?.title ?? `: ${line.text} ${refusal}`)}</Text>
  }
  const app = await shown(daemon.access, <Screen />)
  const last = () => {
    const found = drawn.at(-1)
    if (found === undefined) throw new Error('Nothing is drawn.')
    return found
  }
  last().type(`order ${verb}`)
  await app.shows(`: order ${verb}`)
  const { settings } = daemon.http.desk.service
  return { ...app, settings, running: () => last().running, runs: () => runs, checks: () => checks }
}

test('two presses of y before the next drawing run a command once', async () => {
  const { running, runs, shows } = await typed()
  running().submit()
  await shows('Run this in LIVE mode at simulated?')
  const { confirm } = running()
  confirm()
  confirm()
  await shows('runs')
  confirm()
  expect(runs()).toBe(1)
})

test('two presses of enter before the next drawing run a command once', async () => {
  const { checks, running, runs, settings, shows } = await typed()
  await settings.setAnalyzeMode(true)
  const { submit } = running()
  submit()
  submit()
  await shows('runs')
  submit()
  expect([checks(), runs()]).toEqual([1, 1])
})

test('a command that was confirmed for one broker and mode does not run in another mode', async () => {
  const { running, runs, settings, shows } = await typed()
  running().submit()
  await shows('Run this in LIVE mode at simulated?')
  await settings.setAnalyzeMode(true)
  running().confirm()
  await shows(': order modify Not run: the mode or the broker has changed.')
  expect(runs()).toBe(0)
})

test('a command whose line the user leaves while the mode is asked again does not run', async () => {
  const { desk, running, runs, shows, unmount } = await typed()
  running().submit()
  await shows('Run this in LIVE mode at simulated?')
  const answers = heldAccount(desk)
  running().confirm()
  unmount()
  await answers()
  expect(runs()).toBe(0)
})

test('a command does not run when n follows y before the next drawing', async () => {
  const { desk, running, runs, shows } = await typed()
  running().submit()
  await shows('Run this in LIVE mode at simulated?')
  const answers = heldAccount(desk)
  const { confirm, cancel } = running()
  confirm()
  cancel()
  await answers()
  await shows(': order modify')
  expect(runs()).toBe(0)
})

/** A command that goes on until it is interrupted. */
const ENDLESS = 'setInterval(() => undefined, 1000)'

test('an end of the program names a command that may have changed something, until the command has ended', async () => {
  const { desk, running, settings, shows } = await typed({ script: ENDLESS })
  await settings.setAnalyzeMode(true)
  running().submit()
  await shows('runs')
  expect(desk.unanswered()).toEqual(['svc order list (after svc order modify)'])
  const settled = desk.settled()
  running().run?.interrupt()
  await settled
  expect(desk.unanswered()).toEqual([])
})

test('an end of the program names a command whose line is left while it runs', async () => {
  const { desk, running, settings, shows, unmount } = await typed({ script: ENDLESS })
  await settings.setAnalyzeMode(true)
  running().submit()
  await shows('runs')
  unmount()
  expect(desk.unanswered()).toEqual(['svc order list (after svc order modify)'])
  await desk.settled()
})

test('an end of the program does not name a command that only reads', async () => {
  const { desk, running, shows } = await typed({ verb: 'list', script: ENDLESS })
  running().submit()
  await shows('runs')
  expect(desk.unanswered()).toEqual([])
})
