import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import { allBut, containing, type Database, insertInto } from '../../storage/index.js'
import {
  IS_DATA_CALL,
  IS_ORDER,
  latencyTotals,
  ORDER_TYPES,
  orderLatency,
} from '../../storage/tables/logs/latency.js'
import type { LogPage, LogPosition } from '../page.js'
import { inPage } from '../page-store.js'
import { percentile, percentileIndexes } from './percentile.js'

export type LatencyRow = typeof orderLatency.$inferSelect
/** The columns that a measurement fills. */
export type LatencyValues = Omit<LatencyRow, 'id' | 'requestBody' | 'responseBody'>
export type LatencyTotals = typeof latencyTotals.$inferSelect

export interface LatencyFilter {
  broker?: string | undefined
  orderType?: string | undefined
  status?: 'SUCCESS' | 'FAILED' | undefined
  /** Text to find in the id of the order, the symbol, the type, the broker or the error, ignoring case. */
  search?: string | undefined
}

/** The orders of a broker and type in a period. */
interface LatencyGroup {
  broker: string
  orderType: string
  count: number
  sumRtt: number
  minRtt: number
  maxRtt: number
}

/** Percentile values by percentile number. */
export type Percentiles = Readonly<Record<number, number>>

const ROWS = insertInto(orderLatency, allBut(orderLatency, 'id', 'requestBody', 'responseBody'))
const TOTALS = insertInto(latencyTotals, allBut(latencyTotals), {
  key: ['broker', 'orderType'],
  add: ['total', 'failed', 'sumRtt', 'sumOverhead', 'sumTotal', 'under100', 'under150', 'under200'],
})

const PERCENTILES = [50, 90, 95, 99] as const
const ORDERS: ReadonlySet<string> = new Set(ORDER_TYPES)
/** The SQL by which percentiles are grouped. */
const GROUPINGS = { all: `''`, broker: `coalesce(broker, '')`, type: 'order_type' } as const
const PURGE_CHUNK = 2000

