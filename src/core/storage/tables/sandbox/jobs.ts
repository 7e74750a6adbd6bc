import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What the clock has done: one row a job and due moment, written in the transaction of what the job changed, so
 * that no job runs twice and none is lost. Times in UTC ms.
 */
export const sandboxJobs = sqliteTable(
  'sandbox_jobs',
  {
    job: text('job').notNull(),
    /** The IST date (with the hour for hourly jobs) the moment belongs to. */
    slot: text('slot').notNull(),
    dueAt: integer('due_at').notNull(),
    ranAt: integer('ran_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.slot] }), index('sandbox_jobs_due').on(table.dueAt)],
)
