import { Text } from 'ink'
import { expect, it } from 'vitest'
import { CommandsProvider } from '../../../src/tui/command/access.js'
import { App } from '../../../src/tui/shell/App.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { DOWN, ENTER, LEFT, RIGHT, shown, TAB, UP } from '../support/shown.js'

const COMMANDS = {
  program: ['svc'] as const,
  env: {},
  complete: async () => [],
  expanded: async (words: readonly string[]) => words,
  commandOf: async () => undefined,
}
const SHIFT_TAB = '\u001b[Z'
const SIZE = { columns: 80, rows: 23 }

/** The whole program with the cockpit first. */
async function opened() {
  const live = await queueDesk()
  const app = await shown(
    live.access,
    <CommandsProvider value={COMMANDS}>
      <App first="cockpit" size={SIZE} onQuit={() => undefined} />
      <Text />
    </CommandsProvider>,
    { columns: SIZE.columns },
  )
  await app.shows('> P&L ₹')
  const type = async (...keys: readonly string[]) => {
    for (const key of keys) await app.press(key)
  }
  return { ...live, ...app, type }
}

it('moves between tiles by the arrows, their letters, and tab', async () => {
  const { shows, type } = await opened()
  for (const [key, title] of [
    [RIGHT, 'Risk'],
    [DOWN, 'Exposure ₹'],
    [LEFT, 'Open orders'],
    [UP, 'P&L ₹'],
    [TAB, 'Risk'],
    [SHIFT_TAB, 'P&L ₹'],
    [SHIFT_TAB, 'Errors'],
    ['k', 'Broker session'],
    ['l', 'Strategies'],
  ] as const) {
    await type(key)
    await shows(`> ${title}`)
  }
})

it.each([
  ['P&L', [], '[p&l]'],
  ['risk', [TAB], '[risk]'],
  ['queue', [TAB, TAB], '[pending 0]'],
  ['orders', [TAB, TAB, TAB], '[orders]  trades'],
  ['margin', [DOWN, DOWN], '[funds]'],
  ['strategies', [DOWN, DOWN, DOWN], 'There are no strategies'],
  ['errors', [SHIFT_TAB], '[errors]'],
] as const)(
  'enter on %s shows the screen that says more, and 0 comes back to the tile',
  async (_, keys, content) => {
    const { screen, shows, type } = await opened()
    await type(...keys)
    const cursor = /> [^─\n]+ ─/
    await shows(cursor)
    const [selected = ''] = cursor.exec(screen()) ?? []
    await type(ENTER)
    await shows(content)
    await type('0')
    await shows(selected)
  },
)

it('p changes the tiles, and they stay while another screen is shown', async () => {
  const { shows, screen, type } = await opened()
  await type('p')
  await shows('[orders]')
  await shows('> Queue')
  expect(screen()).not.toContain('Workflows')
  await type('2')
  await shows('No orders today.')
  await type('0')
  await shows('[orders]')
  await type('p')
  await shows('[automation]')
  await shows('Workflows')
  await type('p')
  await shows('[day]')
  await shows('> P&L ₹')
})

it('lists its keys with the commands that show the same, and names those that lead everywhere', async () => {
  const { shows, type } = await opened()
  await shows(/enter open {2}p preset .*: .*ctrl-k.* q.* \? keys/)
  await type('?')
  await shows(/enter +P&L ₹ opens Positions/)
  await shows('svc approval list')
})

it('has the number of waiting orders that the header has', async () => {
  const { queue, shows } = await opened()
  for (const symbol of ['SBIN', 'INFY']) await queue({ symbol })
  await shows(/1 Approvals\(2\)[\s\S]*2 orders, ₹/)
})
