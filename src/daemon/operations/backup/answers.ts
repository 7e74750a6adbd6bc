import { z } from 'zod'
import { count, instant, message, ok, text } from '../common/answers.js'

const backup = z.strictObject({
  id: text.meta({ description: 'The name of its folder.' }),
  created_at: instant.meta({ description: 'All that was answered before this moment is in the backup.' }),
  origin: z.enum(['manual', 'scheduled']),
  version: text.meta({ description: 'The version of svc that made it.' }),
  held_ms: z.number().meta({ description: 'How long writes waited.' }),
  bytes: count,
  files: z.array(
    z.strictObject({
      name: text,
      bytes: count,
      schema: count.nullable().meta({ description: 'The newest migration of the file.' }),
      rows: z.record(z.string(), count).meta({ description: 'The rows of each table.' }),
    }),
  ),
})

/** The state of the backups in `GET /status`. */
const health = {
  schedule: text.nullable().meta({ description: 'A cron expression in IST; null without a schedule.' }),
  overdue: z.boolean().meta({ description: 'True if a scheduled backup is missing for more than an hour.' }),
  failure: z
    .strictObject({ message, at: instant, since: instant })
    .nullable()
    .meta({ description: 'The last failure since the last backup that succeeded.' }),
}
export const backupHealth = z.strictObject({ ...health, newest_at: instant.nullable() })

export const madeBackup = ok({ data: backup })
export const backups = ok({
  data: z.strictObject({
    ...health,
    keep: count,
    folder: text,
    running: z.boolean(),
    next_at: instant.nullable(),
    backups: z.array(backup),
  }),
})
