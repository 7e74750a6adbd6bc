import { and, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import { BatchStatement, type Database } from '../storage/index.js'
import { analyzerLogs, orderLogs } from '../storage/tables/logs/order-logs.js'

/** Live orders, or those answered by the sandbox. */
export type OrderLogKind = 'live' | 'analyze'

const TABLES = { live: orderLogs, analyze: analyzerLogs } as const
const TABLE_NAMES = { live: 'order_logs', analyze: 'analyzer_logs' } as const
/** What the store needs of the logs database. */
export type LogsDatabase = Pick<Database, 'read' | 'write' | 'batch'>

/** Rows removed in one transaction, so that cleaning up never holds the writer for long. */
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

export interface OrderLogFilter {
  /** Epoch milliseconds, included. */
  from?: number | undefined
  /** Epoch milliseconds, excluded. */
  to?: number | undefined
  /** Found anywhere in the API type, the request or the response, whatever the case. */
  search?: string | undefined
}

export interface OrderLogPage extends OrderLogFilter {
  limit: number
  /** Rows to skip; for views that count pages. */
  offset?: number
  /** Begins after this row: the last one of the page before. */
  before?: Pick<OrderLogRow, 'createdAt' | 'id'>
}

/** One of the two log tables. Its rows hold no credentials: whoever adds them took those out. */
export class OrderLogStore {
  readonly insert: BatchStatement
  readonly #db: LogsDatabase
  readonly #kind: OrderLogKind
  #total: number | undefined

  constructor(db: LogsDatabase, kind: OrderLogKind) {
    this.#db = db
    this.#kind = kind
    this.insert = new BatchStatement({
      table: TABLE_NAMES[kind],
      columns: ['api_type', 'request_data', 'response_data', 'created_at'],
    })
  }

  /** Newest first. */
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

  /** All rows. Counted once, then kept up to date, so that a status answer costs no scan. */
  async total(): Promise<number> {
    if (this.#total === undefined) {
      // In the writer's queue, so that no row is counted twice or missed while it is being written.
      const rows = await this.#db.write((tx) =>
        tx.query(`select count(*) as n from ${TABLE_NAMES[this.#kind]}`),
      )
      this.#total ??= Number(rows[0]?.n ?? 0)
    }
    return this.#total
  }

  /** Rows that were added ({@link insert}) or, negative, removed. */
  changedBy(rows: number): void {
    if (this.#total !== undefined) this.#total += rows
  }

  /** Removes rows older than an instant. Returns how many. */
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

  #conditions({ from, to, search }: OrderLogFilter): (SQL | undefined)[] {
    const { createdAt, apiType, requestData, responseData } = TABLES[this.#kind]
    const wanted = search?.toLowerCase()
    return [
      from === undefined ? undefined : gte(createdAt, from),
      to === undefined ? undefined : lt(createdAt, to),
      wanted
        ? or(
            ...[apiType, requestData, responseData].map(
              (column) => sql`instr(lower(${column}), ${wanted}) > 0`,
            ),
          )
        : undefined,
    ]
  }

  #after(row: Pick<OrderLogRow, 'createdAt' | 'id'>): SQL | undefined {
    const { createdAt, id } = TABLES[this.#kind]
    return or(lt(createdAt, row.createdAt), and(eq(createdAt, row.createdAt), lt(id, row.id)))
  }
}
