import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Database } from '../../../src/core/storage/index.js'
import { BatchStatement } from '../../../src/core/storage/statements/batch.js'
import { tempFile } from '../../support/files/temp.js'
import { lockedElsewhere } from '../../support/process/lock.js'

const users = sqliteTable('users', { id: integer().primaryKey(), name: text().notNull() })
const orders = sqliteTable('orders', {
  id: integer().primaryKey(),
  userId: integer('user_id').notNull(),
  name: text().notNull(),
})

async function openDatabase(file = tempFile()): Promise<Database> {
  const db = await Database.open({ file, schema: undefined })
  onTestFinished(() => db.close())
  await db.write(async (tx) => {
    await tx.exec('create table if not exists users (id integer primary key, name text not null)')
    await tx.exec(
      'create table if not exists orders (id integer primary key, user_id integer not null, name text not null)',
    )
  })
  return db
}

describe('queries return the columns they name', () => {
  async function joined() {
    const db = await openDatabase()
    await db.write(async (tx) => {
      await tx.insert(users).values({ id: 7, name: 'asha' })
      await tx.insert(orders).values([
        { id: 1, userId: 7, name: 'NIFTY' },
        { id: 2, userId: 9, name: 'SBIN' },
      ])
    })
    return db
  }

  test('a join of tables with equal column names keeps both sides apart', async () => {
    const db = await joined()
    const rows = await db.read.select().from(orders).innerJoin(users, eq(orders.userId, users.id))
    expect(rows).toEqual([{ orders: { id: 1, userId: 7, name: 'NIFTY' }, users: { id: 7, name: 'asha' } }])
  })

  test('a left join gives null for the missing side, in the order asked for', async () => {
    const db = await joined()
    const rows = await db.read
      .select({ orderId: orders.id, userId: users.id, userName: users.name, orderName: orders.name })
      .from(orders)
      .leftJoin(users, eq(orders.userId, users.id))
      .orderBy(sql`${orders.id} desc`)
      .limit(2)
    expect(rows).toEqual([
      { orderId: 2, userId: null, userName: null, orderName: 'SBIN' },
      { orderId: 1, userId: 7, userName: 'asha', orderName: 'NIFTY' },
    ])
  })

  test('aliased raw expressions, groups and common table expressions keep their column positions', async () => {
    const db = await joined()
    const perUser = db.read.$with('per_user').as(
      db.read
        .select({ userId: orders.userId, n: sql<number>`count(*)`.as('n') })
        .from(orders)
        .groupBy(orders.userId),
    )
    const rows = await db.read
      .with(perUser)
      .select({ n: perUser.n, userId: perUser.userId, one: sql<number>`1`.as('one') })
      .from(perUser)
      .orderBy(perUser.userId)
    expect(rows).toEqual([
      { n: 1, userId: 7, one: 1 },
      { n: 1, userId: 9, one: 1 },
    ])
  })
})

