import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Action } from '../orders/schema.js'
import { type Database, insertInto, nextIdIn, type Tx } from '../storage/index.js'
import { pendingOrders } from '../storage/tables/svc/approvals.js'
import { istStamp } from '../time/index.js'
import {
  APPROVAL_STATUSES,
  type ApprovalQuery,
  type ApprovalStatus,
  type BrokerStatus,
  type ExecutionState,
  type QueuedMode,
} from './schema.js'
import type { Counted } from './statistics.js'

export type PendingOrderRow = typeof pendingOrders.$inferSelect

interface NewPendingOrder {
  userId: string
  operation: string
  orderData: string
  createdAt: number
  side: Action | null
  createdLtp: number | null
  createdPrices: string | null
  queuedMode: QueuedMode
  expiresAt: number | null
  executionRef: string | null
  broker: string | null
}

/** The values that an execution stores on its row. */
export interface Bookkeeping {
  execution: ExecutionState
  brokerOrderId: string | null
  brokerStatus: BrokerStatus | null
  error: string | null
}

/** A decision: the row, the person and the time. */
interface Decision {
  id: number
  userId: string
  by: string
  at: number
}

const INSERT = insertInto(pendingOrders, [
  'id',
  'userId',
  'operation',
  'orderData',
  'createdAt',
  'createdAtIst',
  'status',
  'side',
  'createdLtp',
  'createdPrices',
  'queuedMode',
  'expiresAt',
  'executionRef',
  'broker',
])

/** Claims a row. When several callers try to decide it, exactly one changes the row. */
const CLAIM = `update pending_orders
  set status = 'approved', approved_at = ?, approved_at_ist = ?, approved_by = ?, execution = 'executing'
  where id = ? and user_id = ? and status = 'pending'`

const REJECT = `update pending_orders
  set status = 'rejected', rejected_at = ?, rejected_at_ist = ?, rejected_by = ?, rejected_reason = ?
  where id = ? and user_id = ? and status = 'pending'`

/** Records an execution once: a settled row does not change. */
const RECORD = `update pending_orders
  set execution = ?, broker_order_id = ?, broker_status = ?, execution_error = ?
  where id = ? and status = 'approved' and execution in ('executing', 'in_doubt')`

const PRICE = `update pending_orders set created_ltp = ?
  where id = ? and status = 'pending' and created_ltp is null`

const REMOVE = `delete from pending_orders
  where id = ? and user_id = ? and status <> 'pending'
    and (execution is null or execution not in ('executing', 'in_doubt'))
  returning user_id, status, api_type, side`

/** A queued row with its price, as its column stores it. */
export interface PricedRow {
  id: number
  createdLtp: number
}

/** A pending row that expires. */
export interface ExpiringRow {
  id: number
  userId: string
  createdAt: number
  lifetimeMs: number
}

/** All SQL of the approval queue. Each transition is one conditional update. */
export class ApprovalStore {
  readonly #db: Database
  #nextId: number
  #stamped = { second: -1, text: '' }

  private constructor(db: Database, nextId: number) {
    this.#db = db
    this.#nextId = nextId
  }

  static async open(db: Database): Promise<ApprovalStore> {
    return new ApprovalStore(db, await nextIdIn(db, 'pending_orders'))
  }

