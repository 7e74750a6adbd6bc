import {
  and,
  asc,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNull,
  max,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { crashPoint } from '../../errors/index.js'
import { symbolKey } from '../../market/schema.js'
import { fromColumn } from '../../money/index.js'
import { type Database, RowsStatement, type StatementRows } from '../../storage/index.js'
import {
  sandboxConfig,
  sandboxDailyPnl,
  sandboxFunds,
  sandboxHoldings,
  sandboxPositions,
} from '../../storage/tables/sandbox/accounts.js'
import { sandboxGtt, sandboxGttLegs } from '../../storage/tables/sandbox/gtt.js'
import { sandboxJobs } from '../../storage/tables/sandbox/jobs.js'
import { sandboxOrderIds, sandboxOrders, sandboxTrades } from '../../storage/tables/sandbox/orders.js'
import { positionKey } from '../engine/new-order.js'
import { newAccount, SandboxState } from '../engine/state.js'
import { OWN_STRATEGIES } from '../own-strategies.js'
import type {
  SandboxDailyPnl,
  SandboxGtt,
  SandboxHolding,
  SandboxOrder,
  SandboxPosition,
  SandboxTrade,
} from '../schema.js'
import type { Changes } from './changes.js'
import {
  CONFIG,
  DAILY_PNL,
  FUNDS,
  GTT_LEGS,
  GTTS,
  HOLDINGS,
  JOBS,
  ORDERS,
  ofDailyPnl,
  ofFunds,
  ofGtt,
  ofHolding,
  ofLegs,
  ofOrder,
  ofPosition,
  ofTrade,
  POSITIONS,
  TRADES,
  toDailyPnl,
  toFunds,
  toGtt,
  toHolding,
  toOrder,
  toPosition,
} from './rows.js'

/** The age at which marks of jobs are deleted. The latest mark of a job stays, whatever its age. */
const JOBS_KEPT_MS = 60 * 86_400_000
/** SQLite's value for "no limit". */
const NO_LIMIT = -1

/** All SQL of the sandbox. */
export class SandboxStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Writes the changes of decisions in one transaction: an order, its trade, position and funds, or none of
   * them.
   */
  write(take: () => Changes): Promise<void> {
    let fills = 0
    return this.#db.script(
      () => {
        const changes = take()
        fills = changes.trades.size
        return statementsOf(changes)
      },
      () => {
        if (fills > 0) crashPoint('fills.apply.midTransaction')
      },
    )
  }

  /** Returns the accounts and waiting orders as they are on disk. */
  async load(): Promise<SandboxState> {
    const read = this.#db.read
    const [funds, positions, holdings, gtts, jobs, waiting] = await Promise.all([
      read.select().from(sandboxFunds),
      read.select().from(sandboxPositions),
      read.select().from(sandboxHoldings),
      this.#gtts(
        or(
          eq(sandboxGtt.status, 'active'),
          inArray(
            sandboxGtt.gttId,
            read
              .select({ gttId: sandboxGttLegs.gttId })
              .from(sandboxGttLegs)
              .where(eq(sandboxGttLegs.status, 'triggering')),
          ),
        ),
      ),
      read.select().from(sandboxJobs).orderBy(asc(sandboxJobs.dueAt)),
      // Spelled like the partial index; SQLite would not use the index otherwise.
      read
        .select()
        .from(sandboxOrders)
        .where(sql`${sandboxOrders.status} in ('open', 'trigger pending')`)
        .orderBy(sandboxOrders.orderId),
    ])
    const state = new SandboxState()
    for (const row of funds) state.accounts.set(row.userId, newAccount(toFunds(row)))
    for (const row of positions) {
      const position = toPosition(row)
      state.accounts.get(row.userId)?.positions.set(positionKey(position), position)
      if (position.quantity !== 0) state.countOpen(symbolKey(position), 1)
    }
    for (const row of holdings) {
      state.accounts.get(row.userId)?.holdings.set(symbolKey(row), toHolding(row))
      if (row.quantity !== 0) state.countOpen(symbolKey(row), 1)
    }
    for (const row of waiting) state.addWaiting(toOrder(row))
    for (const gtt of gtts) state.addGtt(gtt)
    // Ascending, so that the latest mark of each job wins.
    for (const mark of jobs) state.jobs.set(mark.job, mark)
    return state
  }

  async order(orderId: string): Promise<SandboxOrder | undefined> {
    const rows = await this.#db.read.select().from(sandboxOrders).where(eq(sandboxOrders.orderId, orderId))
    return rows.map(toOrder)[0]
  }

  /** Returns the orders with these ids. */
  async ordersWith(orderIds: readonly string[]): Promise<SandboxOrder[]> {
    const ids = JSON.stringify(orderIds)
    const rows = await this.#db.read
      .select()
      .from(sandboxOrders)
      .where(sql`${sandboxOrders.orderId} in (select value from json_each(${ids}))`)
    return rows.map(toOrder)
  }

  /** Returns the orders that the runs of a strategy have sent since `from`, oldest first. */
  async ordersOf(userId: string, strategy: string, from: number): Promise<SandboxOrder[]> {
    const rows = await this.#db.read
      .select()
      .from(sandboxOrders)
      .where(
        and(
          eq(sandboxOrders.userId, userId),
          gte(sandboxOrders.createdAt, from),
          eq(sandboxOrders.strategy, strategy),
          eq(sandboxOrders.ofRun, true),
        ),
      )
      .orderBy(sandboxOrders.orderId)
    return rows.map(toOrder)
  }

  /**
   * Returns the orders accepted since `from`, newest first, and after them the earlier ones that still wait or have
   * filled since.
   */
  async orders(userId: string, from: number): Promise<SandboxOrder[]> {
    const chosen = [
      and(eq(sandboxOrders.userId, userId), gte(sandboxOrders.createdAt, from)),
      earlierOrders(userId, from),
    ]
    const [since, earlier] = await Promise.all(
      chosen.map((which) =>
        this.#db.read
          .select()
          .from(sandboxOrders)
          .where(which)
          .orderBy(desc(sandboxOrders.createdAt), desc(sandboxOrders.orderId)),
      ),
    )
    return [...(since ?? []), ...(earlier ?? [])].map(toOrder)
  }

  /** Counts the orders and GTTs placed since `from`, without those that GTTs sent and those of the sandbox itself. */
  async countPlaced(userId: string, from: number): Promise<number> {
    const read = this.#db.read
    const [[orders], [gtts]] = await Promise.all([
      read
        .select({ n: count() })
        .from(sandboxOrders)
        .where(
          and(
            eq(sandboxOrders.userId, userId),
            gte(sandboxOrders.createdAt, from),
            isNull(sandboxOrders.gttLegId),
            notInArray(sandboxOrders.strategy, [...OWN_STRATEGIES]),
          ),
        ),
      read
        .select({ n: count() })
        .from(sandboxGtt)
        .where(and(eq(sandboxGtt.userId, userId), gte(sandboxGtt.createdAt, from))),
    ])
    return (orders?.n ?? 0) + (gtts?.n ?? 0)
  }

  /** Returns the trades since `from`, newest first. */
  async trades(userId: string, from: number, limit = NO_LIMIT): Promise<SandboxTrade[]> {
    const rows = await this.#db.read
      .select()
      .from(sandboxTrades)
      .where(and(eq(sandboxTrades.userId, userId), gte(sandboxTrades.tradedAt, from)))
      .orderBy(desc(sandboxTrades.tradedAt), desc(sandboxTrades.tradeId))
      .limit(limit)
    return rows.map(({ id: _, ...row }) => ({ ...row, price: fromColumn(row.price) }))
  }

  async gtt(gttId: string): Promise<SandboxGtt | undefined> {
    return (await this.#gtts(eq(sandboxGtt.gttId, gttId)))[0]
  }

  /** Returns the newest `limit` days of an account, newest first. */
  async dailyPnl(userId: string, limit: number): Promise<SandboxDailyPnl[]> {
    const rows = await this.#db.read
      .select()
      .from(sandboxDailyPnl)
      .where(eq(sandboxDailyPnl.userId, userId))
      .orderBy(desc(sandboxDailyPnl.date))
      .limit(limit)
    return rows.map(toDailyPnl)
  }

  async #gtts(which: SQL | undefined): Promise<SandboxGtt[]> {
    const rows = await this.#db.read.select().from(sandboxGtt).where(which).orderBy(sandboxGtt.createdAt)
    if (rows.length === 0) return []
    const legs = await this.#db.read
      .select()
      .from(sandboxGttLegs)
      .where(
        inArray(
          sandboxGttLegs.gttId,
          rows.map(({ gttId }) => gttId),
        ),
      )
      .orderBy(sandboxGttLegs.gttId, sandboxGttLegs.legNumber)
    return rows.map((row) =>
      toGtt(
        row,
        legs.filter(({ gttId }) => gttId === row.gttId),
      ),
    )
  }

  /** Returns the highest id of an order, or the floor of the ids if that is higher. */
  async highestOrderId(): Promise<string | undefined> {
    const [[order], [ids]] = await Promise.all([
      this.#db.read.select({ highest: max(sandboxOrders.orderId) }).from(sandboxOrders),
      this.#db.read.select({ floor: sandboxOrderIds.floor }).from(sandboxOrderIds),
    ])
    return [order?.highest, ids?.floor]
      .flatMap((id) => id ?? [])
      .sort()
      .at(-1)
  }

  /** Stores an id that the next process stays above. */
  async raiseIdFloor(floor: string): Promise<void> {
    await this.#db.write((tx) => tx.exec(RAISE_ID_FLOOR, [floor]))
  }

  async settings(): Promise<[string, string][]> {
    const rows = await this.#db.read.select().from(sandboxConfig)
    return rows.map((row) => [row.key, row.value])
  }
}

