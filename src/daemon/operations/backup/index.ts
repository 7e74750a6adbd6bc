import { z } from 'zod'
import { type BackupFailure, type Backups, type Manifest, sizeOf } from '../../../core/backup/index.js'
import { count, instant, message, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'

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

const madeBackup = ok({ data: backup })
const backupList = ok({
  data: z.strictObject({
    ...health,
    keep: count,
    folder: text,
    running: z.boolean(),
    next_at: instant.nullable(),
    backups: z.array(backup),
  }),
})

/** Copies of the databases, made while the service runs. */
export const BACKUP_OPERATIONS = {
  'POST /backups': signedIn(
    'Backup',
    'api',
    'admin',
  )('Makes a backup of all databases, and answers when it is checked.', {
    answer: madeBackup,
    errors: ['conflict', 'storage_full'],
    audit: { act: 'backup.make' },
    run: async ({ backups }, _input, caller) => {
      const data = manifestView(await backups.make('manual'))
      const { bytes, held_ms, id: target } = data
      caller.note({ target, after: { bytes, held_ms } })
      return { status: 'success', data }
    },
  }),
  'GET /backups': signedIn(
    'Backup',
    'api',
    'read',
    'admin',
  )('Lists the backups of this home, newest first, with their schedule.', {
    answer: backupList,
    run: async ({ backups }) => {
      const { failure, made, newest_at: _newest, next, ...state } = await backups.state()
      const next_at = next === undefined ? null : iso(next)
      return {
        status: 'success',
        data: { ...state, next_at, failure: failureView(failure), backups: made.map(manifestView) },
      }
    },
  }),
}

/** Returns when the last backup was made, and whether something is wrong. */
export function backupHealthView(backups: Backups) {
  const { failure, newest_at, ...health } = backups.health()
  return { ...health, newest_at: newest_at ?? null, failure: failureView(failure) }
}

function failureView(failure: BackupFailure | undefined) {
  return failure ? { message: failure.message, at: iso(failure.at), since: iso(failure.since) } : null
}

function manifestView(manifest: Manifest) {
  const { id, created_at, origin, version, held_ms, files } = manifest
  const shown = files.map(({ name, bytes, schema, rows }) => ({ name, bytes, schema, rows }))
  return { id, created_at, origin, version, held_ms, bytes: sizeOf(manifest), files: shown }
}

const iso = (ms: number): string => new Date(ms).toISOString()
