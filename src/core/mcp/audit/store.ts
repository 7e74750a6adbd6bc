import { and, count, desc, eq, inArray, lt, type SQL } from 'drizzle-orm'
import { allBut, containing, type Database, insertInto } from '../../storage/index.js'
import { mcpAudit } from '../../storage/tables/logs/mcp.js'
import type { McpAuditFilter, McpAuditRow } from '../schema.js'

const ROWS = insertInto(mcpAudit, allBut(mcpAudit, 'id'))
/** Rows deleted per transaction, so that a purge never blocks the writer for long. */
const PURGE_CHUNK = 2000

/** All SQL of the audit of calls. */
export class McpAuditStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  insert(rows: readonly Omit<McpAuditRow, 'id'>[]): Promise<void> {
    return this.#db.batch(ROWS.rows(rows))
  }

  /** Returns the newest calls that match, newest first. */
  list(filter: McpAuditFilter, limit: number): Promise<McpAuditRow[]> {
    return this.#db.read
      .select()
      .from(mcpAudit)
      .where(matching(filter))
      .orderBy(desc(mcpAudit.timestamp), desc(mcpAudit.id))
      .limit(limit)
  }

  async count(filter: McpAuditFilter): Promise<number> {
    const [row] = await this.#db.read.select({ rows: count() }).from(mcpAudit).where(matching(filter))
    return row?.rows ?? 0
  }

  /** Deletes calls before an instant; returns their number. */
  async purge(before: number): Promise<number> {
    for (let removed = 0; ; ) {
      const rows = await this.#db.write(async (tx) => {
        const old = tx
          .select({ id: mcpAudit.id })
          .from(mcpAudit)
          .where(lt(mcpAudit.timestamp, before))
          .limit(PURGE_CHUNK)
        return tx.delete(mcpAudit).where(inArray(mcpAudit.id, old)).returning({ id: mcpAudit.id })
      })
      removed += rows.length
      if (rows.length < PURGE_CHUNK) return removed
    }
  }
}

function matching({ clientId, outcome, scope, tool }: McpAuditFilter): SQL | undefined {
  return and(
    tool === undefined ? undefined : containing(tool, [mcpAudit.tool]),
    scope === undefined ? undefined : eq(mcpAudit.scope, scope),
    outcome === undefined ? undefined : eq(mcpAudit.outcome, outcome),
    clientId === undefined ? undefined : eq(mcpAudit.clientId, clientId),
  )
}
