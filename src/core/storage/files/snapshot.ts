import { ServiceError } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import type { Database } from '../database.js'
import { SqliteConnection } from '../sqlite.js'

/** Pages that one step copies: about 2 MB, a few milliseconds on a worker thread. */
const STEP_PAGES = 512
/** The longest time for which the writers wait. Beyond it they go on, and the moment is tried again. */
const HOLD_LIMIT_MS = 250
const RETRY_MS = 1_000
const ATTEMPTS = 60

/** The state of a database file at one moment: an open read transaction. Writers continue beside it. */
export class Snapshot {
  private constructor(
    readonly file: string,
    private readonly connection: SqliteConnection,
  ) {}

  /** Opens a connection to a file. The snapshot has no moment before {@link begin}. */
  static async open(file: string): Promise<Snapshot> {
    return new Snapshot(file, await SqliteConnection.open(file, 'snapshot'))
  }

  /** Fixes the moment: commits that follow are not in the snapshot. */
  async begin(): Promise<void> {
    // Only a read begins the transaction of SQLite.
    await this.connection.script('begin; select 1 from sqlite_schema limit 1')
  }

  /** Gives up the moment. */
  async end(): Promise<void> {
    await this.connection.script('rollback')
  }

  /** Returns the size in bytes of a copy. */
  async bytes(): Promise<number> {
    const [pages] = await this.connection.all('pragma page_count')
    const [size] = await this.connection.all('pragma page_size')
    return Number(pages?.page_count) * Number(size?.page_size)
  }

  /**
   * Writes the state to a new file that is one file, without a write-ahead log.
   * @throws Error of SQLite if the disk is full, and with what `signal` was aborted
   */
  async copyTo(file: string, signal: AbortSignal): Promise<void> {
    await this.connection.copyTo(file, STEP_PAGES, () => signal.throwIfAborted())
    const copy = await SqliteConnection.openPlain(file)
    try {
      await copy.script('pragma journal_mode = delete')
    } finally {
      await copy.close()
    }
  }

  close(): Promise<void> {
    return this.connection.close()
  }
}

interface Moment {
  snapshots: readonly Snapshot[]
  /** When the snapshots were fixed, in epoch milliseconds. */
  at: number
  /** How long the writers waited. */
  heldMs: number
}

interface MomentOptions {
  databases: readonly Database[]
  /** Files that nobody has open. */
  others: readonly string[]
  clock: Pick<Clock, 'now' | 'monotonic' | 'setTimeout' | 'clear' | 'sleep'>
  signal: AbortSignal
}

/**
 * Fixes snapshots of several files at one moment, at which no commit is in progress in any of them. An order whose
 * answer was sent before the moment is in all of them, completely. No writer waits longer than {@link HOLD_LIMIT_MS}.
 * @throws ServiceError `unavailable` if the writers are never free together
 */
export async function snapshotsAtOneMoment(options: MomentOptions): Promise<Moment> {
  const { clock, databases, others, signal } = options
  const snapshots: Snapshot[] = []
  try {
    // The files are opened before the writers wait.
    for (const file of [...databases.map((database) => database.file), ...others]) {
      snapshots.push(await Snapshot.open(file))
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const moment = await fix(snapshots, options)
      if (moment) return { snapshots, ...moment }
      await clock.sleep(RETRY_MS, signal)
    }
    throw new ServiceError(
      'unavailable',
      'The backup found no moment between two long writes. Try again when less is written.',
    )
  } catch (error) {
    await Promise.all(snapshots.map((snapshot) => snapshot.close()))
    throw error
  }
}

/** Holds all writers and fixes the snapshots. @returns undefined if that takes too long; nothing is fixed then */
async function fix(
  snapshots: readonly Snapshot[],
  { databases, clock }: MomentOptions,
): Promise<Pick<Moment, 'at' | 'heldMs'> | undefined> {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let late = false
  const began = clock.monotonic()
  const limit = clock.setTimeout(() => {
    late = true
    release()
  }, HOLD_LIMIT_MS)
  try {
    const holds = databases.map(async (database) => {
      const free = await database.hold()
      void released.then(free)
    })
    await Promise.race([Promise.all(holds), released])
    if (late) return undefined
    const at = clock.now()
    await Promise.all(snapshots.map((snapshot) => snapshot.begin()))
    if (!late) return { at, heldMs: clock.monotonic() - began }
    await Promise.all(snapshots.map((snapshot) => snapshot.end()))
    return undefined
  } finally {
    clock.clear(limit)
    release()
  }
}
