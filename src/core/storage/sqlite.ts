import sqlite3 from 'sqlite3'

/** What SQLite stores. Booleans and dates are turned into integers by the tables. */
export type SqlValue = string | number | null | Uint8Array

export type Row = Record<string, unknown>

/** Prepared statements a connection keeps; past it the least recently used is finalised. */
const MAX_STATEMENTS = 256

/** Statements under way on all connections of the process. */
let underWay = 0

/** Whether any database of this process works now: a virtual clock stands still meanwhile. */
export function isStorageBusy(): boolean {
  return underWay > 0
}

/**
 * One connection of the `sqlite3` package behind promises: the only file that imports it, so that another
 * driver can take its place. Statements are prepared once and kept.
 *
 * It is not safe to interleave two transactions on one connection: only the write queue of {@link Database}
 * may write through one.
 */
export class SqliteConnection {
  readonly #db: sqlite3.Database
  readonly #statements = new Map<string, sqlite3.Statement>()
  readonly #preparing = new Map<string, Promise<sqlite3.Statement>>()
  #underWay = 0

  private constructor(db: sqlite3.Database) {
    this.#db = db
  }

  /** Opens (creating when `writable`) with the pragmas every connection needs, and reads them back. */
  static async open(file: string, mode: 'writable' | 'readonly'): Promise<SqliteConnection> {
    const create = sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE
    const connection = new SqliteConnection(
      await openHandle(file, mode === 'writable' ? create : sqlite3.OPEN_READONLY),
    )
    try {
      await connection.#configure(mode)
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /** Opens a file that holds no data, only a lock. */
  static async openPlain(file: string): Promise<SqliteConnection> {
    return new SqliteConnection(await openHandle(file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE))
  }

  /** Whether a statement is being prepared or run. */
  get busy(): boolean {
    return this.#underWay > 0
  }

  /** Runs one statement and tells how many rows it changed. */
  run(sql: string, params: readonly SqlValue[] = []): Promise<{ changes: number }> {
    return this.#use(
      sql,
      (statement) =>
        new Promise((resolve, reject) => {
          statement.run(params, function (this: sqlite3.RunResult, error: Error | null) {
            if (error) reject(error)
            else resolve({ changes: this.changes })
          })
        }),
    )
  }

  /** All rows of one statement, as objects by column name. */
  all(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#use(
      sql,
      (statement) =>
        new Promise((resolve, reject) => {
          statement.all<Row>(params, (error: Error | null, rows: Row[]) =>
            error ? reject(error) : resolve(rows),
          )
        }),
    )
  }

  /** Runs a script of several statements, without parameters. */
  async script(sql: string): Promise<void> {
    this.#begun()
    try {
      await new Promise<void>((resolve, reject) => {
        this.#db.exec(sql, (error) => (error ? reject(error) : resolve()))
      })
    } finally {
      this.#ended()
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#preparing.values())
    await Promise.all([...this.#statements.values()].map(finalize))
    this.#statements.clear()
    await new Promise<void>((resolve, reject) => {
      this.#db.close((error) => (error ? reject(error) : resolve()))
    })
  }

  #begun(): void {
    this.#underWay += 1
    underWay += 1
  }

  #ended(): void {
    this.#underWay -= 1
    underWay -= 1
  }

  async #use<T>(sql: string, run: (statement: sqlite3.Statement) => Promise<T>): Promise<T> {
    this.#begun()
    try {
      const statement = this.#prepared(sql) ?? (await this.#prepare(sql))
      return await run(statement).catch((error: unknown) => resetAfter(statement, error))
    } finally {
      this.#ended()
    }
  }

  /** A statement that is ready, moved to the end of the order in which they are given up. */
  #prepared(sql: string): sqlite3.Statement | undefined {
    const known = this.#statements.get(sql)
    if (!known) return undefined
    this.#statements.delete(sql)
    this.#statements.set(sql, known)
    return known
  }

  /**
   * Waits for the preparation: the package drops what is queued on a statement that cannot be prepared. Callers
   * that ask for one text at the same time share one statement.
   */
  #prepare(sql: string): Promise<sqlite3.Statement> {
    const under = this.#preparing.get(sql)
    if (under) return under
    const prepared = this.#prepareOnce(sql).finally(() => this.#preparing.delete(sql))
    this.#preparing.set(sql, prepared)
    return prepared
  }

  async #prepareOnce(sql: string): Promise<sqlite3.Statement> {
    const statement = await new Promise<sqlite3.Statement>((resolve, reject) => {
      const handle = this.#db.prepare(sql, (error) => (error ? reject(error) : resolve(handle)))
    })
    this.#statements.set(sql, statement)
    if (this.#statements.size > MAX_STATEMENTS) {
      const [oldest, unused] = this.#statements.entries().next().value ?? []
      if (oldest !== undefined && unused) {
        this.#statements.delete(oldest)
        unused.finalize()
      }
    }
    return statement
  }

  /**
   * WAL with `synchronous=FULL` survives a power cut; the defaults of the package (journal `delete`, no foreign
   * keys, one second of patience) do not suit a daemon. A pragma that did not take is a reason not to start.
   */
  async #configure(mode: 'writable' | 'readonly'): Promise<void> {
    if (mode === 'writable') await this.script('pragma journal_mode = wal')
    await this.script('pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000')
    const wanted: Record<string, unknown> = {
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      busy_timeout: 5000,
    }
    for (const [name, expected] of Object.entries(wanted)) {
      const [row] = await this.all(`pragma ${name}`)
      const actual = Object.values(row ?? {})[0]
      if (actual !== expected)
        throw new Error(`SQLite refused ${name}=${String(expected)} (it is ${String(actual)})`)
    }
  }
}

/**
 * A statement that met a lock stays under way until it is reset, and while one does, nothing of its connection can be
 * committed.
 */
async function resetAfter(statement: sqlite3.Statement, error: unknown): Promise<never> {
  await new Promise<void>((resolve) => {
    statement.reset(() => resolve())
  })
  throw error
}

function finalize(statement: sqlite3.Statement): Promise<void> {
  return new Promise((resolve) => {
    statement.finalize(() => resolve())
  })
}

function openHandle(file: string, flags: number): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const handle = new sqlite3.Database(file, flags, (error) => (error ? reject(error) : resolve(handle)))
  })
}
