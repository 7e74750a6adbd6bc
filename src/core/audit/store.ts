import { and, asc, desc, eq, gt, gte, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { crashPoint } from '../errors/index.js'
import { allBut, containing, type Database, insertInto, type Tx } from '../storage/index.js'
import {
  auditCursors,
  auditEntries,
  auditPending,
  auditSeal,
  IS_NOT_DONE,
} from '../storage/tables/svc/audit.js'
import type { AuditFilter, AuditRow, Cursor, Seal } from './schema.js'

const ROWS = insertInto(auditEntries, allBut(auditEntries))

/** Rows removed per transaction, so that an order never waits long for the writer. */
const PRUNE_CHUNK = 1000

/** The rows of one commit, and all that ends with it. */
export interface Appended {
  rows: readonly AuditRow[]
  /** The seal with which the trail ended before, and the one with which it ends now. */
  before: Pick<Seal, 'seq' | 'mac'>
  seal: Seal
  /** Acts whose beginning was noted. */
  ended: readonly number[]
  cursors: readonly Cursor[]
}

export interface AuditPage extends AuditFilter {
  limit: number
  /** Only rows before this one. */
  before?: number | undefined
  /** Only rows after this one. */
  after?: number | undefined
}

export type Readable = Pick<Database, 'read'>

/** The cursors as JSON, by source. One statement reads them with the seal, so that both are of one commit. */
const CURSORS = sql<string>`(
  select json_group_array(json_array(${auditCursors.source}, ${auditCursors.position}))
  from (select * from ${auditCursors} order by ${auditCursors.source}) as audit_cursors
)`.as('cursors')
const storedCursors = z.array(z.tuple([z.string(), z.string()]))

/** Reads the seal with the cursors that it covers, from the database of the service or a copy. */
export async function readSeal(db: Readable): Promise<Seal | undefined> {
  const { floorMac, floorSeq, mac, seq, signature } = auditSeal
  const [row] = await db.read
    .select({ floorSeq, floorMac, seq, mac, signature, cursors: CURSORS })
    .from(auditSeal)
    .where(eq(auditSeal.id, 1))
  if (!row) return undefined
  const cursors = storedCursors.parse(JSON.parse(row.cursors))
  return { ...row, cursors: cursors.map(([source, position]) => ({ source, position })) }
}

/** Returns whether a database has a trail, though perhaps an empty one. */
export async function hasTrail(db: Pick<Database, 'queryRaw'>): Promise<boolean> {
  const found = await db.queryRaw(
    "select 1 as found from sqlite_master where type = 'table' and name = 'audit_entries'",
  )
  return found.length > 0
}

/** Returns the last row that is stored, whatever the seal says. */
export async function lastIn(db: Readable): Promise<AuditRow | undefined> {
  const [row] = await db.read.select().from(auditEntries).orderBy(desc(auditEntries.seq)).limit(1)
  return row
}

/** Reads a page: newest first, or with `after` oldest first. */
export function readPage(db: Readable, { after, before, limit, ...filter }: AuditPage): Promise<AuditRow[]> {
  const { seq } = auditEntries
  return db.read
    .select()
    .from(auditEntries)
    .where(
      and(
        before === undefined ? undefined : lt(seq, before),
        after === undefined ? undefined : gt(seq, after),
        ...conditionsOf(filter),
      ),
    )
    .orderBy(after === undefined ? desc(seq) : asc(seq))
    .limit(limit)
}

const REPLACE_MACS = `update audit_entries set mac = given.mac
  from (select value ->> 0 as seq, value ->> 1 as mac from json_each(?)) as given
  where audit_entries.seq = given.seq`

/** Replaces the MACs of rows, in a transaction that also stores their seal. */
export async function replaceMacs(tx: Tx, rows: readonly Pick<AuditRow, 'seq' | 'mac'>[]): Promise<void> {
  await tx.exec(REPLACE_MACS, [JSON.stringify(rows.map(({ mac, seq }) => [seq, mac]))])
}

/** Adds rows, in a transaction that also stores their seal. */
export async function addRows(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  if (rows.length > 0) await tx.batch(ROWS.rows(rows))
}

/** Replaces the seal. Its cursors stay. */
export async function storeSeal(tx: Tx, { cursors: _, ...seal }: Seal): Promise<void> {
  await tx.update(auditSeal).set(seal).where(eq(auditSeal.id, 1))
}

/** All SQL of the audit trail. */
export class AuditStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  seal(): Promise<Seal | undefined> {
    return readSeal(this.#db)
  }

  /** Returns the last row that is stored, whatever the seal says. */
  last(): Promise<AuditRow | undefined> {
    return lastIn(this.#db)
  }

  /** Creates the seal with its cursors, or replaces one that is not to be trusted. */
  async replaceSeal({ cursors, ...seal }: Seal): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.delete(auditCursors)
      if (cursors.length > 0) await tx.insert(auditCursors).values([...cursors])
      await tx
        .insert(auditSeal)
        .values({ id: 1, ...seal })
        .onConflictDoUpdate({ target: auditSeal.id, set: seal })
    })
  }

  /**
   * Adds rows and moves the seal, in one transaction.
   * @throws Error when somebody else has moved the seal: two writers would fork the trail
   */
  append({ rows, before, seal, ended, cursors }: Appended): Promise<void> {
    return this.#db.write(async (tx) => {
      await moveSeal(tx, before, seal)
      await tx.batch(ROWS.rows(rows))
      if (ended.length > 0) await tx.delete(auditPending).where(inArray(auditPending.id, [...ended]))
      for (const cursor of cursors) {
        await tx
          .insert(auditCursors)
          .values(cursor)
          .onConflictDoUpdate({ target: auditCursors.source, set: { position: cursor.position } })
      }
    })
  }

  /** Notes that an act begins. @returns its id */
  begin(entry: string): Promise<number> {
    return this.#db.write(async (tx) => {
      const [row] = await tx.insert(auditPending).values({ entry }).returning({ id: auditPending.id })
      if (!row) throw new Error('the act has no id')
      return row.id
    })
  }

  /** Forgets an act that changed nothing. */
  async discard(id: number): Promise<void> {
    await this.#db.write((tx) => tx.delete(auditPending).where(eq(auditPending.id, id)))
  }

  pending(): Promise<(typeof auditPending.$inferSelect)[]> {
    return this.#db.read.select().from(auditPending).orderBy(auditPending.id)
  }

  /** Returns a page: newest first, or with `after` oldest first. */
  list(page: AuditPage): Promise<AuditRow[]> {
    return readPage(this.#db, page)
  }

  /**
   * Returns the rows about any of these objects, oldest first.
   * @param group the acts: `order` stands for `order.place`, too; the numbers of objects of other kinds are the same
   */
  about(targets: readonly string[], group: string, limit: number): Promise<AuditRow[]> {
    const { seq, target } = auditEntries
    return this.#db.read
      .select()
      .from(auditEntries)
      .where(and(inArray(target, [...targets]), isAct(group)))
      .orderBy(asc(seq))
      .limit(limit)
  }

  /** Returns the rows of a request, oldest first. */
  ofRequest(id: string, limit: number): Promise<AuditRow[]> {
    const { requestId, seq } = auditEntries
    return this.#db.read.select().from(auditEntries).where(eq(requestId, id)).orderBy(asc(seq)).limit(limit)
  }

  /** Returns the last row that is older than an instant, and before which no row is newer. */
  async lastBefore(at: number, newest: number): Promise<AuditRow | undefined> {
    const [first] = await this.#db.read
      .select({ seq: sql<number | null>`min(${auditEntries.seq})`.as('first_kept') })
      .from(auditEntries)
      .where(gte(auditEntries.at, at))
    const end = Math.min(first?.seq ?? newest, newest)
    const [row] = await this.#db.read
      .select()
      .from(auditEntries)
      .where(lt(auditEntries.seq, end))
      .orderBy(desc(auditEntries.seq))
      .limit(1)
    return row
  }

  /** Returns the row with which the next removal up to `through` ends. */
  async endOfChunk(through: number): Promise<AuditRow | undefined> {
    const oldest = this.#db.read
      .select()
      .from(auditEntries)
      .where(lte(auditEntries.seq, through))
      .orderBy(asc(auditEntries.seq))
      .limit(PRUNE_CHUNK)
    return (await oldest).at(-1)
  }

  /** Removes the rows up to the floor of a seal, in the transaction that stores the seal. */
  async removeTo(before: Pick<Seal, 'seq' | 'mac'>, seal: Seal): Promise<void> {
    await this.#db.write(async (tx) => {
      await moveSeal(tx, before, seal)
      crashPoint('audit.prune.midTransaction')
      await tx.delete(auditEntries).where(lte(auditEntries.seq, seal.floorSeq))
    })
    crashPoint('audit.prune.afterCommit')
  }
}

