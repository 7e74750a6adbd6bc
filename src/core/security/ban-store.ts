import { inArray, sql } from 'drizzle-orm'
import { BatchStatement, type Database } from '../storage/index.js'
import { ipBans } from '../storage/tables/svc/bans.js'
import type { Ban } from './schema.js'

const CHANGING = ['ban_reason', 'ban_count', 'banned_at', 'expires_at', 'created_by']
const BANS = new BatchStatement({
  table: 'ip_bans',
  columns: ['ip_address', ...CHANGING],
  onConflict: `on conflict (ip_address) do update set ${CHANGING.map((column) => `${column} = excluded.${column}`).join(', ')}`,
})

/** All SQL of the bans. */
export class BanStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns all bans, oldest first. */
  async load(): Promise<Ban[]> {
    const rows = await this.#db.read.select().from(ipBans).orderBy(ipBans.bannedAt)
    return rows.map((row) => ({
      address: row.ipAddress,
      reason: row.banReason,
      count: row.banCount,
      bannedAt: row.bannedAt,
      expiresAt: row.expiresAt,
      source: row.createdBy,
    }))
  }

  async save(bans: readonly Ban[]): Promise<void> {
    const rows = bans.map(
      ({ address, reason, count, bannedAt, expiresAt, source }) =>
        [address, reason, count, bannedAt, expiresAt, source] as const,
    )
    await this.#db.write((tx) => tx.exec(BANS.sql, [BatchStatement.parameter(rows)]))
  }

  async remove(addresses: readonly string[]): Promise<void> {
    const list = sql`(select value from json_each(${JSON.stringify(addresses)}))`
    await this.#db.write((tx) => tx.delete(ipBans).where(inArray(ipBans.ipAddress, list)))
  }
}
