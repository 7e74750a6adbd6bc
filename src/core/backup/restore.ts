import { existsSync } from 'node:fs'
import { chmod, copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NEXT_KEYS } from '../config/index.js'
import { crashPoint, ServiceError } from '../errors/index.js'
import { freeBytes, schemaProblem } from '../storage/index.js'
import { digestOf, privateFolder, sync, writeDurably } from './durable.js'
import { databasesOf, SCHEMAS } from './home-databases.js'
import type { BackupSecrets } from './key-checks.js'
import { differingSecrets, type Manifest } from './manifest.js'
import { decide, finishRestore, RESTORED, STAGE } from './swap.js'
import { verifyBackup } from './verify.js'
import { compactTime, diskError, makeParents, refuseWithoutRoom } from './write.js'

/**
 * Files that belong to the databases of a home and are set aside with them: the search index, and the keys of an
 * interrupted change of keys, without which the old svc.db may be unreadable.
 */
const BELONGING = ['svc.db-instruments', NEXT_KEYS]

interface RestoreOptions {
  /** The home, locked by the caller. */
  home: string
  /** The folder of one backup. */
  backup: string
  /** The secrets of the home. */
  secrets: BackupSecrets
  /** Sets the databases of the home aside; without it, a home that has databases is refused. */
  replace: boolean
  now: number
}

export interface Restored {
  manifest: Manifest
  /** The folder with the databases that the home had before; undefined if it had none. */
  setAside: string | undefined
}

/**
 * Replaces the databases of a stopped home by those of a backup. A crash at any moment leaves the old databases or the
 * new ones: everything is copied beside them first, and a restore that had begun to replace them is finished by the
 * next start (see {@link finishRestore}).
 * @throws ServiceError `validation` for a damaged backup or other secrets, `conflict` for a home with databases
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { home, backup, secrets, replace, now } = options
  await finishRestore(home)
  const { manifest } = await verifyBackup(backup, secrets)
  refuseOtherSecrets(manifest, secrets, home)
  refuseUnreadable(manifest)
  const replaced = databasesOf(home)
  if (replaced.length > 0 && !replace) {
    throw new ServiceError(
      'conflict',
      `${home} has databases already (${replaced.join(', ')}). With --replace they are set aside in a folder of the ` +
        'home, and the backup takes their place.',
    )
  }
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  refuseWithoutRoom(home, bytes, await freeBytes(join(home, 'any')))
  const setAside = freeName(home, `before-restore-${compactTime(now)}`)
  const restored = manifest.files.map(({ name }) => name)
  const removed = [...replaced.filter((name) => !restored.includes(name)), ...BELONGING]
  try {
    await stage(home, backup, manifest)
    const facts = {
      id: manifest.id,
      created_at: manifest.created_at,
      ...(replaced.length > 0 && { set_aside: setAside }),
    }
    await writeDurably(join(home, STAGE, RESTORED), `${JSON.stringify(facts)}\n`)
    await decide(home, { restored, removed, set_aside: setAside })
  } catch (error) {
    await rm(join(home, STAGE), { recursive: true, force: true })
    throw diskError(error, home)
  }
  await finishRestore(home)
  return { manifest, setAside: replaced.length > 0 ? join(home, setAside) : undefined }
}

/** Copies the files into the home, under the name of the stage, and compares the copies with the manifest. */
async function stage(home: string, backup: string, manifest: Manifest): Promise<void> {
  const folder = join(home, STAGE)
  await privateFolder(folder)
  for (const { name, sha256 } of manifest.files) {
    await makeParents(folder, name)
    const path = join(folder, name)
    await copyFile(join(backup, name), path)
    await chmod(path, 0o600)
    await sync(path)
    crashPoint('restore.midStage')
    if ((await digestOf(path)) === sha256) continue
    throw new ServiceError(
      'validation',
      `${join(backup, name)} changed while it was copied; nothing was restored.`,
    )
  }
}

function refuseOtherSecrets(manifest: Manifest, secrets: BackupSecrets, home: string): void {
  const names = differingSecrets(manifest, secrets)
  if (names.length === 0) return
  throw new ServiceError(
    'validation',
    `The backup was made with another ${names.join(' and ')} than ${home} has: its data could not be read. Put the ` +
      'config.env that belongs to the backup into the home first.',
  )
}

function refuseUnreadable(manifest: Manifest): void {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const file = manifest.files.find((one) => one.name === name)
    const problem = schemaProblem(schema, file?.schema ?? 0)
    if (problem === undefined) continue
    throw new ServiceError('validation', `${name} of the backup (svc ${manifest.version}) ${problem}`)
  }
}

/** Returns a name that no file of the home has. */
function freeName(home: string, name: string): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (!existsSync(join(home, candidate))) return candidate
  }
}
