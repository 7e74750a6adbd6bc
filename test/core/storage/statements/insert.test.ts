import { getTableColumns, getTableName, is } from 'drizzle-orm'
import {
  integer,
  primaryKey,
  real,
  type SQLiteColumn,
  SQLiteTable,
  sqliteTable,
  text,
} from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import * as exchange from '../../../../src/core/brokers/simulated/exchange/tables.js'
import { allBut, Database, insertInto, type SchemaName } from '../../../../src/core/storage/index.js'
import * as latency from '../../../../src/core/storage/tables/logs/latency.js'
import * as mcp from '../../../../src/core/storage/tables/logs/mcp.js'
import * as orderLogs from '../../../../src/core/storage/tables/logs/order-logs.js'
import * as trackers from '../../../../src/core/storage/tables/logs/trackers.js'
import * as traffic from '../../../../src/core/storage/tables/logs/traffic.js'
import * as accounts from '../../../../src/core/storage/tables/sandbox/accounts.js'
import * as gtt from '../../../../src/core/storage/tables/sandbox/gtt.js'
import * as jobs from '../../../../src/core/storage/tables/sandbox/jobs.js'
import * as sandboxOrders from '../../../../src/core/storage/tables/sandbox/orders.js'
import * as approvals from '../../../../src/core/storage/tables/svc/approvals.js'
import * as audit from '../../../../src/core/storage/tables/svc/audit.js'
import * as flows from '../../../../src/core/storage/tables/svc/flows.js'
import * as identity from '../../../../src/core/storage/tables/svc/identity.js'
import * as instruments from '../../../../src/core/storage/tables/svc/instruments.js'
import * as messages from '../../../../src/core/storage/tables/svc/messages.js'
import * as orders from '../../../../src/core/storage/tables/svc/orders.js'
import * as strategies from '../../../../src/core/storage/tables/svc/strategies.js'
import { chance, rounds } from '../../../support/chance/chance.js'
import { tempFile } from '../../../support/files/temp.js'

const notes = sqliteTable(
  'notes',
  {
    owner: text('owned_by').notNull(),
    place: integer('at_place').notNull(),
    body: text(),
    size: real('body_size').notNull().default(0),
    isRead: integer('is_read', { mode: 'boolean' }).notNull().default(false),
    tags: text('all_tags', { mode: 'json' }).$type<fc.JsonValue>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.place] })],
)
const NOTES = `create table notes (owned_by text not null, at_place integer not null, body text,
  body_size real not null default 0, is_read integer not null default false, all_tags text not null,
  primary key (owned_by, at_place))`
const NOTE = { owner: 'asha', place: 1, body: 'first', size: 2.5, isRead: true, tags: ['a'] }

async function open(schema: SchemaName | undefined, statements: readonly string[] = []): Promise<Database> {
  const db = await Database.open({ file: tempFile(), schema })
  onTestFinished(() => db.close())
  await db.write(async (tx) => {
    for (const statement of statements) await tx.exec(statement)
  })
  return db
}

/** Returns a value that no other column of its table gets. */
function sample({ columnType, dataType, primary }: SQLiteColumn, place: number) {
  if (dataType === 'json') return [`a "member" of ${place}`, null]
  if (dataType === 'boolean') return true
  if (dataType === 'string') return `text ${place}`
  // Some tables have one row, with the id 1.
  if (primary) return 1
  return columnType === 'SQLiteReal' ? place + 0.25 : place + 100
}

const tablesOf = (...modules: object[]) =>
  modules.flatMap((module) => Object.values(module).filter((value) => is(value, SQLiteTable)))

test.each<{ file: string; schema: SchemaName | undefined; statements?: string[]; tables: SQLiteTable[] }>([
  {
    file: 'svc',
    schema: 'svc',
    tables: tablesOf(approvals, audit, flows, identity, instruments, messages, orders, strategies),
  },
  { file: 'logs', schema: 'logs', tables: tablesOf(latency, mcp, orderLogs, trackers, traffic) },
  { file: 'sandbox', schema: 'sandbox', tables: tablesOf(accounts, gtt, jobs, sandboxOrders) },
  { file: 'exchange', schema: undefined, statements: exchange.SCHEMA, tables: tablesOf(exchange) },
])('every column of the tables of $file gets its own value', async ({ schema, statements, tables }) => {
  const db = await open(schema, statements)
  for (const table of tables) {
    const columns = Object.entries(getTableColumns(table))
    const row = Object.fromEntries(columns.map(([member, column], place) => [member, sample(column, place)]))
    const rows = insertInto(table, allBut(table)).rows([row])
    await db.batch(rows)
    expect(await db.read.select().from(table), getTableName(table)).toEqual([row])
    await db.write(async (tx) => {
      await tx.delete(table)
      await tx.batch(rows)
    })
    expect(await db.read.select().from(table), getTableName(table)).toEqual([row])
  }
})

