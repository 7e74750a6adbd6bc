import { messageOf, ServiceError } from '../errors/index.js'
import { type BatchRow, BatchStatement, type RowsSql } from './batch.js'
import { type Db, drizzleOver } from './drizzle.js'
import type { Row, SqliteConnection, SqlValue } from './sqlite.js'

/** A statement and the rows it is for. Without rows it does not run. */
export interface Filled {
  statement: RowsSql
  rows: readonly BatchRow[]
}

/** A transaction handed to a write: drizzle, plus raw statements for what drizzle cannot say. */
export type Tx = Db & {
  exec(sql: string, params?: readonly SqlValue[]): Promise<{ changes: number }>
  query(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
}

interface TransactionJob {
  kind: 'transaction'
  run: (tx: Tx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface BatchJob {
  kind: 'batch'
  statement: BatchStatement
  rows: readonly BatchRow[]
  resolve: () => void
  reject: (error: unknown) => void
}

/** Statements that stand or fall together, decided when the group begins. */
interface ScriptJob {
  kind: 'script'
  text: () => string
  sent: () => void
  resolve: () => void
  reject: (error: unknown) => void
}

type Job = TransactionJob | BatchJob | ScriptJob

/** Jobs that share one COMMIT at the most; bounds how long the first of them waits. */
const MAX_GROUP = 512
/** So many are never parted: the disk takes about as long for one as for all of them. */
const WHOLE_GROUP = 64
/** Jobs that may wait; past it the service says so instead of growing without end. */
const MAX_WAITING = 20_000
/** A transaction that takes longer is given up and rolled back. */
const TRANSACTION_LIMIT_MS = 10_000

/**
 * The only way to change a database file: one connection, one queue. Whatever waits when the writer becomes free
 * runs in one SQL transaction (group commit), each job under its own SAVEPOINT, so that one failing request
 * takes back nothing of another's and all are answered after the one COMMIT reached the disk.
 */
export class Writer {
  readonly #connection: SqliteConnection
  readonly #missing: () => string | undefined
  readonly #waiting: Job[] = []
  #draining: Promise<void> | undefined
  #closed = false
  /** The transaction whose function runs now. */
  #running: { giveUp: (error: Error) => void } | undefined

  /** @param missing the path of a file that the connection has open and that is not there any more */
  constructor(connection: SqliteConnection, missing: () => string | undefined = () => undefined) {
    this.#connection = connection
    this.#missing = missing
  }

  /** Runs `fn` as one transaction. It must use only its `tx` and do no I/O but SQL. */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#enqueue({ kind: 'transaction', run: fn, resolve: resolve as (value: unknown) => void, reject })
    })
  }

  /** Adds rows to a statement that runs once for every caller of the group. */
  batch(statement: BatchStatement, rows: readonly BatchRow[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ kind: 'batch', statement, rows, resolve, reject })
    })
  }

  /**
   * Statements that stand or fall together, without a trip to the database for each.
   * @param take says which, when the group begins: until then, more rows may join them
   * @param sent runs while the statements are under way
   */
  script(take: () => readonly Filled[], sent: () => void): Promise<void> {
    let text: string | undefined
    return new Promise((resolve, reject) => {
      this.#enqueue({
        kind: 'script',
        text: () => {
          text ??= scriptOf(take())
          return text
        },
        sent,
        resolve,
        reject,
      })
    })
  }

  /** Stops taking jobs and waits for those already taken. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#draining
  }

  #enqueue(job: Job): void {
    if (this.#closed) {
      job.reject(new ServiceError('unavailable', 'The service is stopping.'))
      return
    }
    if (this.#waiting.length >= MAX_WAITING) {
      job.reject(new ServiceError('unavailable', 'Too many writes are waiting; try again shortly.'))
      return
    }
    this.#waiting.push(job)
    this.#watchForNesting()
    this.#draining ??= this.#drain()
  }

  async #drain(): Promise<void> {
    // Let the requests of this turn of the event loop join the first group.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#commitGroup(this.#waiting.splice(0, this.#groupSize()))
    this.#draining = undefined
  }

  /** Half of what waits, so that the process goes on with some callers while the disk works for the others. */
  #groupSize(): number {
    return Math.min(MAX_GROUP, Math.max(WHOLE_GROUP, Math.ceil(this.#waiting.length / 2)))
  }

  async #commitGroup(group: Job[]): Promise<void> {
    const rows = group.filter((job) => job.kind !== 'transaction')
    if (rows.length === group.length && (await this.#commitAtOnce(rows))) return
    const settle: (() => void)[] = []
    try {
      await this.#connection.run('begin immediate')
      try {
        for (const [statement, jobs] of batchesOf(group)) await this.#runBatch(statement, jobs, settle)
        const alone = group.length === 1
        for (const job of group) {
          if (job.kind !== 'batch') await this.#runAlone(job, alone, settle)
        }
        await this.#connection.run('commit')
        this.#refuseLost()
      } catch (error) {
        await this.#connection.run('rollback').catch(() => undefined)
        throw error
      }
    } catch (error) {
      const failure = storageError(error)
      for (const job of group) job.reject(failure)
      return
    }
    for (const done of settle) done()
  }

  /**
   * A group of nothing but rows, begun, written and committed in one trip to the database: while the process is
   * busy with requests, each trip waits for its turn.
   * @returns false when it failed for a reason that may be one caller's own: nothing is stored yet
   */
  async #commitAtOnce(jobs: (BatchJob | ScriptJob)[]): Promise<boolean> {
    const batches = [...batchesOf(jobs)].map(([statement, same]) => ({
      statement,
      rows: same.flatMap((job) => job.rows),
    }))
    const alone = jobs.filter((job) => job.kind === 'script')
    try {
      const statements = [scriptOf(batches), ...alone.map((job) => job.text())]
      const committed = this.#connection.script(['begin immediate', ...statements, 'commit'].join(';'))
      for (const job of alone) job.sent()
      await committed
      this.#refuseLost()
    } catch (error) {
      await this.#connection.run('rollback').catch(() => undefined)
      if (!isFileFault(error) && !(error instanceof LostFile)) return false
      const failure = storageError(error)
      for (const job of jobs) job.reject(failure)
      return true
    }
    for (const job of jobs) job.resolve()
    return true
  }

  /**
   * After a commit and before anybody is told of it. A commit to a file that was removed succeeds and is gone with the
   * process, so nothing of it is acknowledged.
   */
  #refuseLost(): void {
    const path = this.#missing()
    if (path !== undefined) throw new LostFile(path)
  }

  /** One statement for all; when it fails, each caller's rows alone, so that only the guilty one is refused. */
  async #runBatch(statement: BatchStatement, jobs: BatchJob[], settle: (() => void)[]): Promise<void> {
    try {
      await this.#connection.run(statement.sql, [BatchStatement.parameter(jobs.flatMap((job) => job.rows))])
      for (const job of jobs) settle.push(() => job.resolve())
    } catch (error) {
      if (isFileFault(error)) throw error
      for (const job of jobs) {
        try {
          await this.#connection.run(statement.sql, [BatchStatement.parameter(job.rows)])
          settle.push(() => job.resolve())
        } catch (own) {
          if (isFileFault(own)) throw own
          settle.push(() => job.reject(storageError(own)))
        }
      }
    }
  }

  /** Under a savepoint of its own, unless the whole SQL transaction is its own. */
  async #runAlone(job: TransactionJob | ScriptJob, alone: boolean, settle: (() => void)[]): Promise<void> {
    const perform = async () => (job.kind === 'script' ? this.#runScript(job) : this.#perform(job))
    if (alone) {
      const value = await perform()
      settle.push(() => job.resolve(value))
      return
    }
    await this.#connection.run('savepoint job')
    try {
      const value = await perform()
      await this.#connection.run('release job')
      settle.push(() => job.resolve(value))
    } catch (error) {
      if (isFileFault(error)) throw error
      await this.#connection.run('rollback to job')
      await this.#connection.run('release job')
      settle.push(() => job.reject(storageError(error)))
    }
  }

  async #runScript(job: ScriptJob): Promise<void> {
    const done = this.#connection.script(job.text())
    job.sent()
    await done
  }

  async #perform(job: TransactionJob): Promise<unknown> {
    const { tx, revoke } = this.#openTx()
    let giveUp: (error: Error) => void = () => undefined
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    // biome-ignore lint/style/noRestrictedGlobals: a guard against our own mistakes, not part of any schedule
    const limit = setTimeout(() => giveUp(tookTooLong()), TRANSACTION_LIMIT_MS)
    this.#running = { giveUp }
    try {
      return await Promise.race([job.run(tx), givenUp])
    } finally {
      clearTimeout(limit)
      this.#running = undefined
      revoke()
    }
  }

  /**
   * A transaction waits for its own statements and nothing else. One that has none under way while a write is
   * asked for, and still none a turn later, waits for that very write, which waits for it: it is undone.
   */
  #watchForNesting(): void {
    const suspect = this.#running
    if (!suspect || this.#connection.busy) return
    setImmediate(() => {
      if (this.#running !== suspect || this.#connection.busy) return
      suspect.giveUp(
        new Error('a write inside a write would wait for itself: use the transaction already at hand'),
      )
    })
  }

  /** A handle that dies with its job: a statement sent later would land in somebody else's transaction. */
  #openTx(): { tx: Tx; revoke: () => void } {
    let open = true
    const live = (): SqliteConnection => {
      if (!open) throw new Error('this transaction has ended')
      return this.#connection
    }
    const tx: Tx = Object.assign(drizzleOver(live), {
      exec: async (sql: string, params: readonly SqlValue[] = []) => live().run(sql, params),
      query: async (sql: string, params: readonly SqlValue[] = []) => live().all(sql, params),
    })
    return {
      tx,
      revoke: () => {
        open = false
      },
    }
  }
}

