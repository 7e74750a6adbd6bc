import { sql } from 'drizzle-orm'
import { check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The single row of settings. */
export const settings = sqliteTable(
  'settings',
  {
    id: integer('id').primaryKey(),
    analyzeMode: integer('analyze_mode', { mode: 'boolean' }).notNull().default(false),
    securityAutoBanEnabled: integer('security_auto_ban_enabled', { mode: 'boolean' })
      .notNull()
      .default(false),
    security404Threshold: integer('security_404_threshold').notNull().default(100),
    /** Hours; 0 is permanent. */
    security404BanDuration: integer('security_404_ban_duration').notNull().default(0),
    securityApiThreshold: integer('security_api_threshold').notNull().default(100),
    /** Hours; 0 is permanent. */
    securityApiBanDuration: integer('security_api_ban_duration').notNull().default(0),
    securityRepeatOffenderLimit: integer('security_repeat_offender_limit').notNull().default(2),
    smtpServer: text('smtp_server', { length: 255 }),
    smtpPort: integer('smtp_port'),
    smtpUsername: text('smtp_username', { length: 255 }),
    smtpPasswordEncrypted: text('smtp_password_encrypted'),
    smtpUseTls: integer('smtp_use_tls', { mode: 'boolean' }).notNull().default(true),
    smtpFromEmail: text('smtp_from_email', { length: 255 }),
    smtpHeloHostname: text('smtp_helo_hostname', { length: 255 }),
    mcpEnabled: integer('mcp_enabled', { mode: 'boolean' }).notNull().default(false),
    mcpPublicUrl: text('mcp_public_url', { length: 255 }).notNull().default(''),
    mcpRequireApproval: integer('mcp_require_approval', { mode: 'boolean' }).notNull().default(true),
    mcpWriteScopeEnabled: integer('mcp_write_scope_enabled', { mode: 'boolean' }).notNull().default(true),
    /** The sealed key by which the daemon of this home proves who it is; null until the first start with it. */
    identityKeySealed: text('identity_key_sealed'),
    mcpQueueWrites: integer('mcp_queue_writes', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [check('settings_one_row', sql`${table.id} = 1`)],
)

/** Chart settings of a user, one row per key. A value that is not text is stored as JSON. */
export const chartPreferences = sqliteTable(
  'chart_preferences',
  {
    userId: text('user_id').notNull(),
    key: text().notNull(),
    value: text().notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] })],
)

/** One row: the number up to which events are numbered. After a restart the numbers continue above it. */
export const eventNumbers = sqliteTable('event_numbers', {
  id: integer().primaryKey(),
  reserved: integer().notNull(),
})
