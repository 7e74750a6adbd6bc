import { statfs } from 'node:fs/promises'
import type { Database } from '../../core/storage/index.js'
import type { Daemon } from '../daemon.js'

/** The interval of the checks. Nobody may be writing, so the daemon looks by itself. */
const WATCH_MS = 1_000
/** Below this free space the next write may fail. */
const SCARCE_BYTES = 1024 * 1024

/** Logs the loss of a database file, and notices when the disk no longer accepts writes or does so again. */
export function watchStorage(daemon: Daemon): void {
  const { clock, databases, log } = daemon.service
  let known: string | undefined
  let testing = false
  clock.setInterval(() => {
    const missing = daemon.missingFile()
    if (missing !== undefined && missing !== known) {
      log.error('storage.file_missing', {
        file: missing,
        message: 'A database file was removed or replaced: the service stores nothing.',
      })
    }
    known = missing
    if (testing || missing !== undefined) return
    testing = true
    void testWrites([databases.svc, databases.sandbox]).finally(() => {
      testing = false
    })
  }, WATCH_MS)
}

/**
 * Tries a write to each database whose last write failed, or whose disk is nearly full. The result stays in
 * {@link Database.failing}.
 */
async function testWrites(databases: readonly Database[]): Promise<void> {
  for (const database of databases) {
    if (database.failing || (await freeBytes(database.file)) < SCARCE_BYTES) {
      await database.tryWrite().catch(() => undefined)
    }
  }
}

async function freeBytes(file: string): Promise<number> {
  const disk = await statfs(file).catch(() => undefined)
  return disk === undefined ? Number.POSITIVE_INFINITY : disk.bavail * disk.bsize
}
