import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, ServiceError } from '../errors/index.js'
import { privateFolder, sync } from './durable.js'
import { type BackupSecrets, keyChecks } from './key-checks.js'
import { BACKUP_ID, MANIFEST, type Manifest, parseManifest } from './manifest.js'

/** Returns the name of a backup's folder until it is complete, with a mark of the home that writes it. */
export const partialName = (id: string, secrets: BackupSecrets): string => `.partial-${markOf(secrets)}-${id}`

const removedName = (id: string, secrets: BackupSecrets): string => `.removing-${markOf(secrets)}-${id}`

const markOf = (secrets: BackupSecrets): string => keyChecks(secrets).APP_KEY.slice(0, 8)

/** A backup of a folder: its manifest, or why it cannot be read. */
export type ListedBackup = { id: string; path: string } & (
  | { manifest: Manifest; problem?: undefined }
  | { manifest?: undefined; problem: string }
)

/** Creates the folder of the backups. Its parent must exist: an unmounted disk must not be replaced by a folder. */
export async function openFolder(folder: string): Promise<void> {
  if (!existsSync(folder)) await privateFolder(folder)
}

/** Larger than any manifest: one has a line for each table. */
const MOST_BYTES = 2 ** 20

/** Returns the manifest of a backup. @throws ServiceError `not_found` or `validation` */
export async function readManifest(path: string): Promise<Manifest> {
  const file = join(path, MANIFEST)
  let text: string
  try {
    const facts = await stat(file)
    // A read of a named pipe never ends, and the daemon has four threads for reads of files.
    if (!facts.isFile()) throw new Error(`${file} is no file`)
    if (facts.size > MOST_BYTES) throw new Error(`${file} is too large`)
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new ServiceError('not_found', `${path} is no backup: ${messageOf(error)}.`, { cause: error })
  }
  return parseManifest(text, file)
}

/** Returns the ids of the backups of a folder, newest first; none if it is missing. */
export async function backupIds(folder: string): Promise<string[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  return names
    .filter((name) => BACKUP_ID.test(name))
    .sort()
    .reverse()
}

/** Lists the backups of a folder, newest first. A damaged one has a problem instead of a manifest. */
export async function listBackups(folder: string): Promise<ListedBackup[]> {
  const ids = await backupIds(folder)
  return Promise.all(
    ids.map(async (id): Promise<ListedBackup> => {
      const path = join(folder, id)
      try {
        return { id, path, manifest: await readManifest(path) }
      } catch (error) {
        return { id, path, problem: messageOf(error) }
      }
    }),
  )
}

/** Removes backups. A crash in the middle leaves none of them half-removed under its name. */
export async function removeBackups(
  folder: string,
  ids: readonly string[],
  secrets: BackupSecrets,
): Promise<void> {
  for (const id of ids) {
    const hidden = join(folder, removedName(id, secrets))
    await rename(join(folder, id), hidden)
    await sync(folder)
    await rm(hidden, { recursive: true })
  }
}

/** Removes the files of this home's backups and removals that a crash interrupted. */
export async function removeLeftovers(folder: string, secrets: BackupSecrets): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : []
  const ours = [partialName('', secrets), removedName('', secrets)]
  for (const name of names.filter((one) => ours.some((prefix) => one.startsWith(prefix)))) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}
