import { CronExpressionParser } from 'cron-parser'
import { messageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Database } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { openFolder, removeBackups, removeLeftovers } from './folder.js'
import type { BackupSecrets } from './key-checks.js'
import { type BackupFailure, KnownBackups } from './known.js'
import type { BackupOrigin, Manifest } from './manifest.js'
import { diskError, writeBackup } from './write.js'

/** The interval at which the folder and the schedule are checked. */
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
  /** Learns of each backup that was made. */
  onMade: (manifest: Manifest) => void
  /** Learns of the scheduled backups that were removed because newer ones are enough. */
  onRemoved: (ids: readonly string[]) => void
  /** Learns of each backup that failed. */
  onFailure: (failure: BackupFailure, origin: BackupOrigin) => void
  clock: Clock
  log: Logger
}

/** The backups of a home: made on request and by schedule, one at a time. */
export class Backups {
  readonly #options: BackupOptions
  readonly #known: KnownBackups
  readonly #stop = new AbortController()
  #running: Promise<Manifest> | undefined
  /** The last backup that failed since the last one that succeeded. */
  #failure: BackupFailure | undefined
  #timer: Timer | undefined
  /** When the schedule last began a backup. */
  #attemptedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined

  constructor(options: BackupOptions) {
    this.#options = options
    this.#known = new KnownBackups(options)
  }

  get folder(): string {
    return this.#options.folder
  }

  /** Begins to follow the folder and the schedule. A backup that was due while the daemon was down is made now. */
  start(): void {
    const { clock, folder, secrets, log } = this.#options
    removeLeftovers(folder, secrets).catch((error: unknown) => {
      log.warn('backup.leftovers', { folder, error: messageOf(error) })
    })
    void this.#look()
    this.#timer = clock.setInterval(() => {
      this.#checking ??= this.#check()
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
    const { clock, log, onFailure, onMade } = this.#options
    this.#running = this.#write(origin)
    try {
      const began = clock.monotonic()
      const manifest = await this.#running
      this.#failure = undefined
      await this.#look()
      const { id, held_ms } = manifest
      log.info('backup.made', {
        id,
        origin,
        bytes: sizeOf(manifest),
        held_ms,
        took_ms: clock.monotonic() - began,
      })
      onMade(manifest)
      return manifest
    } catch (error) {
      const at = clock.now()
      if (!this.#stop.signal.aborted) {
        this.#failure = { at, message: messageOf(error), since: this.#failure?.since ?? at }
        log.error('backup.failed', { origin, error: messageOf(error) })
        onFailure(this.#failure, origin)
      }
      throw error
    } finally {
      this.#running = undefined
    }
  }

  /** Returns the backups of this home, newest first, the schedule, and whether it is followed. Reads the folder. */
  async state() {
    const { clock, keep, schedule } = this.#options
    const made = await this.#look()
    return {
      keep,
      folder: this.folder,
      running: this.#running !== undefined,
      next: schedule === undefined ? undefined : nextDue(schedule, clock.now()),
      ...this.health(),
      made,
    }
  }

  /** Returns when the last backup was made and whether something is wrong, as of the last check of the folder. */
  health() {
    const { clock, schedule } = this.#options
    const { made, unreadable } = this.#known.seen
    const newest_at = made?.[0]?.created_at
    const due = schedule === undefined ? undefined : lastDue(schedule, clock.ago(GRACE_MS))
    return {
      schedule: schedule ?? null,
      newest_at,
      /** True if the schedule asked for a backup that does not exist, an hour later. */
      overdue: made !== undefined && due !== undefined && timeOf(newest_at) < due,
      failure: this.#failure ?? unreadable,
    }
  }

  /** Looks at the folder. @returns the backups of this home, newest first; none if the folder cannot be read */
  #look(): Promise<readonly Manifest[]> {
    return this.#known.look().catch(() => [])
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

  /** Looks at the folder, makes the backup that is due, and removes the scheduled ones beyond the number that is kept. */
  async #check(): Promise<void> {
    const { clock, folder, keep, log, onRemoved, schedule, secrets } = this.#options
    // A folder that cannot be read fails the backup, which reports it.
    const [newest] = await this.#look()
    if (schedule === undefined) return
    const now = clock.now()
    const due = lastDue(schedule, now)
    if (this.#running || (this.#attemptedAt >= due && clock.since(this.#attemptedAt) < RETRY_MS)) return
    if (timeOf(newest?.created_at) >= due) return
    this.#attemptedAt = now
    const isMade = await this.make('scheduled').then(
      () => true,
      () => false,
    )
    if (!isMade) return
    try {
      const scheduled = (await this.#known.look()).filter(({ origin }) => origin === 'scheduled')
      const old = scheduled.slice(keep).map(({ id }) => id)
      await removeBackups(folder, old, secrets)
      if (old.length === 0) return
      onRemoved(old)
      await this.#look()
    } catch (error) {
      log.error('backup.prune_failed', { folder, error: messageOf(error) })
    }
  }
}

/** Returns the moment of a backup; before all others if there is none. */
const timeOf = (createdAt: string | undefined): number =>
  createdAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(createdAt)

/** Returns the size of a backup in bytes. */
export function sizeOf({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

const ZONE = 'Asia/Kolkata'

/** Returns the last instant of a cron expression (IST) up to and including `upTo`, in epoch milliseconds. */
function lastDue(cron: string, upTo: number): number {
  // `prev` leaves out its own instant.
  return parse(cron, upTo + 1000)
    .prev()
    .getTime()
}

/** Returns the first instant of a cron expression (IST) after `after`, in epoch milliseconds. */
function nextDue(cron: string, after: number): number {
  return parse(cron, after).next().getTime()
}

function parse(cron: string, currentDate: number) {
  return CronExpressionParser.parse(cron, { tz: ZONE, currentDate })
}
