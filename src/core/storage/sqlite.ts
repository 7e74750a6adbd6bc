import sqlite3 from 'sqlite3'

/** The part of the package that its own types leave out: a copy of an open database, page by page. */
declare module 'sqlite3' {
  interface Backup {
    readonly completed: boolean
    readonly failed: boolean
    step(pages: number, callback: (error: Error | null) => void): void
    finish(callback: () => void): void
  }
  interface Database {
    backup(file: string, callback: (error: Error | null) => void): Backup
  }
}

/** A value that SQLite stores. The tables turn booleans and dates into integers. */
export type SqlValue = string | number | null | Uint8Array

export type Row = Record<string, unknown>

/** Most prepared statements per connection. Beyond it, the least recently used one is finalised. */
const MAX_STATEMENTS = 256

type ConnectionMode = 'writable' | 'readonly' | 'snapshot'

/** The pragmas of every connection. */
const PRAGMAS = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, busy_timeout: 5000 } as const

/** Running statements on all connections of the process. */
let inFlight = 0
/** Calls of {@link storageIdle} that wait. */
let waiting: (() => void)[] = []

/**
 * Returns whether a statement runs in any database of this process. A virtual clock does not move while one
 * does.
 */
export function isStorageBusy(): boolean {
  return inFlight > 0
}

/** Waits, without using the processor, until no statement runs in any database of this process. */
export function storageIdle(): Promise<void> {
  if (inFlight === 0) return Promise.resolve()
  return new Promise((resolve) => waiting.push(resolve))
}

/**
 * One connection of the `sqlite3` package, with promises. Only this file imports the package, so that another
 * driver can replace it. The connection prepares each statement once and keeps it.
 *
 * Two transactions must not interleave on one connection, so only the writer of {@link Database} may write
 * through one.
 */
export class SqliteConnection {
  readonly #db: sqlite3.Database
  readonly #statements = new Map<string, sqlite3.Statement>()
  readonly #preparing = new Map<string, Promise<sqlite3.Statement>>()
  #inFlight = 0
  #isClosing = false
  #whenIdle: (() => void) | undefined

  private constructor(db: sqlite3.Database) {
    this.#db = db
  }

  /**
   * Opens a file with the pragmas every connection needs and reads them back. `writable` creates the file. A `snapshot` is only
   * read for a copy, so its file may have another journal mode: a restored one, which nothing has opened for writing yet.
   */
  static async open(file: string, mode: ConnectionMode): Promise<SqliteConnection> {
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

  /** Opens a file without these pragmas, to lock it or to check it. */
  static async openPlain(file: string): Promise<SqliteConnection> {
    return new SqliteConnection(await openHandle(file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE))
  }

  /** Opens a file that must stay as it is. A file in WAL mode cannot be read from a read-only folder. */
  static async openUnchanged(file: string): Promise<SqliteConnection> {
    return new SqliteConnection(await openHandle(file, sqlite3.OPEN_READONLY))
  }

  /** Returns whether a statement is being prepared or runs. */
  get busy(): boolean {
    return this.#inFlight > 0
  }

  /** Runs one statement and returns the number of rows it changed. */
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

  /** Returns all rows of one statement, as objects by column name. */
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

  /** Runs several statements without parameters. */
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

  /**
   * Copies the database to a new file, a few pages at a time, so that other work can run in between. Inside a
   * read transaction it copies the state at the beginning of that transaction.
   * @param beforeStep is called before each part; the copy fails with what it throws
   */
  async copyTo(file: string, pages: number, beforeStep: () => void): Promise<void> {
    this.#begun()
    try {
      const copy = await new Promise<sqlite3.Backup>((resolve, reject) => {
        const opened = this.#db.backup(file, (error) => (error ? reject(error) : resolve(opened)))
      })
      try {
        while (!copy.completed) {
          beforeStep()
          await new Promise<void>((resolve, reject) => {
            copy.step(pages, (error) => (error ? reject(error) : resolve()))
          })
        }
      } finally {
        await new Promise<void>((resolve) => copy.finish(resolve))
      }
    } finally {
      this.#ended()
    }
  }

  /** Ends the running statements with an error. */
  interrupt(): void {
    this.#db.interrupt()
  }

  /**
   * Refuses new statements, waits for the running ones and closes the file. SQLite does not close a connection that
   * still has a statement.
   */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.busy)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve
      })
    await Promise.all([...this.#statements.values()].map(finalize))
    this.#statements.clear()
    await new Promise<void>((resolve, reject) => {
      this.#db.close((error) => (error ? reject(error) : resolve()))
    })
  }

  #begun(): void {
    if (this.#isClosing) throw new Error('the database is closed')
    this.#inFlight += 1
    inFlight += 1
  }

  #ended(): void {
    this.#inFlight -= 1
    inFlight -= 1
    if (!this.busy) this.#whenIdle?.()
    if (inFlight > 0 || waiting.length === 0) return
    const idle = waiting
    waiting = []
    for (const resolve of idle) resolve()
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

  /** Returns a prepared statement and marks it as the most recently used. */
  #prepared(sql: string): sqlite3.Statement | undefined {
    const known = this.#statements.get(sql)
    if (!known) return undefined
    this.#statements.delete(sql)
    this.#statements.set(sql, known)
    return known
  }

  /**
   * Prepares a statement and waits for it, because the package drops calls queued on a statement that cannot
   * be prepared. Callers that ask for the same text at the same time share one statement.
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
   * Sets the pragmas and throws if one did not take effect. WAL with `synchronous=FULL` survives a power cut.
   * The defaults of the package (journal mode `delete`, no foreign keys, a busy timeout of one second) do not
   * suit a daemon.
   */
  async #configure(mode: ConnectionMode): Promise<void> {
    if (mode === 'writable') await this.script('pragma journal_mode = wal')
    await this.script('pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000')
    const [actual] = await this.all(
      `select journal_mode, synchronous, foreign_keys, timeout as busy_timeout
         from pragma_journal_mode, pragma_synchronous, pragma_foreign_keys, pragma_busy_timeout`,
    )
    for (const [name, expected] of Object.entries(PRAGMAS)) {
      if (mode === 'snapshot' && name === 'journal_mode') continue
      if (actual?.[name] !== expected)
        throw new Error(`SQLite refused ${name}=${expected} (it is ${String(actual?.[name])})`)
    }
  }
}

/**
 * Resets a statement after an error. A statement that met a lock stays active until it is reset, and SQLite
 * commits nothing on a connection with an active statement.
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
