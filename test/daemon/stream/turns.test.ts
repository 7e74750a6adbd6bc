import { expect, test } from 'vitest'
import type { SymbolRef } from '../../../src/core/market/index.js'
import { MarketSubscriptions } from '../../../src/daemon/stream/market/subscriptions.js'
import type { Receiver } from '../../../src/daemon/stream/market/topic.js'
import { eventually, pause } from '../../support/eventually.js'
import { openRig } from './rig.js'

const LONG = 3000
const SLICE = 50
const symbols: SymbolRef[] = Array.from({ length: LONG }, (_, i) => ({ symbol: `S${i}`, exchange: 'NSE' }))

/** Counts event-loop turns until it is stopped. */
function countTurns() {
  const turns = { count: 0, stop: false }
  const turn = () => {
    turns.count += 1
    if (!turns.stop) setImmediate(turn)
  }
  turn()
  return turns
}

/** Subscriptions that count the looked-up symbols by event-loop turn. */
async function subscriptions() {
  const { fanOut } = await openRig()
  const turns = countTurns()
  const inTurn = new Map<number, number>()
  const broker = {
    id: () => 'simulated',
    connected: () => true,
    manifest: () => ({ streaming: { modes: [1, 2, 3] as const, depthLevels: [5] } }),
    supported: () => [],
    status: () => 'connected',
  }
  const isKnown = () => {
    inTurn.set(turns.count, (inTurn.get(turns.count) ?? 0) + 1)
    return true
  }
  return { inTurn, turns, subscriptions: new MarketSubscriptions({ fanOut, broker, isKnown }) }
}

function receiverOf(username: string): Receiver & { open: boolean } {
  return { username, open: true, offer: () => true, forget: () => undefined }
}

test('long lists proceed in slices, for any number of clients', async () => {
  const { inTurn, turns, subscriptions: all } = await subscriptions()
  const receivers = ['a', 'b', 'c'].map(receiverOf)
  const ends = await Promise.all(receivers.map((receiver) => all.follow(receiver, { symbols })))
  turns.stop = true
  for (const { acks } of ends)
    expect(acks.map(({ symbol }) => symbol)).toEqual(symbols.map(({ symbol }) => symbol))
  expect([...inTurn.values()].reduce((sum, count) => sum + count)).toBe(3 * LONG)
  expect(Math.max(...inTurn.values())).toBe(SLICE)
})

test('a client that leaves half way through its list leaves nothing behind', async () => {
  const { inTurn, turns, subscriptions: all } = await subscriptions()
  const receiver = receiverOf('a')
  const following = all.follow(receiver, { symbols })
  await new Promise((resolve) => setImmediate(resolve))
  receiver.open = false
  all.unfollowAll(receiver)
  await following
  turns.stop = true
  expect(all.unfollowAll(receiver)).toEqual([])
  expect([...inTurn.values()].reduce((sum, count) => sum + count)).toBeLessThan(LONG)
})

test('a client that sends long lists is read more slowly, and each is answered', async () => {
  const { clock, signIn } = await openRig({ symbols })
  const client = await signIn()
  const lists = 30
  for (let i = 0; i < lists; i++) client.send({ action: 'unsubscribe', symbols, request_id: i })
  await eventually(() => client.frames.length >= 5)
  await pause(500)
  expect(client.frames.length).toBeLessThan(15)
  await eventually(async () => {
    await clock.advance(1000)
    return client.frames.length === lists
  })
  expect(client.frames.map(({ request_id }) => request_id)).toEqual(
    Array.from({ length: lists }, (_, i) => i),
  )
})

test('a list that is longer than any may be is refused before it is parsed', async () => {
  const { signIn } = await openRig()
  const client = await signIn()
  // Invalid JSON: a parse would give another answer.
  expect(await client.ask(`{"action":"subscribe","symbols":[${'{'.repeat(4000)}`)).toEqual({
    type: 'error',
    status: 'error',
    code: 'INVALID_PARAMETERS',
    message: 'One message can name at most 3000 symbols',
  })
})
