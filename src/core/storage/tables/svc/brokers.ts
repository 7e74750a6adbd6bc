import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Broker accounts this installation has signed in to. One of them is active. */
export const brokerAccounts = sqliteTable('broker_accounts', {
  broker: text().primaryKey(),
  active: integer({ mode: 'boolean' }).notNull().default(false),
  /** The session as JSON, encrypted; null when signed out. */
  session: text(),
  expiresAt: integer('expires_at'),
  updatedAt: integer('updated_at').notNull(),
})
