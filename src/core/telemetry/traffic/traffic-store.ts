import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import { allBut, containing, type Database, insertInto } from '../../storage/index.js'
import { trafficLogs, trafficTotals } from '../../storage/tables/logs/traffic.js'
import type { LogPage, LogPosition } from '../page.js'
import { inPage } from '../page-store.js'

export type TrafficRow = typeof trafficLogs.$inferSelect
export type TrafficValues = Omit<TrafficRow, 'id'>
export type TrafficTotals = typeof trafficTotals.$inferSelect

export interface TrafficFilter {
  clientIp?: string | undefined
  method?: string | undefined
  statusCode?: number | undefined
  userId?: string | undefined
  /** True: only requests that were refused or failed (status 400 and above). */
  errors?: boolean | undefined
  /** Text to find in the path, the address, the host, the user or the error, ignoring case. */
  search?: string | undefined
}

const ROWS = insertInto(trafficLogs, allBut(trafficLogs, 'id'))
const TOTALS = insertInto(trafficTotals, allBut(trafficTotals), {
  key: ['day', 'kind'],
  add: ['total', 'errors', 'durationMs'],
})
/** Rows deleted per transaction, so that a purge never blocks the writer for long. */
const PURGE_CHUNK = 2000

/** All SQL of the traffic tables. */
export class TrafficStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Stores rows and what they add to the totals, in one transaction. */
  insert(rows: readonly TrafficValues[], totals: readonly TrafficTotals[]): Promise<void> {
    return this.#db.script(() => [ROWS.rows(rows), TOTALS.rows(totals)])
  }

  /** Returns the place of a row. */
  async place(rowId: number): Promise<LogPosition | undefined> {
    const { id, timestamp } = trafficLogs
    const [row] = await this.#db.read.select({ id, timestamp }).from(trafficLogs).where(eq(id, rowId))
    return row
  }

  /** Returns a page, newest first. */
  async list({
    clientIp,
    errors,
    method,
    search,
    statusCode,
    userId,
    ...page
  }: LogPage & TrafficFilter): Promise<TrafficRow[]> {
    const { after, limit } = page
    const { id, timestamp } = trafficLogs
    const chosen: (SQL | undefined)[] = [
      clientIp === undefined ? undefined : eq(trafficLogs.clientIp, clientIp),
      method === undefined ? undefined : eq(trafficLogs.method, method),
      statusCode === undefined ? undefined : eq(trafficLogs.statusCode, statusCode),
      userId === undefined ? undefined : eq(trafficLogs.userId, userId),
      // Written as in the index of errors, because SQLite uses it only for the same condition.
      errors ? sql`status_code >= 400` : undefined,
      search === undefined
        ? undefined
        : containing(search, [
            trafficLogs.path,
            trafficLogs.clientIp,
            trafficLogs.host,
            trafficLogs.userId,
            trafficLogs.error,
          ]),
      ...inPage(trafficLogs, page),
    ]
    const order = after === undefined ? [desc(timestamp), desc(id)] : [asc(id)]
    const rows = await this.#db.read
      .select()
      .from(trafficLogs)
      .where(and(...chosen))
      .orderBy(...order)
      .limit(limit)
    return after === undefined ? rows : rows.reverse()
  }

  /**
   * Returns the addresses that called a host, or a name below it, since an instant, without those of
   * {@link knownClients}.
   * @param host without characters that `like` reads as patterns
   */
  async clientsOf(host: string, since: number, limit: number): Promise<string[]> {
    const rows = await this.#db.queryRaw(
      `select client_ip as address from traffic_logs
       where timestamp >= ? and (host like ? or host like ? or host like ? or host like ?)
         and client_ip not in
           (select client_ip from traffic_logs where timestamp >= ? and user_id is not null)
       group by client_ip order by max(timestamp) desc limit ?`,
      [since, host, `${host}:%`, `%.${host}`, `%.${host}:%`, since, limit],
    )
    return rows.map(({ address }) => String(address))
  }

  /** Returns the addresses from which somebody called with a valid credential since an instant. */
  async knownClients(since: number): Promise<string[]> {
    const rows = await this.#db.queryRaw(
      'select distinct client_ip as address from traffic_logs where timestamp >= ? and user_id is not null',
      [since],
    )
    return rows.map(({ address }) => String(address))
  }

  /** Returns the totals by kind: the sums of at most a few hundred rows. */
  totals(): Promise<Omit<TrafficTotals, 'day'>[]> {
    const { durationMs, errors, kind, total } = trafficTotals
    return this.#db.read
      .select({
        kind,
        total: sql<number>`sum(${total})`.as('requests'),
        errors: sql<number>`sum(${errors})`.as('failed'),
        durationMs: sql<number>`sum(${durationMs})`.as('took'),
      })
      .from(trafficTotals)
      .groupBy(kind)
  }

  /**
   * Deletes the requests before an instant, and the totals of the days before.
   * @param day the day that begins at the instant
   */
  async purge(before: number, day: number): Promise<number> {
    await this.#db.write((tx) => tx.exec('delete from traffic_totals where day < ?', [day]))
    let removed = 0
    for (;;) {
      const { changes } = await this.#db.write((tx) =>
        tx.exec(
          `delete from traffic_logs where id in
             (select id from traffic_logs where timestamp < ? order by timestamp limit ?)`,
          [before, PURGE_CHUNK],
        ),
      )
      removed += changes
      if (changes < PURGE_CHUNK) return removed
    }
  }
}
