import { join } from 'node:path'
import { silentLogger } from '../../src/core/logging/index.js'
import { loadApprovals, loadOrders, loadStorage, loadTime } from '../compiled.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run, timed } from '../run.js'
import { fundsRows } from './sandbox-funds.js'

type Database = Awaited<ReturnType<Awaited<ReturnType<typeof loadStorage>>['Database']['open']>>

const USER = 'asha'
const NOW = Date.parse('2026-11-20T11:00:00+05:30')
const MINUTE_MS = 60_000
/** The number of approvals that waited longest; all later ones are decided. */
const PENDING = 20
/** The number of rejected orders, the oldest in the journal; all later ones are filled. */
const REJECTED = 5

/** Lists that a user opens, on files of three sizes. */
export const growth: Benchmark = {
  name: 'growth',
  summary: 'lists of approvals and of the order journal as the files grow, funds as the positions do',
  async run(run) {
    const rows: Row[] = []
    for (const count of run.pick([1_000, 10_000, 100_000], [1_000, 10_000], [1_000])) {
      rows.push(...(await approvalRows(run, count)))
    }
    for (const count of run.pick([10_000, 100_000, 1_000_000], [10_000, 100_000], [10_000])) {
      rows.push(...(await journalRows(run, count)))
    }
    for (const count of run.pick([100, 1_000, 10_000], [100, 10_000], [100]))
      rows.push(...(await fundsRows(run, count)))
    return rows
  },
}

async function approvalRows(run: Run, count: number): Promise<Row[]> {
  const [{ Approvals }, { VirtualClock }] = [await loadApprovals(), await loadTime()]
  const database = await openFile(run)
  try {
    await chunks(database, count, (from, to) => ({
      sql: `insert into pending_orders (user_id, api_type, order_data, created_at, created_at_ist, status, side)
        ${NUMBERS} select ?, 'placeorder', ?, ?  - (? - i) * ${MINUTE_MS}, '', iif(i < ${PENDING}, 'pending', iif(i % 10 = 0, 'rejected', 'approved')), 'BUY' from n`,
      values: [from, to, USER, REQUEST, NOW, count],
    }))
    const approvals = await Approvals.open({
      database,
      clock: new VirtualClock(NOW),
      settings: { expirySeconds: 0, maxDriftPercent: 0 },
      events: { publishPaced: () => undefined },
      log: silentLogger,
      lastPrice: () => undefined,
      orderMode: () => 'semi_auto',
      hasApiKey: () => true,
      tradingMode: () => 'live',
      assistantsPropose: () => false,
      stopping: new AbortController().signal,
    })
    const lists = {
      'default page': { status: 'all' },
      pending: { status: 'pending' },
      'of the last hour': { status: 'all', since: NOW - 60 * MINUTE_MS },
      'until a day of the past': { status: 'all', until: NOW - count * MINUTE_MS + 60 * MINUTE_MS },
    }
    return await rowsOf(run, `approvals, ${shown(count)} rows`, 10, lists, async (query) => {
      const { orders } = await approvals.list(USER, query)
      if (orders.length === 0) throw new Error('the list is empty')
      JSON.stringify(orders)
    })
  } finally {
    await database.close()
  }
}

async function journalRows(run: Run, count: number): Promise<Row[]> {
  const [{ OrderJournal }, { VirtualClock }] = [await loadOrders(), await loadTime()]
  const database = await openFile(run)
  try {
    await chunks(database, count, (from, to) => ({
      sql: `insert into order_journal (order_ref, user_id, api_type, source, mode, broker, state, symbol, exchange, action,
          quantity, product, strategy, request, order_id, created_at, updated_at)
        ${NUMBERS} select 'S' || i, ?, 'placeorder', 'api', 'live', 'simulated',
          iif(i < ${REJECTED}, 'rejected', 'filled'), 'SYMBOL' || (i % 20), 'NSE', 'BUY', '10', 'CNC',
          iif(i % 2 = 0, 'benchmark', iif(i < 10, 'rare', 'other' || (i % 9))), ?, 'O' || i, ? - (? - i) * ${MINUTE_MS}, ? from n`,
      values: [from, to, USER, REQUEST, NOW, count, NOW],
    }))
    const journal = new OrderJournal(database, new VirtualClock(NOW))
    const lists = {
      newest: {},
      'of a frequent state': { state: 'filled' as const },
      'of a rare state': { state: 'rejected' as const },
      'of a strategy': { strategy: 'benchmark' },
      'of a rarely used strategy': { strategy: 'rare' },
    }
    return await rowsOf(run, `journal, ${shown(count)} rows`, 5, lists, async (query) => {
      if ((await journal.list(USER, 100, query)).length === 0) throw new Error('the list is empty')
    })
  } finally {
    await database.close()
  }
}

async function rowsOf<Query>(
  run: Run,
  title: string,
  goalMs: number,
  lists: Readonly<Record<string, Query>>,
  read: (query: Query) => Promise<void>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, query] of Object.entries(lists)) {
    const took: number[] = []
    for (let round = 0; round <= run.rounds(30, 10); round++) took.push(await timed(() => read(query)))
    // The first round warms up.
    const value = median(took.slice(1))
    rows.push({ name: `${title}, ${name}`, value, unit: 'ms', goal: { of: 'value', atMost: goalMs } })
  }
  return rows
}

async function openFile(run: Run): Promise<Database> {
  const { Database } = await loadStorage()
  return Database.open({ file: join(run.folder(), 'svc.db'), schema: 'svc' })
}

const CHUNK = 20_000
const NUMBERS = 'with recursive n(i) as (select ? union all select i + 1 from n where i + 1 < ?)'
const REQUEST =
  '{"strategy":"benchmark","symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":10,"pricetype":"MARKET","product":"CNC","price":0,"trigger_price":0,"disclosed_quantity":0}'

async function chunks(
  database: Database,
  count: number,
  insertOf: (from: number, to: number) => { sql: string; values: (string | number)[] },
): Promise<void> {
  for (let from = 0; from < count; from += CHUNK) {
    const { sql, values } = insertOf(from, Math.min(from + CHUNK, count))
    await database.write((tx) => tx.exec(sql, values))
  }
}

const shown = (count: number) => count.toLocaleString('en-US')
