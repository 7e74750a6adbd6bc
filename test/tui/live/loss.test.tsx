import { Box } from 'ink'
import { expect, test } from 'vitest'
import { TextField } from '../../../src/tui/components/form/TextField.js'
import { Table } from '../../../src/tui/components/list/Table.js'
import type { Change } from '../../../src/tui/live/changes/changes.js'
import { useIsStale } from '../../../src/tui/live/use-daemon.js'
import { ScreenFrame } from '../../../src/tui/screen/ScreenFrame.js'
import type { Column } from '../../../src/views/table/column.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

const COLUMNS: readonly Column[] = [{ key: 'symbol' }]
const NONE: ReadonlySet<number> = new Set()

/** A screen of a list, with an open line to type in. */
function Rows({ onDraw = () => undefined }: { onDraw?(isStale: boolean): void }) {
  onDraw(useIsStale())
  const line = <TextField label="Reason: " onSubmit={() => undefined} onCancel={() => undefined} />
  return (
    <ScreenFrame
      width={80}
      height={21}
      summary="1 order"
      keys={[]}
      state={undefined}
      pane="list"
      prompt={line}
    >
      {(area) => (
        <Box>
          <Table
            {...{ ...area, columns: COLUMNS, rows: [{ id: 1, symbol: 'SBIN' }] }}
            {...{ selected: undefined, marked: NONE, now: 0 }}
          />
        </Box>
      )}
    </ScreenFrame>
  )
}

const change = (sent: string[], fields: Partial<Change> = {}): Change => ({
  name: 'Cancel',
  check: 'svc order list',
  async send(client) {
    sent.push('Cancel')
    await client.request('GET /status', {})
    return 'done.'
  },
  ...fields,
})

test('content stays while the connection is lost, with its age and what was typed', async () => {
  const { access, lose, comeBack } = await liveDesk()
  const { desk, shows, screen, press } = await shown(access, <Rows />)
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  await press('a')
  await lose()
  await shows(/^ \d+s old 1 order/)
  await shows('SBIN')
  await press('b')
  await shows('Reason: ab')
  await comeBack()
  desk.connection.retry()
  await shows(/^ 1 order/)
  expect(screen()).toContain('Reason: ab')
})

test('a screen knows that its content may be old', async () => {
  const { access, lose, comeBack } = await liveDesk()
  const drawn: boolean[] = []
  const { desk } = await shown(access, <Rows onDraw={(isStale) => drawn.push(isStale)} />)
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  expect(drawn).not.toContain(true)
  await lose()
  await expect.poll(() => drawn.at(-1)).toBe(true)
  await comeBack()
  desk.connection.retry()
  await expect.poll(() => drawn.at(-1)).toBe(false)
})

test('the next attempt is named while the connection is lost, and comes at once on demand', async () => {
  const { access, lose, comeBack } = await liveDesk()
  const { desk } = await shown(access, <Rows />)
  const { state } = desk.connection
  await expect.poll(() => state.get().kind).toBe('connected')
  await lose()
  // The pauses double; after a few the next attempt is seconds away.
  let retryAt = 0
  const pause = () => {
    const now = state.get()
    retryAt = now.kind === 'lost' ? now.retryAt : 0
    return retryAt - Date.now()
  }
  await expect.poll(pause).toBeGreaterThan(4500)
  await comeBack()
  desk.connection.retry()
  await expect.poll(() => state.get().kind).toBe('connected')
  expect(Date.now()).toBeLessThan(retryAt)
})

test('a change is refused without sending while the connection is lost', async () => {
  const { access, lose, comeBack } = await liveDesk()
  const { desk } = await shown(access, <Rows />)
  const { connection, changes } = desk
  await expect.poll(() => connection.state.get().kind).toBe('connected')
  await lose()
  await expect.poll(() => connection.state.get().kind).toBe('lost')
  const sent: string[] = []
  expect(changes.start(change(sent))).toBe(false)
  expect(changes.message.get()).toBe('Cancel: not sent. The daemon is not connected.')
  await comeBack()
  connection.retry()
  await expect.poll(() => connection.state.get().kind).toBe('connected')
  expect(sent).toEqual([])
  expect(changes.start(change(sent))).toBe(true)
  await expect.poll(() => changes.message.get()).toBe('Cancel: done.')
})

test('the kill switch is tried even while the connection is lost', async () => {
  const { access, lose } = await liveDesk()
  const { desk } = await shown(access, <Rows />)
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  await lose()
  await expect.poll(() => desk.connection.state.get().kind).toBe('lost')
  const sent: string[] = []
  expect(desk.changes.start(change(sent, { isUrgent: true }))).toBe(true)
  await expect.poll(() => desk.changes.message.get()).toMatch(/^Cancel: not sent\. /)
  expect(sent).toEqual(['Cancel'])
})
