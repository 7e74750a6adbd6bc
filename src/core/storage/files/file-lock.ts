import { statSync } from 'node:fs'
import { SqliteConnection } from '../sqlite.js'

/**
 * A lock between processes: an exclusive SQLite transaction that stays open. SQLite uses POSIX locks, which
 * the operating system releases when the process ends, also after a crash.
 */
export class FileLock {
  private constructor(
    private readonly connection: SqliteConnection,
    private readonly file: string,
    private readonly inode: number,
  ) {}

  /** Acquires the lock. Fails if another process still holds it after `waitMs`, by default at once. */
  static async acquire(file: string, waitMs = 0): Promise<FileLock> {
    const connection = await SqliteConnection.openPlain(file)
    try {
      await connection.script(`pragma busy_timeout = ${waitMs}; begin exclusive`)
      return new FileLock(connection, file, statSync(file).ino)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /**
   * Returns the path when it no longer leads to the locked file. Another process may then lock a new file of
   * that name.
   */
  missing(): string | undefined {
    return statSync(this.file, { throwIfNoEntry: false })?.ino === this.inode ? undefined : this.file
  }

  async release(): Promise<void> {
    await this.connection.script('rollback')
    await this.connection.close()
  }
}
