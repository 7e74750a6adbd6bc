import { join } from 'node:path'
import { silentLogger } from '../../src/core/logging/index.js'
import type { OrderRequest } from '../../src/core/orders/schema.js'
import { loadMarket, loadSandbox, loadStorage, loadTime } from '../compiled.js'
import { tickAt } from '../load/tick.js'
import type { Row } from '../report.js'
import { median, type Run } from '../run.js'
import { instrument } from './sandbox.js'

const USER = 'asha'
const GOAL = { of: 'value', atMost: 0.1 } as const
/** Prices that move between two questions. */
const TICKS = 20
const CHUNK = 500

/**
 * Processor time of `funds`, and of the profit that the day's loss limit asks for before each order, with open
 * positions of which some prices moved since the last question.
 */
export async function fundsRows(run: Run, count: number): Promise<Row[]> {
  const { books, tick, close } = await openPositions(run, count)
  const questions = { funds: () => books.funds(USER), "the day's loss limit": () => books.dayPnl(USER) }
  const rows: Row[] = []
  for (const [name, ask] of Object.entries(questions)) {
    const rounds: number[] = []
    for (let round = 0; round <= run.rounds(30, 10); round++) {
      for (let i = 0; i < TICKS; i++) tick((round * TICKS + i) % count, 100 + (round % 7))
      const before = process.cpuUsage()
      await ask()
      const { system, user } = process.cpuUsage(before)
      rounds.push((system + user) / 1000)
    }
    // The first round counts every position.
    const value = median(rounds.slice(1))
    const title = `${count.toLocaleString('en-US')} sandbox positions, ${name}, processor time`
    rows.push({ name: title, value, unit: 'ms', goal: GOAL })
  }
  await close()
  return rows
}

async function openPositions(run: Run, count: number) {
  const [{ Database }, { Sandbox }, { TickHub }, { SystemClock }] = await Promise.all([
    loadStorage(),
    loadSandbox(),
    loadMarket(),
    loadTime(),
  ])
  const clock = new SystemClock()
  const hub = new TickHub({ clock, onListenerError: (error) => console.error(error) })
  const db = await Database.open({ file: join(run.folder(), 'sandbox.db'), schema: 'sandbox' })
  const sandbox = await Sandbox.open({
    db,
    clock,
    calendar: {
      sessionOf: (_exchange, date) => ({
        open: Date.parse(`${date}T00:00:00+05:30`),
        close: Date.parse(`${date}T23:59:59+05:30`),
      }),
      isSettlementDay: () => true,
    },
    instruments: { find: instrument, freezeQuantity: () => undefined },
    market: {
      quote: async (ref) => tickAt(ref, 100),
      watch: (ref, listener) => hub.subscribe([ref], 2, listener),
      alwaysOpen: () => true,
    },
    publish: () => undefined,
    log: silentLogger,
  })
  await sandbox.start()
  await sandbox.endow(USER, 100_000_000)
  const tick = (symbol: number, ltp: number) =>
    hub.publish(tickAt({ symbol: `SYMBOL${symbol}`, exchange: 'NSE' }, ltp))
  for (let from = 0; from < count; from += CHUNK) {
    const chunk = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => from + i)
    const outcomes = await Promise.all(chunk.map((symbol) => sandbox.place(USER, orderFor(symbol))))
    for (const outcome of outcomes) if (!outcome.ok) throw new Error(outcome.message)
    for (const symbol of chunk) tick(symbol, 100)
  }
  return {
    books: sandbox.books,
    tick,
    close: async () => {
      await sandbox.stop()
      await db.close()
    },
  }
}

function orderFor(symbol: number): OrderRequest {
  return {
    strategy: 'benchmark',
    symbol: `SYMBOL${symbol}`,
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
  }
}
