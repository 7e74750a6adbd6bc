import { join } from 'node:path'
import { silentLogger } from '../../../src/core/logging/index.js'
import { loadOrders, loadStorage, loadTime } from '../../compiled.js'
import type { Row } from '../../report.js'
import { type Benchmark, median, type Run, timed } from '../../run.js'

const USER = 'asha'
const STRATEGY = 'benchmark'
const FEW = 1_000
const GOAL = { of: 'ratio', atMost: 1.5 } as const

/** Checks that the profit of a strategy does not cost more because the strategy has a long history. */
export const strategyProfit: Benchmark = {
  name: 'strategy-profit',
  summary: 'the profit of a strategy with a million orders, against one with a thousand',
  async run(run) {
    const many = run.pick(1_000_000, 100_000, 10_000)
    const [few, full] = [await history(run, FEW), await history(run, many)]
    try {
      const first = await timed(() => full.totals.catchUp())
      await few.totals.catchUp()
      const rounds: { few: number; full: number }[] = []
      for (let round = 0; round <= run.rounds(200, 50); round++) {
        rounds.push({ few: await timed(few.ask), full: await timed(full.ask) })
      }
      const over = (of: 'few' | 'full') => median(rounds.slice(1).map((round) => round[of]))
      const title = many.toLocaleString('en-US')
      return [
        {
          name: `profit of a strategy with ${title} orders`,
          value: over('full'),
          floor: over('few'),
          unit: 'ms',
          goal: GOAL,
        },
        {
          name: `adding ${title} fills to the totals, once after an upgrade`,
          value: first / 1000,
          unit: 's',
        },
      ] satisfies Row[]
    } finally {
      await Promise.all([few.close(), full.close()])
    }
  },
}

/** Returns a journal in which half of the filled orders are those of the strategy, and the others those of nine. */
async function history(run: Run, count: number) {
  const [{ Database }, orders, { VirtualClock, sessionDate, sessionStart }] = [
    await loadStorage(),
    await loadOrders(),
    await loadTime(),
  ]
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const database = await Database.open({ file: join(run.folder(), 'svc.db'), schema: 'svc' })
  await seed(database, count, clock.now())
  const rules = { sessionOf: sessionDate, hasEnded: () => false }
  const totals = new orders.StrategyTotals(database, orders.LIVE_FILLS, rules, silentLogger)
  const journal = new orders.OrderJournal(database, clock)
  return {
    totals,
    close: () => database.close(),
    ask: async () => {
      await journal.unfinishedOf(USER, STRATEGY, sessionStart(clock.now()))
      const { legs } = await totals.of(USER, STRATEGY)
      if (legs.length === 0) throw new Error('the strategy has no legs')
    },
  }
}

const CHUNK = 20_000
const NUMBERS = 'with recursive n(i) as (select ? union all select i + 1 from n where i + 1 < ?)'
const REQUEST =
  '{"strategy":"benchmark","symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":10,"pricetype":"MARKET","product":"CNC","price":0,"trigger_price":0,"disclosed_quantity":0}'

/** Inserts filled orders, one a minute until now, in twenty symbols, bought and sold in turn. */
async function seed(
  database: Awaited<ReturnType<Awaited<ReturnType<typeof loadStorage>>['Database']['open']>>,
  count: number,
  now: number,
): Promise<void> {
  const at = `${now} - (${count} - i) * 60000`
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(from + CHUNK, count)
    await database.write(async (tx) => {
      await tx.exec(
        `insert into order_journal (order_ref, user_id, api_type, source, mode, broker, state, symbol, exchange, action,
           quantity, product, strategy, request, order_id, created_at, updated_at)
         ${NUMBERS} select 'S' || i, ?, 'placeorder', 'api', 'live', 'simulated', 'filled', 'SYMBOL' || (i / 2 % 20),
           'NSE', iif(i / 40 % 2 = 0, 'BUY', 'SELL'), '10', 'CNC', iif(i % 2 = 0, ?, 'other' || (i % 9)), ?, 'O' || i,
           ${at}, ${at} from n`,
        [from, to, USER, STRATEGY, REQUEST],
      )
      await tx.exec(
        `insert into order_fills (order_ref, quantity, price, at)
         ${NUMBERS} select 'S' || i, 10, 800 + i % 97 * 0.05, ${at} from n`,
        [from, to],
      )
    })
  }
}
