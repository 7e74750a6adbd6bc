import { desc, sql } from 'drizzle-orm'
import { BatchStatement, type Database } from '../storage/index.js'
import { orderLatency } from '../storage/tables/logs/latency.js'
import { percentile, percentileIndexes } from './percentile.js'

/** Request types that are orders. Their rows are kept forever, and only they count in the statistics. */
const ORDER_TYPES = [
  'PLACE',
  'SMART',
  'MODIFY',
  'CANCEL',
  'CLOSE',
  'CANCEL_ALL',
  'BASKET',
  'SPLIT',
  'OPTIONS',
  'OPTIONS_MULTI',
  'GTT_PLACE',
  'GTT_MODIFY',
  'GTT_CANCEL',
] as const

export const latencyInsert = new BatchStatement({
  table: 'order_latency',
  columns: [
    'timestamp',
    'order_id',
    'user_id',
    'broker',
    'symbol',
    'order_type',
    'rtt_ms',
    'validation_latency_ms',
    'response_latency_ms',
    'overhead_ms',
    'total_latency_ms',
    'status',
    'error',
  ],
})

export interface LatencyAggregate {
  broker: string
  total: number
  failed: number
  sumRtt: number
  sumOverhead: number
  sumTotal: number
  under100: number
  under150: number
  under200: number
}

/** Percentile values by percentile number. */
export type Percentiles = Readonly<Record<number, number>>

const PERCENTILES = [50, 90, 95, 99] as const
const IS_ORDER = `order_type in (${ORDER_TYPES.map((type) => `'${type}'`).join(', ')})`
const PURGE_CHUNK = 2000

/** All SQL of the latency table. */
export class LatencyStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the newest rows, newest first. */
  list(limit: number) {
    return this.#db.read
      .select()
      .from(orderLatency)
      .orderBy(desc(orderLatency.timestamp), desc(orderLatency.id))
      .limit(limit)
  }

  /** Returns sums over all orders by broker (empty text if there was no broker). */
  aggregates(): Promise<LatencyAggregate[]> {
    const total = orderLatency.totalLatencyMs
    const under = (ms: number) => sql<number>`sum(${total} < ${ms})`
    return this.#db.read
      .select({
        broker: sql<string>`coalesce(${orderLatency.broker}, '')`.as('name'),
        total: sql<number>`count(*)`.as('n'),
        failed: sql<number>`sum(${orderLatency.status} = 'FAILED')`.as('failed'),
        sumRtt: sql<number>`sum(${orderLatency.rttMs})`.as('sum_rtt'),
        sumOverhead: sql<number>`sum(${orderLatency.overheadMs})`.as('sum_overhead'),
        sumTotal: sql<number>`sum(${total})`.as('sum_total'),
        under100: under(100).as('under_100'),
        under150: under(150).as('under_150'),
        under200: under(200).as('under_200'),
      })
      .from(orderLatency)
      .where(sql.raw(IS_ORDER))
      .groupBy(sql`1`)
  }

  /**
   * Returns percentiles of the total latency of orders since an instant, by broker; the key `undefined` has
   * those of all orders.
   */
  async percentiles(since: number): Promise<Map<string | undefined, Percentiles>> {
    const brokers = await this.#db.queryRaw(
      `select coalesce(broker, '') as name, count(*) as n from order_latency
       where ${IS_ORDER} and timestamp >= ? group by 1`,
      [since],
    )
    const found = new Map<string | undefined, Percentiles>()
    let all = 0
    // One query after the other, because parallel sorts could occupy every reader that the log views need.
    for (const { name, n } of brokers) {
      all += Number(n)
      found.set(String(name), await this.#percentilesOf(since, Number(n), String(name)))
    }
    const [only] = found.values()
    if (only) found.set(undefined, found.size === 1 ? only : await this.#percentilesOf(since, all))
    return found
  }

  /** SQLite does the sorting, on its own thread. Only the few values next to a percentile are returned. */
  async #percentilesOf(since: number, n: number, broker?: string): Promise<Percentiles> {
    const indexes = [...new Set(PERCENTILES.flatMap((p) => percentileIndexes(p, n)))]
    const ofBroker = broker === undefined ? '' : "and coalesce(broker, '') = ?"
    const rows = await this.#db.queryRaw(
      `select i, ms from (
         select row_number() over (order by total_latency_ms) - 1 as i, total_latency_ms as ms from order_latency
         where ${IS_ORDER} and timestamp >= ? ${ofBroker}
       ) where i in (select value from json_each(?))`,
      [since, ...(broker === undefined ? [] : [broker]), JSON.stringify(indexes)],
    )
    const values = new Map(rows.map((row) => [Number(row.i), Number(row.ms)]))
    return Object.fromEntries(
      PERCENTILES.map((p) => [p, percentile(p, n, (index) => values.get(index) ?? 0)]),
    )
  }

  /** Deletes rows of non-order requests older than an instant. Returns the number of deleted rows. */
  async purge(before: number): Promise<number> {
    let removed = 0
    for (;;) {
      const { changes } = await this.#db.write((tx) =>
        tx.exec(
          `delete from order_latency where id in
             (select id from order_latency where not (${IS_ORDER}) and timestamp < ? limit ?)`,
          [before, PURGE_CHUNK],
        ),
      )
      removed += changes
      if (changes < PURGE_CHUNK) return removed
    }
  }
}
