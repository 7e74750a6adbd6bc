import { useState } from 'react'
import { expect, it } from 'vitest'
import { CommandsProvider } from '../../../src/tui/command/access.js'
import { useDaemon } from '../../../src/tui/live/use-daemon.js'
import { App } from '../../../src/tui/shell/App.js'
import { Controls } from '../../../src/tui/shell/index.js'
import { Leaving } from '../../../src/tui/shell/leaving.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { heldChange } from '../support/held-change.js'
import { shown } from '../support/shown.js'

const COMMANDS = {
  program: ['svc'] as const,
  env: {},
  complete: async () => [],
  expanded: async (words: readonly string[]) => words,
  commandOf: async () => undefined,
}

const ignore = () => undefined
const CTRL_X = '\u0018'

/** The program with the keys that end it. Each key that does leads to a promise of whether it may. */
function Program({ ends }: { ends: Promise<boolean>[] }) {
  const daemon = useDaemon()
  const [leaving] = useState(() => new Leaving(daemon))
  return (
    <CommandsProvider value={COMMANDS}>
      <App
        first="approvals"
        size={{ columns: 80, rows: 23 }}
        onQuit={() => void ends.push(leaving.mayEnd())}
      />
      <Controls leaving={leaving} onInterrupt={ignore} onSuspend={ignore} />
    </CommandsProvider>
  )
}

/** A program that the user wants to end while a change waits for its answer. */
async function leavingDesk() {
  const live = await queueDesk()
  const ends: Promise<boolean>[] = []
  const app = await shown(live.access, <Program ends={ends} />)
  await expect.poll(() => app.desk.connection.state.get().kind).toBe('connected')
  const change = heldChange('Cancel')
  app.desk.changes.start(change)
  await app.press('q')
  await app.shows('It ends when all is sent and answered.')
  return { ...app, change, ends }
}

it('ends after the answer when the user waits, or wants the end again', async () => {
  const { change, ends, press } = await leavingDesk()
  await press('q')
  change.answer()
  expect(await Promise.all(ends)).toEqual([true, false])
})

it.each([
  ['another screen', '3'],
  ['the command line', ':'],
  ['the kill switch', CTRL_X],
  ['a key of the list', 'a'],
])('does not end when the user goes on with %s', async (_name, key) => {
  const { change, ends, press, desk } = await leavingDesk()
  await press(key)
  change.answer()
  await desk.changes.settled()
  expect(await Promise.all(ends)).toEqual([false])
})
