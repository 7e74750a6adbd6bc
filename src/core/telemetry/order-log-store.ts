import { and, type Column, desc, gt, gte, lt, notInArray, type SQL, sql } from 'drizzle-orm'
import { allBut, containing, type Database, insertInto } from '../storage/index.js'
import { analyzerLogs, IS_REFUSED, orderLogs } from '../storage/tables/logs/order-logs.js'

/** Requests of Live mode, or of Analyzer mode. */
type OrderLogKind = 'live' | 'analyze'

const TABLES = { live: orderLogs, analyze: analyzerLogs } as const
const TABLE_NAMES = { live: 'order_logs', analyze: 'analyzer_logs' } as const
const INSERTS = {
  live: insertInto(orderLogs, allBut(orderLogs, 'id')),
  analyze: insertInto(analyzerLogs, allBut(analyzerLogs, 'id')),
} as const
/** The part of the logs database that the store uses. */
export type LogsDatabase = Pick<Database, 'read' | 'write' | 'batch'>

/** Rows deleted per transaction, so that a purge never blocks the writer for long. */
const PURGE_CHUNK = 2000

export interface OrderLogRow {
  id: number
  apiType: string
  /** JSON text. */
  requestData: string
  /** JSON text. */
  responseData: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** A row before it is stored. A text is JSON already. */
export interface NewOrderLog {
  apiType: string
  requestData: object
  responseData: object | string
  createdAt: number
}

export interface OrderLogFilter {
  /** Epoch milliseconds, inclusive. */
  from?: number | undefined
  /** Epoch milliseconds, exclusive. */
  to?: number | undefined
  /** Text to find in the API type, the request or the response, ignoring case. */
  search?: string | undefined
  /** True: only requests that were refused or failed. */
  errors?: boolean | undefined
  /** The API types to leave out. */
  without?: readonly string[] | undefined
}

/** The kinds of errors that the statistics of the analyzer log distinguish, by the text of the message. */
export type OrderLogIssue =
  | 'rate_limit'
  | 'invalid_symbol'
  | 'missing_quantity'
  | 'invalid_exchange'
  | 'other'

/** The number of rows with the same strategy, symbol and kind of error; null if there is none. */
export interface OrderLogTally {
  strategy: string | null
  symbol: string | null
  issue: OrderLogIssue | null
  total: number
}

export interface OrderLogPage extends OrderLogFilter {
  limit: number
  /** Rows to skip, for views with page numbers. */
  offset?: number
  /** Start after this row, the last one of the previous page. */
  before?: Pick<OrderLogRow, 'createdAt' | 'id'> | undefined
}

/** One of the two log tables. Callers remove credentials before they add a row. */
export class OrderLogStore {
  readonly #db: LogsDatabase
  readonly #kind: OrderLogKind
  #total: number | undefined

  constructor(db: LogsDatabase, kind: OrderLogKind) {
    this.#db = db
    this.#kind = kind
  }

  /** Stores rows with one statement. */
  insert(rows: readonly NewOrderLog[]): Promise<void> {
    return this.#db.batch(INSERTS[this.#kind].rows(rows.map(asStored)))
  }