describe('writes', () => {
  test("one caller's rollback never removes another's acknowledged row", async () => {
    const db = await openDatabase()
    const failing = db.write(async (tx) => {
      await tx.insert(users).values({ id: 1, name: 'half' })
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('changed my mind')
    })
    const other = db.write(async (tx) => {
      await tx.insert(users).values({ id: 2, name: 'whole' })
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await other
    expect(await db.read.select().from(users)).toEqual([{ id: 2, name: 'whole' }])
  })

  test('hundreds of concurrent transactions, some failing, lose nothing and see no half of another', async () => {
    const db = await openDatabase()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, (_, i) =>
        db.write(async (tx) => {
          const before = await tx.select({ n: sql<number>`count(*)`.as('n') }).from(orders)
          // Every transaction writes a pair, so an odd count would show half a transaction.
          expect((before[0]?.n ?? 0) % 2).toBe(0)
          await tx.insert(orders).values({ id: 2 * i, userId: i, name: 'first' })
          if (i % 3 === 0) throw new Error(`refused ${i}`)
          await tx.insert(orders).values({ id: 2 * i + 1, userId: i, name: 'second' })
          return i
        }),
      ),
    )
    outcomes.forEach((outcome, i) => {
      if (i % 3 === 0)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { message: `refused ${i}` } })
      else expect(outcome).toEqual({ status: 'fulfilled', value: i })
    })
    const rows = await db.read.select().from(orders).orderBy(orders.id)
    const expected = Array.from({ length: 600 }, (_, i) => i).filter((i) => i % 3 !== 0)
    expect(rows.map((row) => row.id)).toEqual(expected.flatMap((i) => [2 * i, 2 * i + 1]))
  })

  test('rows of many callers share one statement, and only the faulty caller is refused', async () => {
    const db = await openDatabase()
    const insert = new BatchStatement({ table: 'users', columns: ['id', 'name'] })
    await db.batch({ statement: insert, rows: [[5, 'taken']] })
    const outcomes = await Promise.allSettled(
      [1, 2, 5, 3].map((id) => db.batch({ statement: insert, rows: [[id, `user ${id} "quoted" ₹`]] })),
    )
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect((await db.read.select().from(users)).map((row) => row.id)).toEqual([1, 2, 3, 5])
    expect(await db.read.select().from(users).where(eq(users.id, 2))).toEqual([
      { id: 2, name: 'user 2 "quoted" ₹' },
    ])
  })

  test('statements that fail together affect no other job of the commit', async () => {
    const db = await openDatabase()
    const names = new BatchStatement({ table: 'users', columns: ['id', 'name'] })
    const pair = (id: number, second: number) => () => [
      { statement: names, rows: [[id, 'first']] },
      { statement: names, rows: [[second, 'second']] },
    ]
    for (const beside of [
      undefined,
      () => db.write(async (tx) => tx.insert(users).values({ id: 90, name: 'alone' })),
    ]) {
      await db.write(async (tx) => tx.delete(users))
      const outcomes = await Promise.allSettled([
        db.script(pair(1, 2)),
        db.script(pair(3, 3)),
        db.batch({ statement: names, rows: [[4, 'row']] }),
        db.script(pair(5, 6)),
        beside?.(),
      ])
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true])
      const rows = await db.read.select({ id: users.id }).from(users).orderBy(users.id)
      expect(rows.map(({ id }) => id)).toEqual([1, 2, 4, 5, 6, ...(beside ? [90] : [])])
    }
  })

  test.each([1, 2])(
    'a script whose rows cannot be made fails and is not asked again (%i in the commit)',
    async (jobs) => {
      const db = await openDatabase()
      const insert = new BatchStatement({ table: 'users', columns: ['id', 'name'] })
      let asked = 0
      const doomed = () => {
        asked += 1
        if (asked === 1) throw new RangeError('amount exceeds the maximum of the ledger')
        return [{ statement: insert, rows: [[1, 'of the next decision']] }]
      }
      const beside = jobs === 2 ? [db.script(() => [{ statement: insert, rows: [[2, 'beside']] }])] : []
      const outcomes = await Promise.allSettled([db.script(doomed), ...beside])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'].slice(0, jobs))
      expect(asked).toBe(1)
      expect((await db.read.select({ id: users.id }).from(users)).map(({ id }) => id)).toEqual(
        [2].slice(0, jobs - 1),
      )
    },
  )

  test('the rows of a script are requested once, when it begins, and the caller is notified once they are sent', async () => {
    const db = await openDatabase()
    const insert = new BatchStatement({ table: 'users', columns: ['id', 'name'] })
    const seen: string[] = []
    const rows: [number, string][] = [[1, 'early']]
    const written = db.script(
      () => {
        seen.push('asked')
        return [{ statement: insert, rows }]
      },
      () => seen.push('sent'),
    )
    rows.push([2, "joined, and it's quoted"])
    await written
    expect(seen).toEqual(['asked', 'sent'])
    const stored = await db.read.select({ name: users.name }).from(users).orderBy(users.id)
    expect(stored.map(({ name }) => name)).toEqual(['early', "joined, and it's quoted"])
  })

  test.each<{ name: string; value: string | number; stored: unknown }>([
    { name: 'a quote', value: "it's", stored: "it's" },
    {
      name: 'an attempt to end the statement',
      value: "'); delete from users; --",
      stored: "'); delete from users; --",
    },
    { name: 'a NUL in the middle', value: 'a\0b', stored: 'a\0b' },
    { name: 'a question mark', value: 'why?', stored: 'why?' },
    { name: 'what replacing text would take for a pattern', value: "$& $' $1", stored: "$& $' $1" },
    { name: 'letters of other scripts', value: '₹ नमस्ते 🚀', stored: '₹ नमस्ते 🚀' },
    { name: 'line ends', value: 'a\r\nb', stored: 'a\r\nb' },
    { name: 'a large integer', value: Number.MAX_SAFE_INTEGER, stored: String(Number.MAX_SAFE_INTEGER) },
    { name: 'a fraction', value: 0.1, stored: '0.1' },
  ])('a value is stored unchanged, however it is written: $name', async ({ value, stored }) => {
    const db = await openDatabase()
    const names = new BatchStatement({ table: 'users', columns: ['id', 'name'] })
    await Promise.all([
      db.batch({ statement: names, rows: [[1, value]] }),
      db.script(() => [{ statement: names, rows: [[2, value]] }]),
    ])
    await Promise.all([
      db.batch({ statement: names, rows: [[3, value]] }),
      db.write((tx) => tx.batch({ statement: names, rows: [[4, value]] })),
    ])
    const rows = await db.read.select({ name: users.name }).from(users)
    expect(rows.map(({ name }) => name)).toEqual([stored, stored, stored, stored])
  })

  test('a write inside a transaction is refused instead of waiting for itself', async () => {
    const db = await openDatabase()
    await expect(db.write(() => db.write(async () => 1))).rejects.toThrow('write inside a transaction')
  })

  describe('the limit of 10 s', () => {
    const limited = async () => {
      const db = await openDatabase()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      return db
    }

    test('applies to each statement: a long transaction that makes progress is stored', async () => {
      const db = await limited()
      await db.write(async (tx) => {
        for (let id = 1; id <= 3; id++) {
          await tx.insert(users).values({ id, name: 'asha' })
          vi.advanceTimersByTime(9_000)
        }
      })
      expect(await db.read.select({ id: users.id }).from(users)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    })

    test('undoes a transaction that waits for something else', async () => {
      const db = await limited()
      const stuck = db.write(async (tx) => {
        await tx.insert(users).values({ id: 1, name: 'asha' })
        vi.advanceTimersByTime(10_001)
        await new Promise(() => undefined)
      })
      await expect(stuck).rejects.toThrow('A database transaction took too long and was rolled back.')
      expect(await db.read.select().from(users)).toEqual([])
    })
  })

  test('SQL that cannot be prepared is an error, for its own caller alone', async () => {
    const db = await openDatabase()
    const outcomes = await Promise.allSettled([
      db.queryRaw('select 1 offset 5'),
      db.queryRaw('select * from nowhere'),
      db.write((tx) => tx.exec('insert into nowhere values (1)')),
      db.write((tx) => tx.insert(users).values({ id: 1, name: 'fine' })),
    ])
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(await db.read.select().from(users)).toHaveLength(1)
  })

  test('a handle does nothing after its transaction has ended', async () => {
    const db = await openDatabase()
    const kept = await db.write(async (tx) => ({ tx }))
    await expect(kept.tx.exec("insert into users values (1, 'late')")).rejects.toThrow('has ended')
    expect(await db.read.select().from(users)).toEqual([])
  })

  test('an acknowledged write is visible to the next query, and exists after reopening', async () => {
    const file = tempFile()
    const first = await openDatabase(file)
    await first.write((tx) => tx.insert(users).values({ id: 1, name: 'kept' }))
    expect(await first.read.select().from(users)).toHaveLength(1)
    const second = await openDatabase(file)
    expect(await second.read.select().from(users)).toEqual([{ id: 1, name: 'kept' }])
    expect(await second.queryRaw('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  test('simultaneous queries with the same new text leave no statement open', async () => {
    const file = tempFile()
    const db = await Database.open({ file, schema: undefined })
    await Promise.all(Array.from({ length: 40 }, (_, i) => db.queryRaw('select ? as n', [i])))
    await expect(db.close()).resolves.toBeUndefined()
  })

  test('writes accepted before closing are finished, later ones are refused', async () => {
    const file = tempFile()
    const db = await openDatabase(file)
    const accepted = db.write((tx) => tx.insert(users).values({ id: 1, name: 'accepted' }))
    const other = await Database.open({ file, schema: undefined })
    await other.close()
    await accepted
    await expect(other.write(async () => 1)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

test('a file locked by another process gives its own error, for rows and transactions, and stores nothing of them', async () => {
  const file = tempFile()
  const db = await openDatabase(file)
  const release = await lockedElsewhere(db, file)
  const insert = new BatchStatement({ table: 'users', columns: ['id', 'name'] })
  const writes = [
    db.batch({ statement: insert, rows: [[1, 'row']] }),
    db.write((tx) => tx.insert(users).values({ id: 2, name: 'transaction' })),
  ]
  const refused = { status: 'rejected', reason: { code: 'unavailable' } }
  expect(await Promise.allSettled(writes)).toMatchObject([refused, refused])
  await expect(db.batch({ statement: insert, rows: [[3, 'row alone']] })).rejects.toMatchObject({
    code: 'unavailable',
  })
  await release()
  await db.batch({ statement: insert, rows: [[4, 'kept']] })
  expect(await db.queryRaw('select id from users')).toEqual([{ id: 4 }])
})

test('every connection runs with WAL, full synchronisation, foreign keys and patience', async () => {
  const db = await openDatabase()
  const pragmas = (run: (sql: string) => Promise<Record<string, unknown>[]>) =>
    Promise.all(
      ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(async (name) => {
        const [row] = await run(`pragma ${name}`)
        return Object.values(row ?? {})[0]
      }),
    )
  expect(await db.write((tx) => pragmas((statement) => tx.query(statement)))).toEqual(['wal', 2, 1, 5000])
  expect(await pragmas((statement) => db.queryRaw(statement))).toEqual(['wal', 2, 1, 5000])
  expect(await pragmas((statement) => db.queryRaw(statement))).toEqual(['wal', 2, 1, 5000])
})
