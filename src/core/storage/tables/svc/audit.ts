import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ActCredential, ActOutcome } from '../../../audit/schema.js'

/** An act that was refused, failed, or whose end is unknown. SQLite uses the partial index only for the same condition. */
export const IS_NOT_DONE = "outcome <> 'done'"

/**
 * The audit trail: every act that changed state. Rows are only added, or removed at the old end. `mac` seals a
 * row together with the `mac` of the row before it.
 */
export const auditEntries = sqliteTable(
  'audit_entries',
  {
    seq: integer().primaryKey(),
    /** The time at which the act began, in UTC ms. */
    at: integer().notNull(),
    act: text().notNull(),
    /** The user; `svc` is the service itself. */
    actor: text().notNull(),
    credential: text().$type<ActCredential>().notNull(),
    /** The id of the session, token or key. It opens nothing. */
    credentialId: text('credential_id'),
    address: text(),
    /** The object of the act: an order, a workflow, a token. */
    target: text(),
    outcome: text().$type<ActOutcome>().notNull(),
    /** The error code of an act that was refused or failed. */
    code: text(),
    /** JSON: the values that changed, as they were. Never a secret. */
    before: text(),
    /** JSON: the same values afterwards. */
    after: text(),
    requestId: text('request_id'),
    mac: text().notNull(),
  },
  (table) => [
    index('audit_entries_at').on(table.at),
    index('audit_entries_act').on(table.act, table.seq),
    index('audit_entries_not_done').on(table.seq).where(sql.raw(IS_NOT_DONE)),
    index('audit_entries_target').on(table.target, table.seq).where(sql`target is not null`),
    index('audit_entries_request').on(table.requestId).where(sql`request_id is not null`),
  ],
)

/** Acts that have begun and whose end is not recorded. After a crash, the next start adds them to the trail. */
export const auditPending = sqliteTable('audit_pending', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** JSON: the row of the act, as far as it is known. */
  entry: text().notNull(),
})

/**
 * One row: the signed ends of the trail. The rows up to `floor_seq` were removed; `seq` is the last row. Without
 * it, rows that are cut off at either end would not be missed.
 */
export const auditSeal = sqliteTable(
  'audit_seal',
  {
    id: integer().primaryKey(),
    floorSeq: integer('floor_seq').notNull(),
    floorMac: text('floor_mac').notNull(),
    seq: integer().notNull(),
    mac: text().notNull(),
    signature: text().notNull(),
  },
  (table) => [check('audit_seal_one_row', sql`${table.id} = 1`)],
)

/** The last order of each source that the trail has. */
export const auditCursors = sqliteTable('audit_cursors', {
  source: text().primaryKey(),
  position: text().notNull(),
})
