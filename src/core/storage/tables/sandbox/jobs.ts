import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Finished jobs of the sandbox clock, one row per job and due time. The transaction that holds the changes of
 * the job also writes its row, so that no job is lost or runs twice. Times in UTC ms.
 */
export const sandboxJobs = sqliteTable(
  'sandbox_jobs',
  {
    job: text('job').notNull(),
    /** The IST date of the due time, with the hour for hourly jobs. */
    slot: text('slot').notNull(),
    dueAt: integer('due_at').notNull(),
    ranAt: integer('ran_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.slot] }), index('sandbox_jobs_due').on(table.dueAt)],
)