/** All SQL of the latency tables. */
export class LatencyStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Stores rows, and adds those of orders to the totals, in one transaction. */
  insert(rows: readonly LatencyValues[]): Promise<void> {
    return this.#db.script(() => [ROWS.rows(rows), TOTALS.rows(totalsOf(rows))])
  }

  /** Returns the place of a row. */
  async place(rowId: number): Promise<LogPosition | undefined> {
    const { id, timestamp } = orderLatency
    const [row] = await this.#db.read.select({ id, timestamp }).from(orderLatency).where(eq(id, rowId))
    return row
  }

  /** Returns a page, newest first. */
  async list({ broker, orderType, search, status, ...page }: LogPage & LatencyFilter): Promise<LatencyRow[]> {
    const { after, limit } = page
    const chosen: (SQL | undefined)[] = [
      broker === undefined ? undefined : eq(orderLatency.broker, broker),
      orderType === undefined ? undefined : eq(orderLatency.orderType, orderType),
      status === undefined ? undefined : eq(orderLatency.status, status),
      search === undefined
        ? undefined
        : containing(search, [
            orderLatency.orderId,
            orderLatency.symbol,
            orderLatency.orderType,
            orderLatency.broker,
            orderLatency.error,
          ]),
      ...inPage(orderLatency, page),
    ]
    const { id, timestamp } = orderLatency
    const order = after === undefined ? [desc(timestamp), desc(id)] : [asc(id)]
    const rows = await this.#db.read
      .select()
      .from(orderLatency)
      .where(and(...chosen))
      .orderBy(...order)
      .limit(limit)
    return after === undefined ? rows : rows.reverse()
  }

  /** Returns the sums over all orders, by broker and type. */
  totals(): Promise<LatencyTotals[]> {
    return this.#db.read.select().from(latencyTotals).orderBy(latencyTotals.broker, latencyTotals.orderType)
  }

  /** Returns the orders since an instant, by broker and type. */
  groups(since: number): Promise<LatencyGroup[]> {
    const { broker, orderType, rttMs, timestamp } = orderLatency
    return this.#db.read
      .select({
        broker: sql<string>`coalesce(${broker}, '')`.as('name'),
        orderType,
        count: sql<number>`count(*)`.as('n'),
        sumRtt: sql<number>`sum(${rttMs})`.as('sum_rtt'),
        minRtt: sql<number>`min(${rttMs})`.as('min_rtt'),
        maxRtt: sql<number>`max(${rttMs})`.as('max_rtt'),
      })
      .from(orderLatency)
      .where(and(sql.raw(IS_ORDER), sql`${timestamp} >= ${since}`))
      .groupBy(sql`1`, orderType)
  }

  /**
   * Returns percentiles of the total latency of orders since an instant, by group.
   * @param counts the number of orders of each group
   */
  async percentiles(
    since: number,
    by: keyof typeof GROUPINGS,
    counts: ReadonlyMap<string, number>,
  ): Promise<Map<string, Percentiles>> {
    const places = [...counts].flatMap(([name, n]) =>
      [...new Set(PERCENTILES.flatMap((p) => percentileIndexes(p, n)))].map(
        (index) => [name, index] as const,
      ),
    )
    const group = GROUPINGS[by]
    // SQLite does the sorting, on its own thread. Only the few values next to a percentile are returned.
    const rows = await this.#db.queryRaw(
      `select name, place, ms from (
         select ${group} as name, total_latency_ms as ms,
           row_number() over (partition by ${group} order by total_latency_ms) - 1 as place
         from order_latency where ${IS_ORDER} and timestamp >= ?
       ) where (name, place) in (select value ->> 0, value ->> 1 from json_each(?))`,
      [since, JSON.stringify(places)],
    )
    const values = new Map(rows.map((row) => [`${String(row.place)} ${String(row.name)}`, Number(row.ms)]))
    const of = (name: string, n: number): Percentiles => {
      const valueAt = (index: number) => values.get(`${index} ${name}`) ?? 0
      return Object.fromEntries(PERCENTILES.map((p) => [p, percentile(p, n, valueAt)]))
    }
    return new Map([...counts].map(([name, n]) => [name, of(name, n)]))
  }

  /** Returns the number of orders of a broker by range of the round trip: `width` ms each, from `lowest`. */
  async histogram(
    since: number,
    broker: string,
    { bins, lowest, width }: { bins: number; lowest: number; width: number },
  ): Promise<number[]> {
    const rows = await this.#db.queryRaw(
      `select min(?, cast((rtt_ms - ?) / ? as integer)) as bin, count(*) as n from order_latency
       where ${IS_ORDER} and timestamp >= ? and coalesce(broker, '') = ? group by 1`,
      [bins - 1, lowest, width, since, broker],
    )
    const counts = Array.from({ length: bins }, () => 0)
    for (const { bin, n } of rows) counts[Number(bin)] = Number(n)
    return counts
  }

  /** Deletes rows of data calls older than an instant. Returns the number of deleted rows. */
  async purge(before: number): Promise<number> {
    let removed = 0
    for (;;) {
      const { changes } = await this.#db.write((tx) =>
        tx.exec(
          `delete from order_latency where id in
             (select id from order_latency where ${IS_DATA_CALL} and timestamp < ? limit ?)`,
          [before, PURGE_CHUNK],
        ),
      )
      removed += changes
      if (changes < PURGE_CHUNK) return removed
    }
  }
}

/** Returns what a few rows add to the totals: one row for each broker and type. */
function totalsOf(rows: readonly LatencyValues[]): Iterable<LatencyTotals> {
  const totals = new Map<string, LatencyTotals>()
  for (const { broker, orderType, overheadMs, rttMs, status, totalLatencyMs } of rows) {
    if (!ORDERS.has(orderType)) continue
    const name = broker ?? ''
    const key = `${orderType} ${name}`
    const sums = totals.get(key) ?? emptyTotals(name, orderType)
    totals.set(key, sums)
    sums.total += 1
    if (status === 'FAILED') sums.failed += 1
    sums.sumRtt += rttMs
    sums.sumOverhead += overheadMs
    sums.sumTotal += totalLatencyMs
    if (totalLatencyMs < 100) sums.under100 += 1
    if (totalLatencyMs < 150) sums.under150 += 1
    if (totalLatencyMs < 200) sums.under200 += 1
  }
  return totals.values()
}

/** Returns totals of no orders. */
export function emptyTotals(broker: string, orderType: string): LatencyTotals {
  const sums = { total: 0, failed: 0, sumRtt: 0, sumOverhead: 0, sumTotal: 0 }
  return { broker, orderType, ...sums, under100: 0, under150: 0, under200: 0 }
}