const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\0', "'", '"', '?', '$&', '\\', '\n', '₹', ';', 'a') }),
)
/** Of numbers with more decimals, SQLite reads one in ten thousand from its text with another last digit. */
const NUMBER = fc.oneof(
  fc.maxSafeInteger(),
  fc.tuple(fc.integer(), fc.nat(4)).map(([whole, places]) => whole / 10 ** places),
)
const ROW = fc.record({
  owner: TEXT,
  body: fc.option(TEXT),
  size: NUMBER,
  isRead: fc.boolean(),
  tags: fc.jsonValue().filter((value) => value !== null),
})

test('a row is read as it was written, as text of a statement and as its parameter', async () => {
  const db = await open(undefined, [NOTES])
  const insert = insertInto(notes, allBut(notes))
  const stored = () => db.read.select().from(notes).orderBy(notes.place)
  await fc.assert(
    fc.asyncProperty(fc.array(ROW, { minLength: 1, maxLength: 5 }), async (made) => {
      const rows = made.map((row, place) => ({ ...row, place }))
      const written = made.map((row, place) => ({
        ...row,
        place,
        tags: JSON.parse(JSON.stringify(row.tags)),
      }))
      await db.write((tx) => tx.delete(notes))
      await db.batch(insert.rows(rows))
      expect(await stored()).toEqual(written)
      await db.write(async (tx) => {
        await tx.delete(notes)
        await tx.batch(insert.rows(rows))
      })
      expect(await stored()).toEqual(written)
    }),
    { numRuns: rounds(60), seed: chance('insert').seed },
  )
})

test('columns that are not named get their defaults, and other members of a row are left out', async () => {
  const db = await open(undefined, [NOTES])
  const insert = insertInto(notes, ['tags', 'place', 'owner'])
  await db.batch(insert.rows([NOTE]))
  const unnamed = { body: null, size: 0, isRead: false }
  expect(await db.read.select().from(notes)).toEqual([{ ...NOTE, ...unnamed }])
})

test('a row has the values of the moment at which it was given', async () => {
  const db = await open(undefined, [NOTES])
  const tags = ['a']
  const note = { ...NOTE, tags }
  const rows = insertInto(notes, allBut(notes)).rows([note])
  note.body = 'changed'
  tags.push('changed')
  await db.batch(rows)
  expect(await db.read.select().from(notes)).toEqual([NOTE])
})

test.each([
  {
    does: 'replaces all but the key',
    clause: {},
    stored: { body: 'second', size: 4, isRead: false, tags: [] },
  },
  { does: 'replaces the named columns', clause: { replace: ['body'] as const }, stored: { body: 'second' } },
  {
    does: 'adds to the named columns, and replaces the rest',
    clause: { add: ['size'] as const },
    stored: { body: 'second', size: 6.5, isRead: false, tags: [] },
  },
  { does: 'changes nothing', clause: { replace: [] }, stored: {} },
])('a row whose key is stored $does', async ({ clause, stored }) => {
  const db = await open(undefined, [NOTES])
  const insert = insertInto(notes, allBut(notes), { key: ['owner', 'place'], ...clause })
  const second = { ...NOTE, body: 'second', size: 4, isRead: false, tags: [] }
  await db.batch(insert.rows([NOTE]))
  await db.batch(insert.rows([second, { ...second, place: 2 }]))
  const rows = await db.read.select().from(notes).orderBy(notes.place)
  expect(rows).toEqual([
    { ...NOTE, ...stored },
    { ...second, place: 2 },
  ])
})

test('the compiler refuses an insert without a needed column, and a row without a member or of another type', () => {
  // @ts-expect-error a note needs its tags
  insertInto(notes, ['owner', 'place'])
  // @ts-expect-error a note has no such column
  expect(() => insertInto(notes, ['owner', 'place', 'tags', 'colour'])).toThrow('notes has no column colour')
  const insert = insertInto(notes, ['owner', 'place', 'tags', 'body'])
  // @ts-expect-error a named column needs a value
  insert.rows([{ owner: 'asha', place: 1, tags: [] }])
  // @ts-expect-error a place is a number
  insert.rows([{ owner: 'asha', place: '1', tags: [], body: null }])
  // @ts-expect-error the key has only columns of the insert
  insertInto(notes, ['owner', 'place', 'tags'], { key: ['body'] })
  // @ts-expect-error a function is no value
  expect(() => insert.rows([{ owner: 'asha', place: () => 1, tags: [], body: null }])).toThrow(TypeError)
})
