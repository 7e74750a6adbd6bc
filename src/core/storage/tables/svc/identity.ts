import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const flag = (name: string) => integer(name, { mode: 'boolean' }).notNull().default(false)

/**
 * User accounts. `totp_secret` is sealed; the purpose flags have an effect only while `totp_enabled` is set.
 */
export const users = sqliteTable('users', {
  id: integer('id').primaryKey(),
  username: text('username', { length: 80 }).notNull().unique(),
  email: text('email', { length: 120 }).notNull().unique(),
  passwordHash: text('password_hash', { length: 255 }).notNull(),
  totpSecret: text('totp_secret', { length: 255 }).notNull(),
  totpEnabled: flag('totp_enabled'),
  totpRequiredForLogin: flag('totp_required_for_login'),
  totpRequiredForMcp: flag('totp_required_for_mcp'),
  totpRequiredForPasswordReset: flag('totp_required_for_password_reset'),
  /** The 30-second step of the last code used. Codes of this step and of earlier ones are refused. */
  totpLastStep: integer('totp_last_step'),
  createdAt: integer('created_at').notNull(),
})

/**
 * Permissions to set a new password, one per user and method. `token_hash` is the SHA-256 of the token, which only
 * the mail or the client has.
 */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    username: text('username', { length: 255 }).notNull(),
    method: text('method', { length: 10, enum: ['email', 'totp'] }).notNull(),
    tokenHash: text('token_hash', { length: 64 }).notNull().unique(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.username, table.method] })],
)

/** Open sessions. `session_id` is the SHA-256 of the token, which only the client has. */
export const activeSessions = sqliteTable(
  'active_sessions',
  {
    id: integer('id').primaryKey(),
    username: text('username', { length: 255 }).notNull(),
    sessionId: text('session_id', { length: 64 }).notNull().unique(),
    deviceInfo: text('device_info', { length: 500 }),
    ipAddress: text('ip_address', { length: 45 }),
    broker: text('broker', { length: 20 }),
    loginTime: integer('login_time').notNull(),
    lastSeen: integer('last_seen').notNull(),
    expiresAt: integer('expires_at').notNull(),
    totpVerifiedAt: integer('totp_verified_at'),
    /** The last proof of who the user is. Sessions that are older than this column have 0: never. */
    authenticatedAt: integer('authenticated_at').notNull().default(0),
  },
  (table) => [index('active_sessions_username').on(table.username)],
)

/** API keys, one per user: an argon2id hash to verify the key, a sealed copy to show it again. */
export const apiKeys = sqliteTable('api_keys', {
  id: integer('id').primaryKey(),
  /** The username. The public API calls it `user_id`. */
  userId: text('user_id', { length: 255 }).notNull().unique(),
  apiKeyHash: text('api_key_hash').notNull(),
  apiKeyEncrypted: text('api_key_encrypted').notNull(),
  orderMode: text('order_mode', { length: 20, enum: ['auto', 'semi_auto'] })
    .notNull()
    .default('auto'),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
})

/** Access tokens for scripts. A SHA-256 is enough to verify them, because they contain 256 random bits. */
export const accessTokens = sqliteTable(
  'access_tokens',
  {
    id: integer('id').primaryKey(),
    username: text('username', { length: 255 }).notNull(),
    name: text('name', { length: 80 }).notNull(),
    tokenHash: text('token_hash', { length: 64 }).notNull().unique(),
    scopes: text('scopes', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('access_tokens_username').on(table.username)],
)

/** All sign-in attempts, which the user can list. */
export const loginAttempts = sqliteTable(
  'login_attempts',
  {
    id: integer('id').primaryKey(),
    username: text('username', { length: 255 }).notNull(),
    /** The address to display. A client behind a proxy can forge it. */
    ipAddress: text('ip_address', { length: 45 }),
    /** The caller's own address, which recognises it; null when only a proxy's is known. */
    ownAddress: text('own_address', { length: 45 }),
    deviceInfo: text('device_info', { length: 500 }),
    status: text('status', { length: 20, enum: ['success', 'failed'] }).notNull(),
    loginType: text('login_type', { length: 20 }),
    broker: text('broker', { length: 20 }),
    failureReason: text('failure_reason', { length: 255 }),
    timestamp: integer('timestamp').notNull(),
  },
  (table) => [
    index('login_attempts_username').on(table.username),
    index('login_attempts_timestamp').on(table.timestamp),
    index('login_attempts_status').on(table.status),
  ],
)

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
