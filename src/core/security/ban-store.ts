import { inArray, sql } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { ipBans } from '../storage/tables/svc/bans.js'
import type { Ban } from './schema.js'

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
    await this.#db.write(async (tx) => {
      for (const { address, reason, count, bannedAt, expiresAt, source } of bans) {
        const values = { banReason: reason, banCount: count, bannedAt, expiresAt, createdBy: source }
        await tx
          .insert(ipBans)
          .values({ ipAddress: address, ...values })
          .onConflictDoUpdate({ target: ipBans.ipAddress, set: values })
      }
    })
  }

  async remove(addresses: readonly string[]): Promise<void> {
    const list = sql`(select value from json_each(${JSON.stringify(addresses)}))`
    await this.#db.write((tx) => tx.delete(ipBans).where(inArray(ipBans.ipAddress, list)))
  }
}
