import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock, Timer } from '../time/index.js'

/** The number of rows that may wait by default. More are dropped, so that a failing disk never fills the memory. */
const BUFFER_CAPACITY = 10_000
/** The maximum number of rows per write. */
const CHUNK_ROWS = 1000
/** The time that the first row of a chunk waits for more rows. Each chunk is a commit, which orders wait for too. */
const LINGER_MS = 250
const DROPS_PER_WARNING = 100

interface RowBufferOptions<Row> {
  /** Writes rows; all of them or none. */
  write(rows: readonly Row[]): Promise<void>
  clock: Clock
  log: Logger
  /** The name of the rows in the log. */
  name: string
  /** The number of rows that may wait; {@link BUFFER_CAPACITY} by default. */
  capacity?: number
  /** Called after each chunk that was written. */
  onWritten?: (rows: number) => void
}

/**
 * Buffers rows for a log table. Adding a row is cheap and never fails the caller; rows are written in
 * batches, in order. A failed write is logged and its rows are lost, because logs must not delay orders.
 */
export class RowBuffer<Row> {
  readonly #options: RowBufferOptions<Row>
  readonly #rows: Row[] = []
  #timer: Timer | undefined
  #written: Promise<void> = Promise.resolve()
  #dropped = 0

  constructor(options: RowBufferOptions<Row>) {
    this.#options = options
  }

  /** Rows dropped since start, because too many were waiting or their write failed. */
  get dropped(): number {
    return this.#dropped
  }

  /** Rows that wait to be written. */
  get waiting(): number {
    return this.#rows.length
  }

  add(row: Row): void {
    if (this.#rows.length >= (this.#options.capacity ?? BUFFER_CAPACITY)) {
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

  /** Resolves when every row added before the call is written or lost. */
  flush(): Promise<void> {
    this.#options.clock.clear(this.#timer)
    this.#timer = undefined
    this.#written = this.#written.then(() => this.#writeBuffered())
    return this.#written
  }

  async #writeBuffered(): Promise<void> {
    const { write, log, name, onWritten } = this.#options
    for (let waiting = this.#rows.length; waiting > 0; waiting -= CHUNK_ROWS) {
      const chunk = this.#rows.splice(0, Math.min(waiting, CHUNK_ROWS))
      try {
        await write(chunk)
        onWritten?.(chunk.length)
      } catch (error) {
        this.#dropped += chunk.length
        log.error('logs.write_failed', { rows: name, lost: chunk.length, message: messageOf(error) })
      }
    }
  }
}
