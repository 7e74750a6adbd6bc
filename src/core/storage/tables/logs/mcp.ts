import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Calls of MCP tools, also those that did not run. The arguments are only a hash. */
export const mcpAudit = sqliteTable(
  'mcp_audit',
  {
    id: integer().primaryKey(),
    timestamp: integer().notNull(),
    /** Null for a caller without a token. */
    jti: text({ length: 100 }),
    clientId: text('client_id', { length: 64 }),
    tool: text({ length: 100 }).notNull(),
    scope: text({ length: 32 }),
    outcome: text({ length: 32 }).notNull(),
    paramsHash: text('params_hash', { length: 16 }).notNull(),
    durationMs: integer('duration_ms').notNull(),
    requestIp: text('request_ip', { length: 50 }),
  },
  (table) => [index('mcp_audit_timestamp').on(table.timestamp)],
)
