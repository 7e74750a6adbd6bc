import { type BackupFailure, type Backups, type Manifest, sizeOf } from '../../../core/backup/index.js'
import { noteAct } from '../../audit/note.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'

/** Returns the handlers for backups. */
export function backupHandlers({ backups }: { backups: Backups }) {
  return {
    'POST /backups': httpHandler(async (c) => {
      const data = rowOf(await backups.make('manual'))
      const { bytes, held_ms, id: target } = data
      noteAct(c, { target, after: { bytes, held_ms } })
      return c.json({ status: 'success', data })
    }),
    'GET /backups': async () => {
      const { failure, made, newest_at: _newest, next, ...state } = await backups.state()
      const next_at = next === undefined ? null : iso(next)
      return {
        status: 'success',
        data: { ...state, next_at, failure: failed(failure), backups: made.map(rowOf) },
      }
    },
  } satisfies Partial<Handlers>
}

/** Returns when the last backup was made, and whether something is wrong. */
export function describeBackups(backups: Backups) {
  const { failure, newest_at, ...health } = backups.health()
  return { ...health, newest_at: newest_at ?? null, failure: failed(failure) }
}

function failed(failure: BackupFailure | undefined) {
  return failure ? { message: failure.message, at: iso(failure.at), since: iso(failure.since) } : null
}

function rowOf(manifest: Manifest) {
  const { id, created_at, origin, version, held_ms, files } = manifest
  const shown = files.map(({ name, bytes, schema, rows }) => ({ name, bytes, schema, rows }))
  return { id, created_at, origin, version, held_ms, bytes: sizeOf(manifest), files: shown }
}

const iso = (ms: number): string => new Date(ms).toISOString()
