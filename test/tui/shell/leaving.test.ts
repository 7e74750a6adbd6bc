import { expect, onTestFinished, test, vi } from 'vitest'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { badResult } from '../../../src/tui/live/changes/changes.js'
import { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { WatchFeed } from '../../../src/tui/market/watch/watch-feed.js'
import { adding } from '../../../src/tui/market/watch/watch-list.js'
import { Leaving } from '../../../src/tui/shell/leaving.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { heldChange } from '../support/held-change.js'

const SEEN = { account: { analyze_mode: false, broker: 'simulated' } } as const

/** A program with two orders that wait. A decision on one is not sent by itself. */
async function opened() {
  const live = await queueDesk()
  const ids = [await live.queue({ price: 640 }), await live.queue({ price: 640 })] as const
  const desk = new LiveDaemon(live.access)
  onTestFinished(() => desk.stop())
  desk.start()
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  const leaving = new Leaving(desk)
  return { live, ids, desk, leaving, decisions: desk.part(Decisions), said: () => desk.changes.message.get() }
}

test('the program ends when nothing is on its way', async () => {
  const { leaving } = await opened()
  expect(await leaving.mayEnd()).toBe(true)
})

test('the end waits also for a decision that is made while a change waits for its answer', async () => {
  const { desk, decisions, ids, leaving, live, said } = await opened()
  const change = heldChange('Cancel')
  desk.changes.start(change)
  const left = leaving.mayEnd()
  expect(said()).toBe('It ends when all is sent and answered. ctrl-c ends it now, other keys go on.')
  decisions.undoWindow = { seconds: 0.01, from: 0 }
  decisions.approve([ids[0]], SEEN)
  change.answer()
  expect(await left).toBe(true)
  expect(await live.statuses()).toEqual([`${ids[1]} pending`, `${ids[0]} approved`])
})

test('the program does not end with a refusal that nobody has seen', async () => {
  const { decisions, ids, leaving, live, said } = await opened()
  await live.http.desk.service.risk.setKillSwitch(true, 'test', 'asha')
  for (const id of ids) decisions.approve([id], SEEN)
  // The key once more does not make it a seen one.
  expect(await Promise.all([leaving.mayEnd(), leaving.mayEnd()])).toEqual([false, false])
  expect(said()).toBe(`Not ended. Approval ${ids[0]}: The kill switch is on: test. 1 more failed, too.`)
  expect(await leaving.mayEnd()).toBe(true)
})

test('the program does not end with a decision that was dropped', async () => {
  const { decisions, ids, leaving, live, said } = await opened()
  decisions.undoWindow = { seconds: 3600, from: 0 }
  decisions.reject([ids[0]], 'no')
  const left = leaving.mayEnd()
  await live.lose()
  expect(await left).toBe(false)
  expect(said()).toBe(`Not ended. Approval ${ids[0]}: not sent. The daemon is not connected.`)
})

test('the program does not end with a change that failed', async () => {
  const { desk, leaving, said } = await opened()
  desk.changes.start({ name: 'Close', check: 'svc status', send: () => Promise.reject(new Error('no')) })
  expect(await leaving.mayEnd()).toBe(false)
  expect(said()).toBe('Not ended. Close: not sent. No.')
})

test('the program does not end with a change that was made in part', async () => {
  const { desk, leaving, said } = await opened()
  const send = async () => badResult('1 order cancelled, 1 NOT cancelled: 7: too late')
  desk.changes.start({ name: 'Cancel all', check: 'svc order list', send })
  expect(await leaving.mayEnd()).toBe(false)
  expect(said()).toBe('Not ended. Cancel all: 1 order cancelled, 1 NOT cancelled: 7: too late.')
})

test('the program goes on when the user has gone on, and ends with the next key', async () => {
  const { desk, leaving, said } = await opened()
  const change = heldChange('Cancel')
  desk.changes.start(change)
  const left = leaving.mayEnd()
  leaving.takeBack()
  expect(said()).toBe('The program goes on. q ends it.')
  change.answer()
  expect(await left).toBe(false)
  expect(said()).toBe('Cancel: done.')
  expect(await leaving.mayEnd()).toBe(true)
})

test('the key that ends the program ends it also after the end was taken back', async () => {
  const { desk, leaving } = await opened()
  const change = heldChange('Cancel')
  desk.changes.start(change)
  const left = leaving.mayEnd()
  leaving.takeBack()
  expect(await leaving.mayEnd()).toBe(false)
  change.answer()
  expect(await left).toBe(true)
})

test('a decision that is dropped while a change waits for its answer says so with the answer', async () => {
  const { decisions, desk, ids, said } = await opened()
  const change = heldChange('Cancel')
  desk.changes.start(change)
  decisions.undoWindow = { seconds: 3600, from: 0 }
  decisions.reject([ids[0]], 'no')
  desk.suspended()
  change.answer()
  await desk.changes.settled()
  expect(said()).toBe(`Cancel: done. Approval ${ids[0]}: not sent. The program was suspended: decide again.`)
})

test('the program ends also after the watch list met an error, and says so before', async () => {
  const { desk, leaving, said } = await opened()
  const watch = desk.part(WatchFeed)
  vi.spyOn(watch, 'refresh').mockRejectedValueOnce(new Error('the screen is gone'))
  watch.edit(adding('NSE:SBIN'))
  await desk.settled()
  expect(said()).toBe('The program met an error: the screen is gone')
  expect(await leaving.mayEnd()).toBe(true)
})
