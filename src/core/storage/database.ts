import { stat } from 'node:fs/promises'
import { type Db, drizzleOver } from './drizzle.js'
import { FileIdentity } from './files/file-identity.js'
import { migrate, migrationsOf, type PendingMigration, refuseUnreadable, type SchemaName } from './migrate.js'
import { type Row, SqliteConnection, type SqlValue } from './sqlite.js'
import type { BatchRows, StatementRows } from './statements/batch.js'
import { LostFile } from './storage-errors.js'
import { type Tx, Writer } from './writer.js'

export interface DatabaseOptions {
  /** Path of the file; it is created if it does not exist. */
  file: string
  /** The migrations the file follows; undefined if the owner of the file manages its schema. */
  schema: SchemaName | undefined
  /** Returns the path of another lost file without which nothing may be stored. Every commit asks for it. */
  guard?: (() => string | undefined) | undefined
  /** Called before a file that holds data is copied and migrated, which may take seconds. */
  onMigrate?: ((pending: PendingMigration) => void) | undefined
}

/** Number of read connections. In WAL mode they run while the writer commits. */
const READERS = 2

/**
 * One SQLite file: one writer with group commit and a few readers beside it (WAL). Every change goes through
 * {@link write}, {@link batch} or {@link script}, every query through {@link read} or {@link queryRaw}.
 */
export class Database {
  /** Drizzle for queries. A query sees everything that was committed before it began. */
  readonly read: Db
  readonly file: string
  readonly #connection: SqliteConnection
  readonly #writer: Writer
  readonly #readers: SqliteConnection[]
  readonly #identity: FileIdentity
  readonly #guard: DatabaseOptions['guard']
  #turn = 0
  #isClosed = false

  private constructor(
    { file, guard }: DatabaseOptions,
    connection: SqliteConnection,
    readers: SqliteConnection[],
  ) {
    this.file = file
    this.#guard = guard
    this.#connection = connection
    this.#identity = new FileIdentity(file)
    this.#writer = new Writer(connection, () => this.missing())
    this.#readers = readers
    const all = (sql: string, params?: readonly SqlValue[]) => this.queryRaw(sql, params)
    this.read = drizzleOver(() => ({ all, run: (sql, params) => this.#reader().run(sql, params) }))
  }

  /**
   * Refuses files that this version cannot read. Runs before any file of a home is opened, because opening a
   * file may change it.
   *
   * @throws Error that names the file
   */
  static async refuseUnreadable(files: readonly DatabaseOptions[]): Promise<void> {
    await Promise.all(files.map(async ({ file, schema }) => schema && refuseUnreadable(file, schema)))
  }

  /** Opens the file and migrates its schema before anything else can use it. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const connection = await SqliteConnection.open(options.file, 'writable')
    try {
      if (options.schema) {
        await migrate(connection, options.file, migrationsOf(options.schema), options.onMigrate)
      }
      const readers = await Promise.all(
        Array.from({ length: READERS }, () => SqliteConnection.open(options.file, 'readonly')),
      )
      return new Database(options, connection, readers)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /**
   * Runs `fn` as one transaction, after the jobs queued before it. `fn` uses only its `tx` and does no
   * network I/O. Resolves once the transaction is durable. Rejects with the error of `fn` and undoes only its
   * own changes.
   */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#writer.transaction(fn)
  }

  /** Adds rows to a statement that concurrent callers share. Resolves once they are durable. */
  batch(rows: BatchRows): Promise<void> {
    return this.#writer.batch(rows)
  }

  /**
   * Runs statements that succeed or fail together, in the same trip to the database as the rest of the group.
   * Resolves once they are durable.
   *
   * @param take returns the statements when the group begins, so rows can be added until then @param sent is
   * called once the statements are on their way to SQLite
   */
  script(take: () => readonly StatementRows[], sent: () => void = () => undefined): Promise<void> {
    return this.#writer.script(take, sent)
  }

  /**
   * Runs on a reader a query that drizzle cannot express.
   * @throws ServiceError `unavailable` if it fails because a file of the database was removed or cut short
   */
  async queryRaw(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    try {
      return await this.#reader().all(sql, params)
    } catch (error) {
      const lost = this.missing()
      throw lost === undefined ? error : new LostFile(lost)
    }
  }

  /**
   * Returns the path of a file of this database that was removed, replaced or overwritten since it was
   * opened, or of the one that the guard reports.
   */
  missing(): string | undefined {
    // The close itself shortens and removes the write-ahead log.
    return this.#isClosed ? undefined : (this.#identity.missing() ?? this.#guard?.())
  }

  /** The number of open connections to the file. */
  get connections(): number {
    return this.#isClosed ? 0 : 1 + this.#readers.length
  }

  /** True while the disk accepts no writes: the last commit failed because it is full or failing. */
  get failing(): boolean {
    return this.#writer.failing
  }

  /** The number of writes that wait for the commit in progress. */
  get waitingWrites(): number {
    return this.#writer.waiting
  }

  /**
   * Commits a page without a change, which shows whether the disk accepts writes.
   * @throws ServiceError `storage_full` or `unavailable`
   */
  async tryWrite(): Promise<void> {
    const [row] = await this.queryRaw('pragma user_version')
    await this.write((tx) => tx.exec(`pragma user_version = ${Number(row?.user_version ?? 0)}`))
  }

  /**
   * Stops commits between two groups until the returned function is called. Callers of {@link write} wait for that
   * long.
   */
  hold(): Promise<() => void> {
    return this.#writer.hold()
  }

  /** Returns the size in bytes of the file and of its write-ahead log. */
  async size(): Promise<{ file: number; wal: number }> {
    const bytes = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0
    return { file: await bytes(this.file), wal: await bytes(`${this.file}-wal`) }
  }

  /** Finishes the accepted writes, folds the write-ahead log into the file and closes it. */
  async close(): Promise<void> {
    await this.#writer.close()
    this.#isClosed = true
    await Promise.all(this.#readers.map((reader) => reader.close()))
    // Passive, because another connection may have the file open, and a log that is cut short counts as lost.
    await this.#connection.script('pragma wal_checkpoint(passive)').catch(() => undefined)
    await this.#connection.close()
  }

  #reader(): SqliteConnection {
    this.#turn = (this.#turn + 1) % this.#readers.length
    const reader = this.#readers[this.#turn]
    if (!reader) throw new Error('the database is closed')
    return reader
  }
}
