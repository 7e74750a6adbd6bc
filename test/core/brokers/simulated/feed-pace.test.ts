import { expect, onTestFinished, test } from 'vitest'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { contextOf, directoryOf, FRIDAY_11, SESSION, tempDir, testPlugin } from './support.js'

const SYMBOLS = 400

function shares(count: number): Instrument[] {
  return Array.from({ length: count }, (_, index) => ({
    symbol: `S${index}`,
    brokerSymbol: `S${index}`,
    name: `SHARE ${index}`,
    exchange: 'NSE',
    brokerExchange: 'NSE',
    token: String(index),
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
  }))
}

/** A feed of many shares. `heard` has the instant and the symbol of each tick. */
async function openFeed() {
  const clock = new VirtualClock(FRIDAY_11)
  const refs = shares(SYMBOLS)
  const context = { ...contextOf(clock, tempDir()), instruments: directoryOf(refs) }
  const client = testPlugin().connect(SESSION, context)
  onTestFinished(() => client.close())
  const heard: { at: number; symbol: string }[] = []
  await client.ticks.open(({ symbol }) => heard.push({ at: clock.now(), symbol }))
  return { clock, feed: client.ticks, heard, refs }
}

/** The most ticks sent without a pause. */
function mostAtOnce(heard: readonly { at: number }[]): number {
  const counts = new Map<number, number>()
  for (const { at } of heard) counts.set(at, (counts.get(at) ?? 0) + 1)
  return Math.max(...counts.values())
}

test('first ticks come one by one, because each takes milliseconds', async () => {
  const { clock, feed, heard, refs } = await openFeed()
  feed.subscribe(refs, 1)
  await clock.advance(5000)
  expect(new Set(heard.map(({ symbol }) => symbol)).size).toBe(SYMBOLS)
  const firsts = heard.filter(({ symbol }, at) => heard.findIndex((one) => one.symbol === symbol) === at)
  expect(mostAtOnce(firsts)).toBe(1)
})

test('ticks of all symbols come every second, in slices, while new symbols wait for their first', async () => {
  const { clock, feed, heard, refs } = await openFeed()
  const old = refs.slice(0, 250)
  feed.subscribe(old, 1)
  await clock.advance(3000)
  feed.subscribe(refs.slice(250), 1)
  heard.length = 0
  await clock.advance(1000)
  const known = new Set(old.map(({ symbol }) => symbol))
  expect(heard.filter(({ symbol }) => known.has(symbol))).toHaveLength(250)
  await clock.advance(3000)
  heard.length = 0
  await clock.advance(1000)
  expect(heard).toHaveLength(SYMBOLS)
  expect(mostAtOnce(heard)).toBe(100)
})

test('a symbol that is left while it waits sends nothing, and the feed leaves no timer', async () => {
  const { clock, feed, heard, refs } = await openFeed()
  feed.subscribe(refs, 1)
  await clock.advance(1010)
  const early = new Set(heard.map(({ symbol }) => symbol))
  const waiting = refs.filter(({ symbol }) => !early.has(symbol))
  feed.unsubscribe(waiting)
  await clock.advance(5000)
  expect(new Set(heard.map(({ symbol }) => symbol))).toEqual(early)
  feed.unsubscribe(refs)
  expect(clock.pending).toBe(0)
})