/**
 * Selects a user's orders from before `from` that still wait or have filled since. The `+` keeps SQLite from reading all
 * of the user's history: the few waiting orders and the trades since are found by their own indexes.
 */
function earlierOrders(userId: string, from: number): SQL {
  return sql`${sandboxOrders.createdAt} < ${from} and ${sandboxOrders.orderId} in (
    select order_id from sandbox_orders where status in ('open', 'trigger pending') and +user_id = ${userId}
    union all select order_id from sandbox_trades where user_id = ${userId} and traded_at >= ${from})`
}

const HIGHER_FLOOR = 'on conflict (id) do update set floor = max(floor, excluded.floor)'
const RAISE_ID_FLOOR = `insert into sandbox_order_ids (id, floor) values (1, ?) ${HIGHER_FLOOR}`

/** Deletes every row of some users; each statement takes the list of users. Their ids are not used again. */
const RESETS = [
  `insert into sandbox_order_ids (id, floor) select 1, max(order_id) from sandbox_orders
    where user_id in (select value from json_each(?)) having max(order_id) is not null ${HIGHER_FLOOR}`,
  'delete from sandbox_gtt_legs where gtt_id in (select gtt_id from sandbox_gtt where user_id in (select value from json_each(?)))',
  ...[
    ...['sandbox_orders', 'sandbox_trades', 'sandbox_positions', 'sandbox_holdings', 'sandbox_daily_pnl'],
    ...['sandbox_gtt', 'sandbox_funds', 'strategy_legs'],
  ].map((table) => `delete from ${table} where user_id in (select value from json_each(?))`),
].map((sql) => new RowsStatement<string>(sql))
/** Deletes the totals of the strategies of users whose accounts begin again: their legs ended without a trade. */
const GONE_LEGS = new RowsStatement<string>(
  'delete from strategy_legs where user_id in (select value from json_each(?))',
)
const GONE_POSITIONS = new RowsStatement<
  Pick<SandboxPosition, 'userId' | 'symbol' | 'exchange' | 'product'>
