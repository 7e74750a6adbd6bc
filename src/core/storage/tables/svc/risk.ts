import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The risk limits a user has set. A rule without a row has its default. */
export const riskRules = sqliteTable('risk_rules', {
  rule: text().primaryKey(),
  /** JSON. */
  value: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
  updatedBy: text('updated_by').notNull(),
})

/** The history of the kill switch, with author and reason. The newest row is the current state. */
export const killSwitch = sqliteTable('kill_switch', {
  id: integer().primaryKey({ autoIncrement: true }),
  on: integer({ mode: 'boolean' }).notNull(),
  reason: text().notNull(),
  at: integer().notNull(),
  by: text().notNull(),
})
