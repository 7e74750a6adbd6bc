import { openFolder, removeLeftovers } from './folder.js'
import type { Manifest } from './manifest.js'
import { diskError, type WriteOptions, writeBackup } from './write.js'

/**
 * Makes a backup of a home that nobody has open; the caller has its lock.
 * @throws ServiceError `storage_full` if the disk has no room or fails
 */
export async function makeOffline(
  options: Pick<WriteOptions, 'home' | 'folder' | 'secrets' | 'version' | 'clock'>,
): Promise<Manifest> {
  const { folder, secrets } = options
  try {
    await openFolder(folder)
    await removeLeftovers(folder, secrets)
  } catch (error) {
    throw diskError(error, folder)
  }
  return writeBackup({ ...options, databases: [], origin: 'manual', signal: new AbortController().signal })
}
