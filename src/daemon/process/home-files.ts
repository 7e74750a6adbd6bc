import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors/index.js'

/** The files of a home without which no daemon starts. A damaged `logs.db` is set aside instead. */
const FILES = [
  'config.env',
  'daemon.lock',
  'daemon.json',
  ...['svc.db', 'sandbox.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
]

/**
 * Refuses a home in which a folder has the name of a file, as a failed copy or a container mount leaves it.
 * @throws ServiceError `storage_full` that names the folder
 */
export function refuseFolders(home: string): void {
  for (const name of FILES) {
    const path = join(home, name)
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue
    throw new ServiceError(
      'storage_full',
      `${path} is a folder, but it must be a file. Move the folder away, put the file back if there was one, ` +
        'and start again.',
    )
  }
}
