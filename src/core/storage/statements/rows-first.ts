import type { Database } from '../database.js'
import type { StatementRows } from './batch.js'

/**
 * Rows that must be durable before something leaves the process. They are stored once: with the first write that takes them
 * along, which then needs no commit of their own, or alone.
 */
export class RowsFirst {
  readonly #db: Pick<Database, 'script'>
  readonly #rows: () => readonly StatementRows[]
  #stored: Promise<void> | undefined

  constructor(db: Pick<Database, 'script'>, rows: () => readonly StatementRows[]) {
    this.#db = db
    this.#rows = rows
  }

  /** Stores the rows alone, unless a write has taken them along. Resolves once they are durable. */
  store(): Promise<void> {
    this.#stored ??= this.#begin((rows) => this.#db.script(() => rows))
    return this.#stored
  }

  /**
   * Stores the rows together with those of another write. A failure is final: every later call fails with it, and its
   * write does not run.
   *
   * @param write stores the given rows with its own, in one transaction; rows that are durable already are not given
   */
  async storeWith(write: (rows: readonly StatementRows[]) => Promise<void>): Promise<void> {
    if (this.#stored) {
      await this.#stored
      return write([])
    }
    this.#stored = this.#begin(write)
    return this.#stored
  }

  /** Resolves when nothing of it is on its way any more. @throws the failure of the write that had the rows */
  async settled(): Promise<void> {
    await this.#stored
  }

  #begin(write: (rows: readonly StatementRows[]) => Promise<void>): Promise<void> {
    const stored = write(this.#rows())
    // Who began it without waiting looks at the failure later.
    stored.catch(() => undefined)
    return stored
  }
}

/** Stores the rows that a write waits for together with it. Without such rows, runs the write alone. */
export function storedWith(
  first: RowsFirst | undefined,
  write: (rows: readonly StatementRows[]) => Promise<void>,
): Promise<void> {
  return first ? first.storeWith(write) : write([])
}