async function moveSeal(
  tx: Tx,
  before: Pick<Seal, 'seq' | 'mac'>,
  { cursors: _, ...now }: Seal,
): Promise<void> {
  const moved = await tx
    .update(auditSeal)
    .set(now)
    .where(and(eq(auditSeal.seq, before.seq), eq(auditSeal.mac, before.mac)))
    .returning({ id: auditSeal.id })
  if (moved.length !== 1) throw new Error('another process has written to the audit trail')
}

function conditionsOf({ act, actor, notDone, search, since, until }: AuditFilter): (SQL | undefined)[] {
  return [
    since === undefined ? undefined : gte(auditEntries.at, since),
    until === undefined ? undefined : lt(auditEntries.at, until),
    actor === undefined ? undefined : eq(auditEntries.actor, actor),
    act === undefined ? undefined : isAct(act),
    search === undefined ? undefined : matching(search),
    // Its partial index has only these rows.
    notDone ? sql.raw(IS_NOT_DONE) : undefined,
  ]
}

/** Compares texts by their order, not by `like`, so that the index of acts is used. */
function isAct(act: string): SQL | undefined {
  const group = and(gte(auditEntries.act, `${act}.`), lt(auditEntries.act, `${act}/`))
  return or(eq(auditEntries.act, act), group)
}

function matching(search: string): SQL | undefined {
  const { act, actor, address, after, before, code, credential, credentialId, outcome, requestId, target } =
    auditEntries
  const columns = [act, actor, credential, credentialId, address, target, outcome, code, before, after]
  return containing(search, [...columns, requestId])
}
