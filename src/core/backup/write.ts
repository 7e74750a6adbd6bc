import { chmod, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crashPoint, messageOf, ServiceError } from '../errors/index.js'
import { randomHex } from '../secrets/index.js'
import {
  type Database,
  freeBytes,
  inspectDatabase,
  type Snapshot,
  snapshotsAtOneMoment,
} from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { digestOf, privateFolder, sync, writeDurably } from './durable.js'
import { partialName } from './folder.js'
import { databasesOf } from './home-databases.js'
import type { BackupSecrets } from './key-checks.js'
import {
  type BackedUpFile,
  type BackupOrigin,
  MANIFEST,
  type Manifest,
  manifestText,
  sealedManifest,
} from './manifest.js'

/** Bytes that stay free on the disk of the backups, which may be the disk that orders are stored on. */
const RESERVE = 32 * 1024 * 1024

export interface WriteOptions {
  home: string
  /** The folder of the backups; it exists. */
  folder: string
  /** The databases of the home that are open. */
  databases: readonly Database[]
  origin: BackupOrigin
  version: string
  secrets: BackupSecrets
  clock: Clock
  signal: AbortSignal
}

/**
 * Writes a backup of all databases of a home at one moment, and checks it. The backup appears under its name when it
 * is complete, checked and on the disk; nothing of a failed one stays.
 * @throws ServiceError `storage_full` if the disk has no room or fails, `unavailable` if no moment is found
 */
export async function writeBackup(options: WriteOptions): Promise<Manifest> {
  const { clock, databases, folder, home, signal } = options
  const open = databases.map(({ file }) => file)
  const others = databasesOf(home)
    .map((name) => join(home, name))
    .filter((file) => !open.includes(file))
  const { snapshots, at, heldMs } = await snapshotsAtOneMoment({ databases, others, clock, signal })
  const id = `${compactTime(at)}-${randomHex(3)}`
  const partial = join(folder, partialName(id, options.secrets))
  try {
    await requireRoom(folder, snapshots)
    await privateFolder(partial)
    const files: BackedUpFile[] = []
    for (const name of databasesOf(home)) {
      const snapshot = snapshots.find(({ file }) => file === join(home, name))
      // A file that appeared after the moment is not part of it.
      if (snapshot) files.push(await copyChecked(snapshot, name, partial, signal))
    }
    const created_at = new Date(at).toISOString()
    const held_ms = Math.round(heldMs * 100) / 100
    const { origin, version } = options
    const manifest = sealedManifest({ id, created_at, origin, version, held_ms, files }, options.secrets)
    await writeDurably(join(partial, MANIFEST), manifestText(manifest))
    await sync(partial)
    await rename(partial, join(folder, id))
    await sync(folder)
    return manifest
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    signal.throwIfAborted()
    throw diskError(error, folder)
  } finally {
    await Promise.all(snapshots.map((snapshot) => snapshot.close()))
  }
}

async function copyChecked(
  snapshot: Snapshot,
  name: string,
  partial: string,
  signal: AbortSignal,
): Promise<BackedUpFile> {
  const path = join(partial, name)
  await makeParents(partial, name)
  await snapshot.copyTo(path, signal)
  crashPoint('backup.midCopy')
  await chmod(path, 0o600)
  await sync(path)
  await sync(dirname(path))
  const found = await inspectDatabase(path, signal)
  if (found.damage !== undefined) {
    throw new ServiceError(
      'storage_full',
      `The copy of ${name} is damaged (${found.damage}), so no backup was made. The disk is failing, or ${name} itself ` +
        'is damaged: check the earlier backups with svc backup verify.',
    )
  }
  const { size } = await stat(path)
  return { name, bytes: size, sha256: await digestOf(path, signal), schema: found.schema, rows: found.rows }
}

/** Returns an instant in UTC for a file name, such as `20261120T101500Z`. */
export function compactTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

/** Creates the folders of a name inside a folder. */
export async function makeParents(folder: string, name: string): Promise<void> {
  const parents = name.split('/').slice(0, -1)
  for (const [index] of parents.entries()) {
    await privateFolder(join(folder, ...parents.slice(0, index + 1))).catch((error: unknown) => {
      if (!/^EEXIST/.test(messageOf(error))) throw error
    })
  }
}

async function requireRoom(folder: string, snapshots: readonly Snapshot[]): Promise<void> {
  const sizes = await Promise.all(snapshots.map((snapshot) => snapshot.bytes()))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  refuseWithoutRoom(folder, bytes, await freeBytes(join(folder, 'any')))
}

/** @throws ServiceError `storage_full` that names the folder and both sizes */
export function refuseWithoutRoom(folder: string, bytes: number, free: number): void {
  const needed = bytes + RESERVE
  if (free >= needed) return
  throw new ServiceError(
    'storage_full',
    `${folder} needs ${megabytes(needed)} for the copy, but its disk has only ${megabytes(free)} free. Nothing was changed. ` +
      'Free some space, or choose another disk with BACKUP_DIR.',
  )
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`

const DISK =
  /SQLITE_(FULL|IOERR|READONLY|CANTOPEN|PERM)|^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|ENOENT|ENOTDIR)/

/** Turns a fault of the disk into the error of the service; other errors stay. */
export function diskError(error: unknown, folder: string): unknown {
  if (error instanceof ServiceError || !DISK.test(messageOf(error))) return error
  return new ServiceError(
    'storage_full',
    `${folder} cannot be written: ${messageOf(error)}. No backup was made.`,
    {
      cause: error,
    },
  )
}
