import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  BACKUP_ID,
  type BackupSecrets,
  databasesOf,
  differingSecrets,
  finishRestore,
  isRestorePending,
  KEY_NAMES,
  type ListedBackup,
  listBackups,
  markRestored,
  type Restored,
  restoreBackup,
  type VerifiedBackup,
  verifyBackup,
} from '../../core/backup/index.js'
import { givenSettings } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import { SystemClock } from '../../core/time/index.js'
import { HomeLock } from '../process/lock.js'
import { backupFolder } from './open.js'

export { type ListedBackup, type Restored, sizeOf, type VerifiedBackup } from '../../core/backup/index.js'

/** A home that may have no daemon, as the commands see it that work on backups without one. */
export interface OfflineHome {
  home: string
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Lists the backups in the folder of a home, newest first.
 * @throws ServiceError `not_found` if the parent of the folder is missing: the disk may not be mounted
 */
export async function listOffline(at: OfflineHome): Promise<ListedBackup[]> {
  const folder = folderOf(at)
  const parent = dirname(folder)
  if (!existsSync(parent)) {
    throw new ServiceError(
      'not_found',
      `The folder of the backups, ${folder}, cannot be read: ${parent} does not exist. Is its disk mounted, and is BACKUP_DIR right?`,
    )
  }
  return listBackups(folder)
}

/** Returns how many backups in the folder of a home need its keys of now to be restored. */
export async function countOfKeys(at: OfflineHome): Promise<number> {
  const secrets = secretsIn(at)
  if (!secrets) return 0
  // A folder that cannot be read must not keep anybody from replacing keys that are known to others.
  const backups = await listBackups(folderOf(at)).catch(() => [])
  return backups.filter(({ manifest }) => manifest && differingSecrets(manifest, secrets).length === 0).length
}

/** Checks a backup of the home's folder, by its id, or any other folder. */
export function verifyOffline(at: OfflineHome, backup: string): Promise<VerifiedBackup> {
  return verifyBackup(pathOf(at, backup), secretsIn(at))
}

/**
 * Restores a backup into a home without a running daemon. The home needs the `config.env` of the backup.
 * @throws ServiceError `conflict` while a daemon runs there, or if the home has databases and `replace` is false
 */
export async function restoreOffline(at: OfflineHome, backup: string, replace: boolean): Promise<Restored> {
  const { home } = at
  const path = pathOf(at, backup)
  const secrets = secretsIn(at)
  if (!secrets) {
    throw new ServiceError(
      'validation',
      `${join(home, 'config.env')} must be there first: a backup does not contain the secrets ${KEY_NAMES.join(', ')}, ` +
        'without which its data cannot be read. Copy the file from the home that made the backup, or pass the secrets ' +
        'in the environment.',
    )
  }
  process.umask(0o077)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const clock = new SystemClock()
  const lock = await HomeLock.acquire(home, clock)
  try {
    return await restoreBackup({ home, backup: path, secrets, replace, now: clock.now() })
  } finally {
    await lock.release()
  }
}

/**
 * Marks a home whose databases a person has put back by hand, so that its next start does what it does after a restore.
 * @returns the moment of the mark
 * @throws ServiceError `not_found` without databases, `conflict` while a daemon runs there
 */
export async function markOffline({ home }: Pick<OfflineHome, 'home'>): Promise<string> {
  if (databasesOf(home).length === 0 && !isRestorePending(home))
    throw new ServiceError('not_found', `${home} has no databases: put them back first.`)
  process.umask(0o077)
  const clock = new SystemClock()
  const lock = await HomeLock.acquire(home, clock)
  try {
    await finishRestore(home)
    const now = clock.now()
    await markRestored(home, now)
    return new Date(now).toISOString()
  } finally {
    await lock.release()
  }
}

function folderOf(at: OfflineHome): string {
  return backupFolder(at.home, givenSettings(at).BACKUP_DIR ?? 'backups')
}

/** Returns the folder of a backup that is named by its id or by a path. */
function pathOf(at: OfflineHome, backup: string): string {
  // An empty name would be the current folder.
  if (backup === '')
    throw new ServiceError('validation', 'Name a backup: an id from svc backup list, or a folder.')
  const path = BACKUP_ID.test(backup) ? join(folderOf(at), backup) : resolve(backup)
  if (existsSync(path)) return path
  throw new ServiceError(
    'not_found',
    `There is no backup at ${path}. List those of the home: svc backup list`,
  )
}

/** Returns the secrets of a home, or of the environment; undefined if one is missing. */
function secretsIn(at: OfflineHome): BackupSecrets | undefined {
  const { APP_KEY, API_KEY_PEPPER, FERNET_SALT } = givenSettings(at)
  return APP_KEY && API_KEY_PEPPER && FERNET_SALT ? { APP_KEY, API_KEY_PEPPER, FERNET_SALT } : undefined
}
