import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The limits a user has set; a rule without a row is at its default. */
export const riskRules = sqliteTable('risk_rules', {
  rule: text().primaryKey(),
  /** JSON. */
  value: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
  updatedBy: text('updated_by').notNull(),
})

/** Who stopped and resumed trading, and why. The newest row is the state. */
export const killSwitch = sqliteTable('kill_switch', {
  id: integer().primaryKey({ autoIncrement: true }),
  on: integer({ mode: 'boolean' }).notNull(),
  reason: text().notNull(),
  at: integer().notNull(),
  by: text().notNull(),
})
