import { onTestFinished } from 'vitest'
import type { Database } from '../../../src/core/storage/index.js'
import { SqliteConnection } from '../../../src/core/storage/sqlite.js'

/**
 * Takes the write lock of a database file like another process; the database under test does not wait for it.
 * @returns a function that releases the lock
 */
export async function lockedElsewhere(db: Database, file: string): Promise<() => Promise<void>> {
  await db.write((tx) => tx.query('pragma busy_timeout = 0'))
  const other = await SqliteConnection.openPlain(file)
  await other.script('begin immediate')
  let held = true
  const release = async () => {
    if (!held) return
    held = false
    await other.script('rollback')
    await other.close()
  }
  onTestFinished(release)
  return release
}
