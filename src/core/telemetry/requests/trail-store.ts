import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { allBut, type Database, insertInto } from '../../storage/index.js'
import { BECAME_NOTHING, requestTrail } from '../../storage/tables/logs/requests.js'

export type AskedRow = typeof requestTrail.$inferSelect
export type AskedValues = Omit<AskedRow, 'id'>

const ROWS = insertInto(requestTrail, allBut(requestTrail, 'id'))
/** Rows deleted per transaction, so that a purge never blocks the writer for long. */
const PURGE_CHUNK = 2000
/** The most rows that one look-up returns: a request of more orders than that shows its first. */
const MOST = 200

/** A period: `until` is exclusive. Instants are epoch milliseconds. */
export interface Refused {
  since: number
  until?: number | undefined
  mode: 'live' | 'analyze'
  limit: number
}

/** All SQL of the trail of requests. Every look-up has an index. */
export class TrailStore {
  constructor(private readonly db: Database) {}

  insert(rows: readonly AskedValues[]): Promise<void> {
    return this.db.batch(ROWS.rows(rows))
  }

  /** Returns the rows of one request, in the order of its orders. */
  ofRequest(requestId: string): Promise<AskedRow[]> {
    return this.db.read
      .select()
      .from(requestTrail)
      .where(eq(requestTrail.requestId, requestId))
      .orderBy(asc(requestTrail.id))
      .limit(MOST)
  }

  /** Returns the requests about an order, oldest first. */
  ofSubject(subject: string): Promise<AskedRow[]> {
    return this.db.read
      .select()
      .from(requestTrail)
      .where(eq(requestTrail.subject, subject))
      .orderBy(asc(requestTrail.id))
      .limit(MOST)
  }

  /** Returns the requests that were queued under an id. */
  ofApproval(approvalId: number): Promise<AskedRow[]> {
    return this.db.read
      .select()
      .from(requestTrail)
      .where(eq(requestTrail.approvalId, approvalId))
      .orderBy(asc(requestTrail.id))
      .limit(MOST)
  }

  /** Returns a user's requests under a key of the user's own, oldest first. */
  ofKey(userId: string, callerKey: string): Promise<AskedRow[]> {
    return this.db.read
      .select()
      .from(requestTrail)
      .where(and(eq(requestTrail.callerKey, callerKey), eq(requestTrail.userId, userId)))
      .orderBy(asc(requestTrail.id))
      .limit(MOST)
  }

  /** Returns a user's newest requests for orders of a period and a mode that became none, newest first. */
  refused(userId: string, { limit, mode, since, until }: Refused): Promise<AskedRow[]> {
    const { at, id, mode: ofMode, userId: user } = requestTrail
    return this.db.read
      .select()
      .from(requestTrail)
      .where(
        and(
          sql.raw(BECAME_NOTHING),
          eq(user, userId),
          eq(ofMode, mode),
          gte(at, since),
          until === undefined ? undefined : lt(at, until),
        ),
      )
      .orderBy(desc(at), desc(id))
      .limit(limit)
  }

  /** Deletes the rows before an instant. */
  async purge(before: number): Promise<number> {
    let removed = 0
    for (;;) {
      const { changes } = await this.db.write((tx) =>
        tx.exec(
          `delete from request_trail where id in
             (select id from request_trail where at < ? order by at limit ?)`,
          [before, PURGE_CHUNK],
        ),
      )
      removed += changes
      if (changes < PURGE_CHUNK) return removed
    }
  }
}
