import { join } from 'node:path'
import { messageOf, ServiceError } from '../../core/errors/index.js'
import { FileLock } from '../../core/storage/index.js'

/**
 * Locks a home, so that only one daemon runs in it. The lock is an open transaction on a file of its own. The
 * operating system releases it when the process ends in any way, so a crash leaves no stale lock.
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
