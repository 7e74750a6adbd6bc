import { stat } from 'node:fs/promises'
import type { BatchRow, BatchStatement } from './batch.js'
import { type Db, drizzleOver } from './drizzle.js'
import { FileIdentity } from './file-identity.js'
import { migrate, refuseNewer, type SchemaName } from './migrate.js'
import { type Row, SqliteConnection, type SqlValue } from './sqlite.js'
import { type Filled, type Tx, Writer } from './writer.js'

export interface DatabaseOptions {
  /** Path of the file; created when absent. */
  file: string
  /** Which set of migrations it follows; undefined for a file that keeps its own schema. */
  schema: SchemaName | undefined
}

/** Readers beside the one writer. WAL lets them run while it commits. */
const READERS = 2

/**
 * One SQLite file: one writer with group commit, a few readers beside it (WAL). Every change goes through
 * {@link write} or {@link batch}, every query through {@link read}.
 */
export class Database {
  /** Drizzle for queries. It sees what was committed before the query began. */
  readonly read: Db
  readonly file: string
  readonly #connection: SqliteConnection
  readonly #writer: Writer
  readonly #readers: SqliteConnection[]
  readonly #identity: FileIdentity
  #turn = 0

  private constructor(file: string, connection: SqliteConnection, readers: SqliteConnection[]) {
    this.file = file
    this.#connection = connection
    this.#identity = new FileIdentity(file)
    this.#writer = new Writer(connection, () => this.#identity.missing())
    this.#readers = readers
    this.read = drizzleOver(() => this.#reader())
  }

  /**
   * Looks at all files of a home before any of them is opened, since opening one may change it.
   * @throws Error when one was written by a newer version
   */
  static async refuseNewer(files: readonly DatabaseOptions[]): Promise<void> {
    await Promise.all(files.map(async ({ file, schema }) => schema && refuseNewer(file, schema)))
  }

  /** Opens the file, brings its schema up to date (alone, before anything else may use it) and is ready. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const connection = await SqliteConnection.open(options.file, 'writable')
    try {
      if (options.schema) await migrate(connection, options.file, options.schema)
      const readers = await Promise.all(
        Array.from({ length: READERS }, () => SqliteConnection.open(options.file, 'readonly')),
      )
      return new Database(options.file, connection, readers)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /**
   * One transaction, queued behind those before it. `fn` uses only its `tx` and does no network I/O.
   * Resolves once durable; rejects with what `fn` threw, its changes undone, those of others kept.
   */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#writer.transaction(fn)
  }

  /** Rows for a statement shared with whoever else writes to it now. Resolves once durable. */
  batch(statement: BatchStatement, rows: readonly BatchRow[]): Promise<void> {
    return this.#writer.batch(statement, rows)
  }

  /**
   * Statements that stand or fall together, in one trip with whatever else is committed now. Resolves once durable.
   * @param take says which, when the transaction begins: until then, more rows may join them
   * @param sent runs while the statements are under way
   */
  script(take: () => readonly Filled[], sent: () => void = () => undefined): Promise<void> {
    return this.#writer.script(take, sent)
  }

  /** A query drizzle cannot say, on a reader. */
  queryRaw(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#reader().all(sql, params)
  }

  /** The path of a file of this database that was removed or replaced since it was opened. */
  missing(): string | undefined {
    return this.#identity.missing()
  }

  /** Bytes of the file and of the log that still waits to be folded into it. */
  async size(): Promise<{ file: number; wal: number }> {
    const bytes = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0
    return { file: await bytes(this.file), wal: await bytes(`${this.file}-wal`) }
  }

  /** Finishes what was accepted, folds the log into the file and closes. */
  async close(): Promise<void> {
    await this.#writer.close()
    await Promise.all(this.#readers.map((reader) => reader.close()))
    await this.#connection.script('pragma wal_checkpoint(truncate)').catch(() => undefined)
    await this.#connection.close()
  }

  #reader(): SqliteConnection {
    this.#turn = (this.#turn + 1) % this.#readers.length
    const reader = this.#readers[this.#turn]
    if (!reader) throw new Error('the database is closed')
    return reader
  }
}
