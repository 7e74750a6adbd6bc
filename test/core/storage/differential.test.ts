import { fileURLToPath } from 'node:url'
import { and, asc, count, desc, eq, gt, inArray, isNull, like, max, or, type SQL, sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import initSqlJs, { type Database as SqlJs, type SqlValue } from 'sql.js'
import { expect, onTestFinished, test } from 'vitest'
import { Database, type Db } from '../../../src/core/storage/index.js'
import { pendingOrders } from '../../../src/core/storage/tables/svc/approvals.js'
import { orderEvents, orderJournal } from '../../../src/core/storage/tables/svc/orders.js'
import { tempFile } from '../../support/files/temp.js'

const migrationsFolder = fileURLToPath(new URL('../../../src/core/storage/migrations/svc', import.meta.url))

/** A second SQLite driver. It returns rows as arrays, so columns of the same name cannot collide. */
function overArrays(sqlite: SqlJs): Db {
  return drizzle(async (text, params, method) => {
    const statement = sqlite.prepare(text, params as SqlValue[])
    const rows: unknown[][] = []
    while (statement.step()) rows.push(statement.get())
    statement.free()
    return { rows: method === 'get' ? (rows[0] ?? []) : rows }
  })
}

/** Kinds of queries that the stores use or may use. */
const QUERIES: Record<string, (db: Db) => PromiseLike<unknown>> = {
  'a whole table': (db) => db.select().from(orderJournal).orderBy(asc(orderJournal.orderRef)),
  'a table by state with a limit': (db) =>
    db
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.state, 'unknown'))
      .orderBy(orderJournal.createdAt, orderJournal.orderRef)
      .limit(7),
  'a join of tables that share column names': (db) =>
    db
      .select()
      .from(orderJournal)
      .innerJoin(orderEvents, eq(orderEvents.orderRef, orderJournal.orderRef))
      .orderBy(orderEvents.id),
  'a left join with nothing on the right': (db) =>
    db
      .select()
      .from(orderJournal)
      .leftJoin(pendingOrders, eq(pendingOrders.id, orderJournal.approvalId))
      .orderBy(orderJournal.orderRef),
  'chosen columns of both sides, in another order': (db) =>
    db
      .select({
        at: orderEvents.at,
        ref: orderJournal.orderRef,
        user: orderJournal.userId,
        eventRef: orderEvents.orderRef,
      })
      .from(orderEvents)
      .innerJoin(orderJournal, eq(orderJournal.orderRef, orderEvents.orderRef))
      .orderBy(desc(orderEvents.id))
      .limit(25)
      .offset(3),
  'groups with aggregates and having': (db) =>
    db
      .select({
        state: orderJournal.state,
        n: count().as('n'),
        newest: max(orderJournal.createdAt).as('newest'),
      })
      .from(orderJournal)
      .groupBy(orderJournal.state)
      .having(gt(count(), 1))
      .orderBy(orderJournal.state),
  'a sub-query': (db) =>
    db
      .select({ ref: orderJournal.orderRef })
      .from(orderJournal)
      .where(
        inArray(
          orderJournal.orderRef,
          db.select({ ref: orderEvents.orderRef }).from(orderEvents).where(eq(orderEvents.toState, 'filled')),
        ),
      )
      .orderBy(orderJournal.orderRef),
  'a common table expression': (db) => {
    const busy = db.$with('busy').as(
      db
        .select({ ref: orderEvents.orderRef, n: count().as('n') })
        .from(orderEvents)
        .groupBy(orderEvents.orderRef),
    )
    return db.with(busy).select({ n: busy.n, ref: busy.ref }).from(busy).orderBy(busy.ref)
  },
  'nulls, patterns and raw expressions': (db) =>
    db
      .select({
        one: sql<number>`1`.as('one'),
        ref: orderJournal.orderRef,
        quantity: sql<number>`cast(${orderJournal.quantity} as integer) * 2`.as('doubled'),
        orderId: orderJournal.orderId,
      })
      .from(orderJournal)
      .where(
        or(
          isNull(orderJournal.orderId),
          and(like(orderJournal.symbol, '%S%'), gt(orderJournal.lookups, 0)),
        ) as SQL,
      )
      .orderBy(orderJournal.orderRef),
  'a union': (db) =>
    db
      .select({ text: orderJournal.symbol })
      .from(orderJournal)
      .union(db.select({ text: orderEvents.toState }).from(orderEvents))
      .orderBy(sql`1`),
}

/** A small repeatable generator. Only the variety of the rows matters. */
function rows(seed: number) {
  let state = seed
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return (state >> 8) % below
  }
  const pick = <T>(values: readonly T[]) => values[next(values.length)] as T
  const states = ['sending', 'unknown', 'accepted', 'filled', 'rejected'] as const
  const journal = Array.from({ length: 60 }, (_, i) => ({
    orderRef: `S${String(i).padStart(4, '0')}`,
    userId: pick(['asha', 'ravi']),
    operation: 'placeorder',
    source: 'api',
    mode: pick(['live', 'analyze'] as const),
    broker: 'simulated',
    state: pick(states),
    symbol: pick(['SBIN', 'INFY', 'M&M', "O'X", '₹']),
    exchange: 'NSE',
    action: 'BUY',
    quantity: String(next(1000)),
    product: 'MIS',
    request: JSON.stringify({ n: next(9) }),
    orderId: pick([null, `B${i}`]),
    approvalId: pick([null, next(20) + 1]),
    reason: pick([null, '', 'because "so"']),
    lookups: next(3),
    createdAt: 1_700_000_000_000 + next(50),
    updatedAt: 1_700_000_000_000 + next(50),
  }))
  const events = journal.flatMap((order, i) =>
    Array.from({ length: next(4) }, (_, j) => ({
      id: i * 10 + j + 1,
      orderRef: order.orderRef,
      at: next(1_000_000),
      fromState: pick([null, ...states]),
      toState: pick(states),
      detail: pick([null, 'detail']),
    })),
  )
  return { journal, events }
}

test.each([1, 7, 2026])(
  'every shape of query gives the same rows on both drivers (rows %i)',
  async (seed) => {
    const ours = await Database.open({ file: tempFile(), schema: 'svc' })
    onTestFinished(() => ours.close())
    const SQL = await initSqlJs()
    const other = new SQL.Database()
    onTestFinished(() => other.close())
    for (const { sql: statements } of readMigrationFiles({ migrationsFolder })) {
      for (const statement of statements) other.run(statement)
    }
    const theirs = overArrays(other)

    const { journal, events } = rows(seed)
    await ours.write(async (tx) => {
      await tx.insert(orderJournal).values(journal)
      await tx.insert(orderEvents).values(events)
    })
    await theirs.insert(orderJournal).values(journal)
    await theirs.insert(orderEvents).values(events)

    for (const [name, query] of Object.entries(QUERIES)) {
      expect(await query(ours.read), name).toEqual(await query(theirs))
    }
  },
)
