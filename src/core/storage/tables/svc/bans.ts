import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Banned clients. The row of a ban that has ended stays for a while, because a client that offends again is
 * banned for longer.
 */
export const ipBans = sqliteTable('ip_bans', {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  ipAddress: text('ip_address', { length: 50 }).primaryKey(),
  banReason: text('ban_reason', { length: 200 }).notNull(),
  banCount: integer('ban_count').notNull(),
  bannedAt: integer('banned_at').notNull(),
  /** Null for a permanent ban. */
  expiresAt: integer('expires_at'),
  createdBy: text('created_by', {
    length: 50,
    enum: ['manual', 'host_ban', '404_detector', 'api_key_detector'],
  }).notNull(),
})
