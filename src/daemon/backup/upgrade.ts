import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { databasesOf, makeOffline } from '../../core/backup/index.js'
import { loadConfig } from '../../core/config/index.js'
import { messageOf } from '../../core/errors/index.js'
import { silentLogger } from '../../core/logging/index.js'
import { countUnsettled } from '../../core/orders/index.js'
import { FileLock, newestMigration, openCopy, type SchemaName, Snapshot } from '../../core/storage/index.js'
import { countRunning } from '../../core/strategies/index.js'
import { SystemClock } from '../../core/time/index.js'
import { finishInterrupted } from '../process/key-change.js'
import { HomeLock } from '../process/lock.js'
import { startFailure } from '../process/start-failure.js'
import { openStores } from '../service/stores.js'
import { VERSION } from '../version.js'
import type { OfflineHome } from './offline.js'
import { backupFolder } from './open.js'

const SCHEMAS = ['svc', 'sandbox', 'logs'] as const
/** The newest migration of each database of a home; 0 for a file that does not exist. */
export type Schemas = Record<SchemaName, number>

/** What an upgrade must know of a home. Its daemon may run. */
export interface HomeFacts {
  schemas: Schemas
  /** The size of all databases. */
  bytes: number
  /** The orders that are being sent or in doubt. */
  unsettled: number
  /** The strategies with an open run. */
  running: number
}

/** Takes a lock between processes, which ends with this process. Undefined while another process has it. */
export async function lockFile(file: string): Promise<FileLock | undefined> {
  try {
    return await FileLock.acquire(file)
  } catch (error) {
    if (/SQLITE_(BUSY|LOCKED)/.test(messageOf(error))) return undefined
    throw error
  }
}

/** Reads the facts of a home without changing it. */
export async function factsOfHome({ home }: Pick<OfflineHome, 'home'>): Promise<HomeFacts> {
  const sizes = databasesOf(home)
    .flatMap((name) => [join(home, name), join(home, `${name}-wal`)])
    .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  const facts = { schemas: await schemasOf(home), bytes: sizes.reduce((sum, size) => sum + size, 0) }
  if (facts.schemas.svc === 0) return { ...facts, unsettled: 0, running: 0 }
  const copy = await openCopy(join(home, 'svc.db'), 'order_journal')
  try {
    return { ...facts, unsettled: await countUnsettled(copy), running: await countRunning(copy) }
  } finally {
    await copy.close()
  }
}

/** Returns the newest migration of each database, also of a home that a newer version has migrated. */
export async function schemasOf(home: string): Promise<Schemas> {
  const newest = (name: SchemaName) => newestMigration(join(home, `${name}.db`))
  return { svc: await newest('svc'), sandbox: await newest('sandbox'), logs: await newest('logs') }
}

/**
 * Writes a copy of the databases of a home, whose daemon may run, and of its secrets into a new private folder.
 * @throws the reason of `signal`, if it ends the copy
 */
export async function copyHome(home: string, folder: string, signal: AbortSignal): Promise<void> {
  process.umask(0o077)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  for (const name of SCHEMAS.map((schema) => `${schema}.db`)) {
    if (!existsSync(join(home, name))) continue
    const snapshot = await Snapshot.open(join(home, name))
    try {
      await snapshot.begin()
      await snapshot.copyTo(join(folder, name), signal)
    } finally {
      await snapshot.close()
    }
  }
  if (!existsSync(join(home, 'config.env'))) return
  copyFileSync(join(home, 'config.env'), join(folder, 'config.env'))
  chmodSync(join(folder, 'config.env'), 0o600)
}

/**
 * Migrates the databases of a home without a running daemon, and starts nothing: no order can be sent.
 * @throws Error when a database cannot be read or migrated; that file is unchanged then
 */
export async function migrateStopped(at: OfflineHome): Promise<Schemas> {
  const { home } = at
  const held = await StoppedHome.hold(at)
  try {
    if (existsSync(join(home, 'svc.db'))) {
      const { values: config } = loadConfig(at)
      const clock = new SystemClock()
      const { databases } = await openStores({ home, config, clock, log: silentLogger })
      await Promise.all(Object.values(databases).map((database) => database.close()))
    }
    return await schemasOf(home)
  } catch (error) {
    throw startFailure(error, home)
  } finally {
    await held.release()
  }
}

/** A home that no daemon has open, and that none can open before {@link release}, however it is started. */
export class StoppedHome {
  readonly #at: OfflineHome
  readonly #lock: HomeLock
  readonly #clock: SystemClock

  private constructor(at: OfflineHome, lock: HomeLock, clock: SystemClock) {
    this.#at = at
    this.#lock = lock
    this.#clock = clock
  }

  /** @throws ServiceError `conflict` while a daemon runs there */
  static async hold(at: OfflineHome): Promise<StoppedHome> {
    process.umask(0o077)
    const clock = new SystemClock()
    const held = new StoppedHome(at, await HomeLock.acquire(at.home, clock), clock)
    try {
      await finishInterrupted(at.home)
      return held
    } catch (error) {
      await held.release()
      throw startFailure(error, at.home)
    }
  }

  /** Makes a backup that no order can be newer than. @returns its folder. @throws ServiceError `storage_full` without room */
  async backUp(): Promise<string> {
    const { home } = this.#at
    const { values: config } = loadConfig(this.#at)
    const folder = backupFolder(home, config.BACKUP_DIR)
    const { id } = await makeOffline({ home, folder, secrets: config, version: VERSION, clock: this.#clock })
    return join(folder, id)
  }

  release(): Promise<void> {
    return this.#lock.release()
  }
}
