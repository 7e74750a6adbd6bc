import { messageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Database } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { openFolder, ownBackups, removeBackups, removeLeftovers } from './folder.js'
import type { BackupSecrets } from './key-checks.js'
import type { BackupOrigin, Manifest } from './manifest.js'
import { lastDue, nextDue } from './schedule.js'
import { diskError, writeBackup } from './write.js'

/** The interval at which the schedule is checked. */
const CHECK_MS = 30_000
/** The time after which a scheduled backup that failed is tried again. */
const RETRY_MS = 15 * 60_000
/** The time that a scheduled backup may take before it counts as missed. */
const GRACE_MS = 60 * 60_000

export interface BackupOptions {
  home: string
  /** The folder of the backups; its parent exists. */
  folder: string
  secrets: BackupSecrets
  version: string
  /** A cron expression in IST; undefined without a schedule. */
  schedule: string | undefined
  /** How many scheduled backups are kept. */
  keep: number
  /** Returns the databases that are open now. */
  databases: () => readonly Database[]
  clock: Clock
  log: Logger
}

/** The last backup that failed since the last one that succeeded. */
export interface BackupFailure {
  at: number
  message: string
  /** When the first of them failed. */
  since: number
}

/** The backups of a home: made on request and by schedule, one at a time. */
export class Backups {
  readonly #options: BackupOptions
  readonly #stop = new AbortController()
  #running: Promise<Manifest> | undefined
  #failure: BackupFailure | undefined
  #timer: Timer | undefined
  /** When the schedule last began a backup. */
  #attemptedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined

  constructor(options: BackupOptions) {
    this.#options = options
  }

  get folder(): string {
    return this.#options.folder
  }

  /** Begins to follow the schedule. A backup that was due while the daemon was down is made now. */
  start(): void {
    const { clock, folder, schedule, secrets, log } = this.#options
    removeLeftovers(folder, secrets).catch((error: unknown) => {
      log.warn('backup.leftovers', { folder, error: messageOf(error) })
    })
    if (schedule === undefined) return
    this.#timer = clock.setInterval(() => {
      this.#checking ??= this.#check(schedule)
        .catch((error: unknown) => log.error('backup.check_failed', { folder, error: messageOf(error) }))
        .finally(() => {
          this.#checking = undefined
        })
    }, CHECK_MS)
  }

  /** Gives up a backup in progress, and waits until nothing of it is left. */
  async close(): Promise<void> {
    this.#options.clock.clear(this.#timer)
    this.#stop.abort(new ServiceError('unavailable', 'The service is stopping; no backup was made.'))
    await this.#running?.catch(() => undefined)
    await this.#checking
  }

  /**
   * Makes a backup and resolves when it is complete, checked and on the disk.
   * @throws ServiceError `conflict` while another one is made, `storage_full`, `unavailable`
   */
  async make(origin: BackupOrigin): Promise<Manifest> {
    if (this.#running) throw new ServiceError('conflict', 'Another backup is being made; wait for it.')
    const { clock, log } = this.#options
    this.#running = this.#write(origin)
    try {
      const began = clock.monotonic()
      const manifest = await this.#running
      this.#failure = undefined
      const { id, held_ms } = manifest
      log.info('backup.made', {
        id,
        origin,
        bytes: sizeOf(manifest),
        held_ms,
        took_ms: clock.monotonic() - began,
      })
      return manifest
    } catch (error) {
      const at = clock.now()
      if (!this.#stop.signal.aborted) {
        this.#failure = { at, message: messageOf(error), since: this.#failure?.since ?? at }
        log.error('backup.failed', { origin, error: messageOf(error) })
      }
      throw error
    } finally {
      this.#running = undefined
    }
  }

  /** Returns the backups of this home, newest first, the schedule, and whether it is followed. */
  async state() {
    const { clock, keep, schedule } = this.#options
    let failure = this.#failure
    const made = await this.#list().catch((error: unknown) => {
      const at = clock.now()
      failure ??= { at, message: `${this.folder} cannot be read: ${messageOf(error)}.`, since: at }
      return []
    })
    const [newest] = made
    const newestAt = newest && Date.parse(newest.created_at)
    const due = schedule === undefined ? undefined : lastDue(schedule, clock.now() - GRACE_MS)
    return {
      schedule: schedule ?? null,
      keep,
      folder: this.folder,
      running: this.#running !== undefined,
      made,
      /** True if the schedule asked for a backup that does not exist, an hour later. */
      overdue: due !== undefined && (newestAt ?? Number.NEGATIVE_INFINITY) < due,
      next: schedule === undefined ? undefined : nextDue(schedule, clock.now()),
      failure,
    }
  }

  /** Lists the backups of this home, newest first. */
  #list(): Promise<Manifest[]> {
    return ownBackups(this.folder, this.#options.secrets)
  }

  async #write(origin: BackupOrigin): Promise<Manifest> {
    const { clock, databases, folder, home, secrets, version } = this.#options
    try {
      await openFolder(folder)
      await removeLeftovers(folder, secrets)
    } catch (error) {
      throw diskError(error, folder)
    }
    const { signal } = this.#stop
    return writeBackup({ home, folder, databases: databases(), origin, version, secrets, clock, signal })
  }

  /** Makes the backup that is due, and removes the scheduled ones beyond the number that is kept. */
  async #check(schedule: string): Promise<void> {
    const { clock, folder, keep, log, secrets } = this.#options
    const now = clock.now()
    const due = lastDue(schedule, now)
    if (this.#running || (this.#attemptedAt >= due && now - this.#attemptedAt < RETRY_MS)) return
    // A folder that cannot be read fails the backup, which reports it.
    const [newest] = await this.#list().catch(() => [])
    if (newest && Date.parse(newest.created_at) >= due) return
    this.#attemptedAt = now
    const isMade = await this.make('scheduled').then(
      () => true,
      () => false,
    )
    if (!isMade) return
    try {
      const scheduled = (await this.#list()).filter(({ origin }) => origin === 'scheduled')
      const old = scheduled.slice(keep).map(({ id }) => id)
      await removeBackups(folder, old, secrets)
    } catch (error) {
      log.error('backup.prune_failed', { folder, error: messageOf(error) })
    }
  }
}

/** Returns the size of a backup in bytes. */
export function sizeOf({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}