/** A database file was taken away under the service. */
class LostFile extends ServiceError {
  constructor(path: string) {
    super(
      'unavailable',
      `${path} was removed or replaced while the service runs: nothing is stored or executed. ` +
        'Put the file back, or restart the service.',
    )
  }
}

function scriptOf(statements: readonly Filled[]): string {
  return statements
    .filter(({ rows }) => rows.length > 0)
    .map(({ statement, rows }) => statement.text(rows))
    .join(';')
}

function batchesOf(group: readonly Job[]): Map<BatchStatement, BatchJob[]> {
  const batches = new Map<BatchStatement, BatchJob[]>()
  for (const job of group) {
    if (job.kind !== 'batch') continue
    const same = batches.get(job.statement)
    if (same) same.push(job)
    else batches.set(job.statement, [job])
  }
  return batches
}

function tookTooLong(): ServiceError {
  return new ServiceError('unavailable', 'A database transaction took too long and was undone.')
}

const DISK_FAULT = /^SQLITE_(FULL|IOERR|CORRUPT|READONLY|CANTOPEN|NOTADB)/
const LOCKED = /^SQLITE_(BUSY|LOCKED)/

/** Faults of the file end the whole group: SQLite may have rolled the transaction back already, or never begun it. */
function isFileFault(error: unknown): boolean {
  return isFault(error, DISK_FAULT) || isFault(error, LOCKED)
}

/** SQLite's own error may be the cause of another: drizzle wraps it in one that tells the query. */
function isFault(error: unknown, pattern: RegExp): boolean {
  if (pattern.test(messageOf(error))) return true
  return error instanceof Error && error.cause !== undefined && isFault(error.cause, pattern)
}

function storageError(error: unknown): unknown {
  if (!isFileFault(error)) return error
  if (isFault(error, LOCKED)) {
    const message = 'Another process holds the database: nothing was stored or executed. Try again shortly.'
    return new ServiceError('unavailable', message, { cause: error })
  }
  return new ServiceError('storage_full', 'The disk is full or failing: nothing was stored or executed.', {
    cause: error,
  })
}