  /**
   * Stores a pending row and resolves with its id when it is durable. Concurrent calls share one statement.
   */
  async insert(row: NewPendingOrder, alongside?: (tx: Tx, id: number) => Promise<void>): Promise<number> {
    const id = this.#nextId++
    const createdAtIst = this.#stamp(row.createdAt)
    const rows = INSERT.rows([{ id, createdAtIst, status: 'pending', ...row }])
    if (!alongside) {
      await this.#db.batch(rows)
      return id
    }
    await this.#db.write(async (tx) => {
      await tx.batch(rows)
      await alongside(tx, id)
    })
    return id
  }

  async find(userId: string, id: number): Promise<PendingOrderRow | undefined> {
    const [row] = await this.#db.read
      .select()
      .from(pendingOrders)
      .where(and(eq(pendingOrders.id, id), eq(pendingOrders.userId, userId)))
    return row
  }

  /** Returns a row of any user: for the service's own work, never for a request. */
  async findAny(id: number): Promise<PendingOrderRow | undefined> {
    const [row] = await this.#db.read.select().from(pendingOrders).where(eq(pendingOrders.id, id))
    return row
  }

  /**
   * Returns a user's rows, newest first. It reads each status through its own index and merges them, so the
   * cost of a page depends on the page and not on the history.
   */
  page(
    userId: string,
    { status, ...filter }: ApprovalFilter,
    limit: number,
    before: number,
  ): Promise<PendingOrderRow[]> {
    const conditions = conditionsOf(filter)
    const statuses = status === 'all' ? APPROVAL_STATUSES : [status]
    const ids = statuses.map(
      (one): SQL => sql`select id from (select id from pending_orders
        where user_id = ${userId} and status = ${one} and id < ${before} ${conditions}
        order by id desc limit ${limit})`,
    )
    return this.#db.read
      .select()
      .from(pendingOrders)
      .where(sql`${pendingOrders.id} in (${sql.join(ids, sql` union all `)})`)
      .orderBy(sql`${pendingOrders.id} desc`)
      .limit(limit)
  }

  /** Returns the ids of a user's pending rows, oldest first. */
  async pendingIds(userId: string): Promise<number[]> {
    const rows = await this.#db.read
      .select({ id: pendingOrders.id })
      .from(pendingOrders)
      .where(and(eq(pendingOrders.userId, userId), eq(pendingOrders.status, 'pending')))
      .orderBy(pendingOrders.id)
    return rows.map((row) => row.id)
  }

  /** Counts the rows of each kind. It reads the whole table, so it runs only once, at start. */
  tallies(): Promise<(Counted & { count: number })[]> {
    const { userId, status, operation, side } = pendingOrders
    return this.#db.read
      .select({ userId, status, operation, side, count: sql<number>`count(*)`.as('n') })
      .from(pendingOrders)
      .groupBy(userId, status, operation, side)
  }

  /**
   * Claims a pending row for execution. `within` writes the caller's rows in the same transaction and returns
   * the reference to store; when it throws, the row stays pending. Returns undefined when another caller was
   * first.
   */
  claim<R extends string | null>(
    decision: Decision,
    within: (tx: Tx) => Promise<R>,
  ): Promise<{ ref: R } | undefined> {
    const { id, userId, by, at } = decision
    return this.#db.write(async (tx) => {
      const { changes } = await tx.exec(CLAIM, [at, istStamp(at), by, id, userId])
      if (changes !== 1) return undefined
      const ref = await within(tx)
      await tx.exec('update pending_orders set execution_ref = ? where id = ?', [ref, id])
      return { ref }
    })
  }

  /** Rejects a pending row. Returns false when the row was no longer pending. */
  reject(decision: Decision, reason: string): Promise<boolean> {
    return this.#db.write((tx) => rejectIn(tx, decision, reason))
  }

  /** Stores the prices of pending rows that have none. */
  price(rows: readonly PricedRow[]): Promise<void> {
    return this.#db.write(async (tx) => {
      for (const { id, createdLtp } of rows) await tx.exec(PRICE, [createdLtp, id])
    })
  }

  /** Removes a decided row whose execution is settled; returns undefined when there is no such row. */
  remove(userId: string, id: number): Promise<Counted | undefined> {
    return this.#db.write(async (tx) => {
      const [row] = await tx.query(REMOVE, [id, userId])
      return row && countedOf(row)
    })
  }

  /** Records the end of an execution, unless it is recorded already. */
  finish(id: number, record: Bookkeeping): Promise<boolean> {
    return this.#db.write((tx) => this.finishIn(tx, id, record))
  }

  async finishIn(tx: Tx, id: number, record: Bookkeeping): Promise<boolean> {
    const { execution, brokerOrderId, brokerStatus, error } = record
    const { changes } = await tx.exec(RECORD, [execution, brokerOrderId, brokerStatus, error, id])
    return changes === 1
  }

  /** Returns the pending rows that expire, the next one first. */
  async expiring(): Promise<ExpiringRow[]> {
    const { createdAt, expiresAt, id, userId } = pendingOrders
    const rows = await this.#db.read
      .select({ createdAt, expiresAt, id, userId })
      .from(pendingOrders)
      // Literals, so that SQLite can use the partial index.
      .where(sql`status = 'pending' and expires_at is not null`)
      .orderBy(expiresAt)
    return rows.map((row) => ({
      id: row.id,
      userId: row.userId,
      createdAt: row.createdAt,
      lifetimeMs: (row.expiresAt ?? row.createdAt) - row.createdAt,
    }))
  }

  /** Rejects expired rows. Returns those that nobody has decided meanwhile. */
  expire(
    due: readonly ExpiringRow[],
    { at, by, reasonOf }: { at: number; by: string; reasonOf: (lifetimeMs: number) => string },
  ): Promise<Decision[]> {
    return this.#db.write(async (tx) => {
      const decisions: Decision[] = []
      for (const { id, lifetimeMs, userId } of due) {
        const decision = { id, userId, by, at }
        if (await rejectIn(tx, decision, reasonOf(lifetimeMs))) decisions.push(decision)
      }
      return decisions
    })
  }

  /** Marks rows that a former process was executing as in doubt, and returns all rows in doubt. */
  async interrupted(): Promise<PendingOrderRow[]> {
    await this.#db.write((tx) =>
      tx.exec(`update pending_orders set execution = 'in_doubt' where execution = 'executing'`),
    )
    return this.#db.read
      .select()
      .from(pendingOrders)
      .where(sql`execution in ('executing', 'in_doubt')`)
      .orderBy(pendingOrders.id)
  }

  /**
   * Returns the IST text of an instant, cached: many orders arrive within a second, and formatting is
   * expensive.
   */
  #stamp(at: number): string {
    const second = Math.floor(at / 1000)
    if (second !== this.#stamped.second) this.#stamped = { second, text: istStamp(at) }
    return this.#stamped.text
  }
}

/** Which rows of the queue a list is limited to. */
export type ApprovalFilter = Omit<ApprovalQuery, 'status' | 'limit' | 'before'> & {
  status: ApprovalStatus | 'all'
}

function conditionsOf({ exchange, since, strategy, symbol, until }: Omit<ApprovalFilter, 'status'>): SQL {
  const member = (name: string, value: string | undefined) =>
    value === undefined ? [] : [sql`and order_data ->> ${`$.${name}`} = ${value}`]
  return sql.join(
    [
      ...(since === undefined ? [] : [sql`and created_at >= ${since}`]),
      ...(until === undefined ? [] : [sql`and created_at < ${until}`]),
      ...member('symbol', symbol),
      ...member('exchange', exchange),
      ...member('strategy', strategy),
    ],
    sql` `,
  )
}

async function rejectIn(tx: Tx, { id, userId, by, at }: Decision, reason: string): Promise<boolean> {
  const { changes } = await tx.exec(REJECT, [at, istStamp(at), by, reason, id, userId])
  return changes === 1
}

function countedOf(row: Record<string, unknown>): Counted {
  const side = row.side === 'BUY' || row.side === 'SELL' ? row.side : null
  const status = APPROVAL_STATUSES.find((one) => one === row.status) ?? 'rejected'
  return { userId: String(row.user_id), status, operation: String(row.api_type), side }
}
