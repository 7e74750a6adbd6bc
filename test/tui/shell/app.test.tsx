import { Text } from 'ink'
import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { CommandsProvider } from '../../../src/tui/command/access.js'
import type { KeyMap } from '../../../src/tui/keys/KeysProvider.js'
import { App } from '../../../src/tui/shell/App.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { shown } from '../support/shown.js'

const COMMANDS = {
  program: ['svc'] as const,
  env: {},
  complete: async () => [],
  expanded: async (words: readonly string[]) => words,
  commandOf: async () => undefined,
}

const CTRL_B = '\u0002'
const SCREEN_KEYS = [
  ['0', '[day]'],
  ['2', '[orders]  trades'],
  ['3', '[positions]'],
  ['4', 'workflows'],
  ['5', 'There are no strategies'],
  ['6', 'symbols'],
  ['7', '[bans]'],
  ['8', '[orders]  analyzer'],
  ['9', '[overview]'],
] as const

async function opened(size = { columns: 80, rows: 23 }, onQuit: () => void = () => undefined, map?: KeyMap) {
  const live = await queueDesk()
  const app = (
    <CommandsProvider value={COMMANDS}>
      <App first="approvals" size={size} onQuit={onQuit} />
      <Text />
    </CommandsProvider>
  )
  return { live, ...(await shown(live.access, app, { columns: size.columns, ...(map && { map }) })) }
}

it('shows what happened to the queue while another screen was shown', async () => {
  const { live, shows, press } = await opened()
  await shows('No order waits for approval.')
  await press('5')
  await shows('There are no strategies')
  await live.queue({ symbol: 'INFY' })
  await press('1')
  await shows(/INFY .*pending/)
})

it('takes no confirmation where a question would be cut', async () => {
  const { live, shows, press } = await opened({ columns: 40, rows: 10 })
  await shows('svc needs 80 by 24.')
  await live.queue()
  for (const key of ['a', 'y']) await press(key)
  const { data } = await live.client.request('GET /action-center/api/data', { query: { status: 'pending' } })
  expect(data.orders).toHaveLength(1)
})

it('goes to each screen by its number, and back with the key for the screen before', async () => {
  const { shows, press } = await opened()
  await shows('No order waits for approval.')
  for (const [key, content] of SCREEN_KEYS) {
    await press(key)
    await shows(content)
  }
  await press('-')
  await shows('[orders]  analyzer')
  await press('-')
  await shows('[overview]')
})

it.each([80, 100, 120])('names every screen with its number in %i columns', async (columns) => {
  const { live, screen, shows } = await opened({ columns, rows: 23 })
  await live.queue()
  await shows('1 Approvals(1)')
  const [, tabs = ''] = screen().split('\n')
  expect(tabs.match(/\d [A-Z][a-z]+/g)).toHaveLength(10)
  expect(stringWidth(tabs)).toBeLessThanOrEqual(columns)
})

it('mutes the bell and says so', async () => {
  const { desk, shows, press } = await opened()
  await shows('No order waits for approval.')
  await press(CTRL_B)
  await shows('The bell is muted.')
  expect(desk.bell.isMuted.get()).toBe(true)
  await press(CTRL_B)
  await shows('The bell rings for each new order.')
})

it('shows all keys with their commands, and quits with q', async () => {
  let quits = 0
  const { shows, press } = await opened({ columns: 80, rows: 23 }, () => {
    quits += 1
  })
  await shows('No order waits for approval.')
  await press('?')
  await shows('svc approval show <id>')
  await shows(/scroll, \d+ lines below {2}any other key closes/)
  await press('x')
  await shows('No order waits for approval.')
  await press('q')
  expect(quits).toBe(1)
})

it('names the key for all keys that the user has chosen', async () => {
  const { shows } = await opened(undefined, undefined, new Map([['shell.help', ['ctrl-g']]]))
  await shows('ctrl-g keys')
})