>(`delete from sandbox_positions where (user_id, symbol, exchange, product) in
  (select value ->> 'userId', value ->> 'symbol', value ->> 'exchange', value ->> 'product' from json_each(?))`)
const GONE_HOLDINGS = new RowsStatement<
  Pick<SandboxHolding, 'userId' | 'symbol' | 'exchange'>
>(`delete from sandbox_holdings where (user_id, symbol, exchange) in
  (select value ->> 'userId', value ->> 'symbol', value ->> 'exchange' from json_each(?))`)
const REWOUND_JOBS = new RowsStatement<{ job: string; after: number }>(`delete from sandbox_jobs
  where exists (select 1 from json_each(?) where value ->> 'job' = job and due_at > value ->> 'after')`)
const OLD_JOBS =
  new RowsStatement<number>(`delete from sandbox_jobs where due_at < (select value from json_each(?)) and exists
  (select 1 from sandbox_jobs later where later.job = sandbox_jobs.job and later.due_at > sandbox_jobs.due_at)`)

function statementsOf(changes: Changes): StatementRows[] {
  const { gone } = changes
  const [job] = changes.jobs
  return [
    ...RESETS.map((statement) => statement.rows([...changes.resets])),
    GONE_LEGS.rows([...changes.restarts]),
    GONE_POSITIONS.rows(
      [...gone.positions].map(({ userId, symbol, exchange, product }) => ({
        userId,
        symbol,
        exchange,
        product,
      })),
    ),
    GONE_HOLDINGS.rows(
      [...gone.holdings].map(({ userId, symbol, exchange }) => ({ userId, symbol, exchange })),
    ),
    REWOUND_JOBS.rows(Array.from(changes.rewound, ([job, after]) => ({ job, after }))),
    ORDERS.rows(Array.from(changes.orders, ofOrder)),
    TRADES.rows(Array.from(changes.trades, ofTrade)),
    POSITIONS.rows(Array.from(changes.positions, ofPosition)),
    HOLDINGS.rows(Array.from(changes.holdings, ofHolding)),
    FUNDS.rows(Array.from(changes.funds, ofFunds)),
    CONFIG.rows(Array.from(changes.settings, ([key, value]) => ({ key, value }))),
    GTTS.rows(Array.from(changes.gtts, ofGtt)),
    GTT_LEGS.rows([...changes.gtts].flatMap(ofLegs)),
    DAILY_PNL.rows(Array.from(changes.dailyPnl, ofDailyPnl)),
    JOBS.rows(changes.jobs),
    OLD_JOBS.rows(job ? [job.ranAt - JOBS_KEPT_MS] : []),
  ]
}
