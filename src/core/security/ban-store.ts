import { inArray, sql } from 'drizzle-orm'
import { allBut, type Database, insertInto } from '../storage/index.js'
import { ipBans } from '../storage/tables/svc/identity.js'
import type { Ban } from './schema.js'

const BANS = insertInto(ipBans, allBut(ipBans), { key: ['ipAddress'] })

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
    const rows = bans.map(({ address, reason, count, bannedAt, expiresAt, source }) => ({
      ipAddress: address,
      banReason: reason,
      banCount: count,
      bannedAt,
      expiresAt,
      createdBy: source,
    }))
    await this.#db.write((tx) => tx.batch(BANS.rows(rows)))
  }

  async remove(addresses: readonly string[]): Promise<void> {
    const list = sql`(select value from json_each(${JSON.stringify(addresses)}))`
    await this.#db.write((tx) => tx.delete(ipBans).where(inArray(ipBans.ipAddress, list)))
  }
}
