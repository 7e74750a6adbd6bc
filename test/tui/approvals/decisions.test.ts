import { expect, onTestFinished, test } from 'vitest'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { queueDesk } from './queue-desk.js'

const LIVE = { username: 'asha', analyze_mode: false, order_mode: 'semi_auto', broker: 'simulated' } as const

async function opened() {
  const live = await queueDesk()
  const order = { price: 640 }
  const ids = [await live.queue(order), await live.queue(order), await live.queue(order)]
  const desk = new LiveDaemon(live.access)
  onTestFinished(() => desk.stop())
  desk.start()
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  const decisions = desk.part(Decisions)
  const texts = () => [...decisions.progress.get().values()].map(({ text }) => text)
  return { live, ids, decisions, texts }
}

test('a refusal that holds for all ends a batch: the rest is not tried', async () => {
  const { live, ids, decisions, texts } = await opened()
  await live.analyze(true)
  decisions.approve(ids, LIVE)
  await decisions.settled()
  const reason = 'the mode or the broker has changed. Look at the header, then try again.'
  expect(texts()).toEqual(ids.map(() => reason))
  expect(await live.statuses()).toEqual(ids.toReversed().map((id) => `${id} pending`))
})

test('a refusal of one order ends no batch', async () => {
  const { live, ids, decisions, texts } = await opened()
  const [first = 0] = ids
  await live.reject(first, 'no')
  decisions.approve(ids, LIVE)
  await decisions.settled()
  expect(texts().slice(1)).toEqual(['approved', 'approved'])
})