  /** Returns a page, newest first. */
  list(page: OrderLogPage): Promise<OrderLogRow[]> {
    const table = TABLES[this.#kind]
    return this.#db.read
      .select()
      .from(table)
      .where(and(...this.#conditions(page), page.before ? this.#after(page.before) : undefined))
      .orderBy(desc(table.createdAt), desc(table.id))
      .limit(page.limit)
      .offset(page.offset ?? 0)
  }

  async count(filter: OrderLogFilter): Promise<number> {
    const [row] = await this.#db.read
      .select({ n: sql<number>`count(*)`.as('n') })
      .from(TABLES[this.#kind])
      .where(and(...this.#conditions(filter)))
    return row?.n ?? 0
  }

  /** Returns the rows added after a row, in the order in which they were added. */
  added(afterId: number, { limit, ...filter }: OrderLogFilter & { limit: number }): Promise<OrderLogRow[]> {
    const table = TABLES[this.#kind]
    return this.#db.read
      .select()
      .from(table)
      .where(and(gt(table.id, afterId), ...this.#conditions(filter)))
      .orderBy(table.id)
      .limit(limit)
  }

  /** Returns the id of the row that was added last; 0 if the log is empty. */
  async newestId(): Promise<number> {
    const [row] = await this.#db.read
      .select({ id: sql<number>`coalesce(max(${TABLES[this.#kind].id}), 0)`.as('id') })
      .from(TABLES[this.#kind])
    return row?.id ?? 0
  }

  /** Counts the rows since an instant by strategy, symbol and kind of error. */
  async tallies(since: number): Promise<OrderLogTally[]> {
    const { createdAt, requestData, responseData } = TABLES[this.#kind]
    const member = (json: Column, name: string) =>
      sql`cast(iif(json_valid(${json}), ${json}, '{}') ->> ${sql.raw(`'$.${name}'`)} as text)`
    const message = sql`lower(${member(responseData, 'message')})`
    const issue = sql<OrderLogIssue | null>`case
      when ${member(responseData, 'status')} is not 'error' then null
      when ${message} like '%rate limit%' then 'rate_limit'
      when ${message} like '%invalid symbol%' then 'invalid_symbol'
      when ${message} like '%quantity%' then 'missing_quantity'
      when ${message} like '%exchange%' then 'invalid_exchange'
      else 'other' end`
    const strategy = sql<string | null>`${member(requestData, 'strategy')}`
    const symbol = sql<string | null>`${member(requestData, 'symbol')}`
    return this.#db.read
      .select({
        strategy: strategy.as('strategy'),
        symbol: symbol.as('symbol'),
        issue: issue.as('issue'),
        total: sql<number>`count(*)`.as('total'),
      })
      .from(TABLES[this.#kind])
      .where(gte(createdAt, since))
      .groupBy(sql`1`, sql`2`, sql`3`)
      .orderBy(sql`1`, sql`2`, sql`3`)
  }

  /**
   * Returns the number of rows. It is counted once and then kept up to date, so that a status request needs
   * no scan.
   */
  async total(): Promise<number> {
    if (this.#total === undefined) {
      // The count runs in the writer's queue, so a row that is being written is neither counted twice nor
      // missed.
      const rows = await this.#db.write((tx) =>
        tx.query(`select count(*) as n from ${TABLE_NAMES[this.#kind]}`),
      )
      this.#total ??= Number(rows[0]?.n ?? 0)
    }
    return this.#total
  }

  /** Adjusts the count by the rows added ({@link insert}) or, if negative, deleted. */
  changedBy(rows: number): void {
    if (this.#total !== undefined) this.#total += rows
  }

  /** Deletes rows older than an instant. Returns the number of deleted rows. */
  async purge(before: number): Promise<number> {
    const name = TABLE_NAMES[this.#kind]
    let removed = 0
    for (;;) {
      const { changes } = await this.#db.write((tx) =>
        tx.exec(
          `delete from ${name} where id in (select id from ${name} where created_at < ? order by created_at limit ?)`,
          [before, PURGE_CHUNK],
        ),
      )
      this.changedBy(-changes)
      removed += changes
      if (changes < PURGE_CHUNK) return removed
    }
  }

  #conditions({ errors, from, to, search, without = [] }: OrderLogFilter): (SQL | undefined)[] {
    const { createdAt, apiType, requestData, responseData } = TABLES[this.#kind]
    return [
      // Its partial index has only these rows, so a rare error of a long log is found without reading the others.
      errors ? sql.raw(IS_REFUSED) : undefined,
      from === undefined ? undefined : gte(createdAt, from),
      to === undefined ? undefined : lt(createdAt, to),
      search ? containing(search, [apiType, requestData, responseData]) : undefined,
      without.length === 0 ? undefined : notInArray(apiType, [...without]),
    ]
  }

  /** A comparison of pairs uses the index; "earlier, or as early with a lower id" would read it from its end. */
  #after(row: Pick<OrderLogRow, 'createdAt' | 'id'>): SQL {
    const { createdAt, id } = TABLES[this.#kind]
    return sql`(${createdAt}, ${id}) < (${row.createdAt}, ${row.id})`
  }
}

function asStored({ apiType, requestData, responseData, createdAt }: NewOrderLog) {
  return { apiType, requestData: jsonOf(requestData), responseData: jsonOf(responseData), createdAt }
}

function jsonOf(data: object | string): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}
