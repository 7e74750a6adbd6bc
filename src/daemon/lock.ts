import { join } from 'node:path'
import { messageOf, ServiceError } from '../core/errors/index.js'
import { FileLock } from '../core/storage/index.js'

/**
 * One daemon for each home. The lock is a transaction that stays open on a file of its own: the operating system
 * lets go of it with the process, however the process ends, so there is no stale lock to clear after a crash.
 * @throws ServiceError `conflict` when another daemon has it
 */
export async function lockHome(home: string): Promise<FileLock> {
  try {
    return await FileLock.acquire(join(home, 'daemon.lock'))
  } catch (error) {
    if (!/SQLITE_(BUSY|LOCKED)/.test(messageOf(error))) throw error
    throw new ServiceError(
      'conflict',
      `Another svc daemon is running in ${home}. Stop it with: svc down (${messageOf(error)})`,
      { cause: error },
    )
  }
}
