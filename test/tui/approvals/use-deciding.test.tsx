import { Text } from 'ink'
import { expect, test, vi } from 'vitest'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { ApprovalFeed } from '../../../src/tui/approvals/feed.js'
import { type QueueRow, useQueueRows } from '../../../src/tui/approvals/rows.js'
import { type Deciding, useDeciding } from '../../../src/tui/approvals/use-deciding.js'
import { useDaemon, useFeed } from '../../../src/tui/live/use-daemon.js'
import { heldChange } from '../support/held-change.js'
import { shown } from '../support/shown.js'
import { queueDesk } from './queue-desk.js'

/** The screen's way to decisions, on a queue with one order. */
async function opened() {
  const live = await queueDesk()
  await live.queue()
  const drawn: { rows: readonly QueueRow[]; decisions: Decisions; deciding: Deciding }[] = []
  const Screen = () => {
    const daemon = useDaemon()
    const rows = useQueueRows(useFeed(daemon.part(ApprovalFeed)).content.rows)
    const deciding = useDeciding({ onAsk: () => undefined, onDecided: () => undefined })
    drawn.push({ rows, decisions: daemon.part(Decisions), deciding })
    const { pane } = deciding
    const isAsked = pane.kind === 'confirm' && pane.account !== undefined
    return <Text>{`${rows.map(({ status }) => status)} ${isAsked ? 'asked' : pane.kind}`}</Text>
  }
  const app = await shown(live.access, <Screen />)
  const last = () => {
    const found = drawn.at(-1)
    if (found === undefined) throw new Error('Nothing is drawn.')
    const { deciding, ...rest } = found
    return { ...deciding, ...rest }
  }
  await app.shows('pending list')
  return { ...live, ...app, last }
}

test('two presses of y before the next drawing approve once', async () => {
  const { last, shows, statuses } = await opened()
  const { askToApprove, decisions, rows } = last()
  await askToApprove(rows)
  await shows('pending asked')
  const { approve, pane } = last()
  if (pane.kind !== 'confirm') throw new Error(pane.kind)
  const decide = vi.spyOn(decisions, 'approve')
  approve(pane, rows)
  approve(pane, rows)
  await decisions.settled()
  approve(pane, rows)
  await decisions.settled()
  expect(decide).toHaveBeenCalledTimes(1)
  expect(await statuses()).toEqual(['1 approved'])
})

test('y after another client has decided the order sends nothing, and says why', async () => {
  const { desk, last, reject, shows, statuses } = await opened()
  await last().askToApprove(last().rows)
  await shows('pending asked')
  await reject(1, 'no')
  await shows('rejected asked')
  const { approve, pane, rows } = last()
  if (pane.kind !== 'confirm') throw new Error(pane.kind)
  approve(pane, rows)
  expect(desk.changes.message.get()).toMatch(/^Approval 1 is no longer pending: rejected by asha at /)
  await shows('rejected list')
  await last().decisions.settled()
  expect(await statuses()).toEqual(['1 rejected'])
})

test('two presses of y before the next drawing delete an approval once', async () => {
  const { desk, last, reject, shows } = await opened()
  await reject(1, 'no')
  await shows('rejected list')
  last().askToRemove(last().rows[0])
  await shows('remove')
  const { pane, remove } = last()
  if (pane.kind !== 'remove') throw new Error(pane.kind)
  remove(pane)
  remove(pane)
  expect(desk.changes.message.get()).toBe('Deletion of approval 1 …')
  await desk.settled()
  remove(pane)
  await desk.settled()
  expect(desk.changes.message.get()).toMatch(/^Deletion of approval 1: done\./)
})

test('the question before a deletion stays while another change waits', async () => {
  const { desk, last, reject, shows } = await opened()
  await reject(1, 'no')
  await shows('rejected list')
  const other = heldChange('Cancel')
  desk.changes.start(other)
  last().askToRemove(last().rows[0])
  await shows('remove')
  const { pane, remove } = last()
  if (pane.kind !== 'remove') throw new Error(pane.kind)
  remove(pane)
  expect(desk.changes.message.get()).toMatch(/^Deletion of approval 1: not sent\. Another change waits/)
  other.answer()
  await desk.settled()
  expect(last().pane).toBe(pane)
  remove(pane)
  await desk.settled()
  expect(desk.changes.message.get()).toMatch(/^Deletion of approval 1: done\./)
})
