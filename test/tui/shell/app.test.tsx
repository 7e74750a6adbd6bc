import { Text } from 'ink'
import { expect, it } from 'vitest'
import { CommandsProvider } from '../../../src/tui/command/commands-context.js'
import { App } from '../../../src/tui/shell/App.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { shown } from '../support/shown.js'

const COMMANDS = {
  program: ['svc'] as const,
  env: {},
  complete: async () => [],
  commandOf: async () => undefined,
}

async function opened(size = { columns: 80, rows: 23 }) {
  const live = await queueDesk()
  const app = (
    <CommandsProvider value={COMMANDS}>
      <App first="approvals" size={size} onQuit={() => undefined} />
      <Text />
    </CommandsProvider>
  )
  return { live, ...(await shown(live.access, app)) }
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
