import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { BatchRow, BatchStatement, Database } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'

/** Rows that may wait; past it new ones are dropped, so that a failing disk never fills the memory. */
export const BUFFER_CAPACITY = 10_000
/** Rows written in one go at the most. */
const CHUNK_ROWS = 500
/** How long the first row of a chunk waits for company. */
const LINGER_MS = 50
const DROPS_PER_WARNING = 100

export interface RowBufferOptions {
  db: Pick<Database, 'batch'>
  statement: BatchStatement
  clock: Clock
  log: Logger
  /** For the log: what the rows are. */
  name: string
  /** Told after each chunk that reached the disk. */
  onWritten?: (rows: number) => void
}

/**
 * Rows on their way to a log table. Adding one costs nothing and never fails the caller; they are written
 * together, in order. A write that fails is told and given up: logs must not hold up orders.
 */
export class RowBuffer {
  readonly #options: RowBufferOptions
  readonly #rows: BatchRow[] = []
  #timer: Timer | undefined
  #written: Promise<void> = Promise.resolve()
  #dropped = 0

  constructor(options: RowBufferOptions) {
    this.#options = options
  }

  /** Rows dropped since start, because too many waited or their write failed. */
  get dropped(): number {
    return this.#dropped
  }

  add(row: BatchRow): void {
    if (this.#rows.length >= BUFFER_CAPACITY) {
      this.#dropped += 1
      if (this.#dropped % DROPS_PER_WARNING === 1) {
        this.#options.log.warn('logs.rows_dropped', { rows: this.#options.name, dropped: this.#dropped })
      }
      return
    }
    this.#rows.push(row)
    if (this.#rows.length % CHUNK_ROWS === 0) void this.flush()
    else this.#timer ??= this.#options.clock.setTimeout(() => void this.flush(), LINGER_MS)
  }

  /** Resolves when every row added before the call was written (or given up). */
  flush(): Promise<void> {
    this.#options.clock.clear(this.#timer)
    this.#timer = undefined
    this.#written = this.#written.then(() => this.#writeWaiting())
    return this.#written
  }

  async #writeWaiting(): Promise<void> {
    const { db, statement, log, name, onWritten } = this.#options
    for (let waiting = this.#rows.length; waiting > 0; waiting -= CHUNK_ROWS) {
      const chunk = this.#rows.splice(0, Math.min(waiting, CHUNK_ROWS))
      try {
        await db.batch(statement, chunk)
        onWritten?.(chunk.length)
      } catch (error) {
        this.#dropped += chunk.length
        log.error('logs.write_failed', { rows: name, lost: chunk.length, message: messageOf(error) })
      }
    }
  }
}
