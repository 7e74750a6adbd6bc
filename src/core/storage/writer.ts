import { ServiceError } from '../errors/index.js'
import { type Db, drizzleOver } from './drizzle.js'
import { SerialQueue } from './serial-queue.js'
import type { Row, SqliteConnection, SqlValue } from './sqlite.js'
import { type BatchRows, BatchStatement, type StatementRows } from './statements/batch.js'
import {
  DISK_FAULT,
  isFault,
  isFileFault,
  LostFile,
  storageError,
  transactionTimeout,
} from './storage-errors.js'

/** The transaction of a write: drizzle, plus raw statements for SQL that drizzle cannot express. */
export type Tx = Db & {
  exec(sql: string, params?: readonly SqlValue[]): Promise<{ changes: number }>
  query(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
  /** Inserts rows with one statement. */
  batch(rows: BatchRows): Promise<void>
}

interface TransactionJob {
  kind: 'transaction'
  run: (tx: Tx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface BatchJob extends BatchRows {
  kind: 'batch'
  resolve: () => void
  reject: (error: unknown) => void
}

/** Statements that succeed or fail together, chosen when the group begins. */
interface ScriptJob {
  kind: 'script'
  text: () => string
  sent: () => void
  resolve: () => void
  reject: (error: unknown) => void
}

type Job = TransactionJob | BatchJob | ScriptJob

/** Most jobs that share one COMMIT. It bounds how long the first of them waits. */
const MAX_GROUP = 512
/** Up to this number, waiting jobs share one commit: it takes the disk about as long as a commit of a few. */
const UNSPLIT_GROUP = 64
/** Most jobs that may wait. Beyond it the service refuses writes, so that the queue stays bounded. */
const MAX_WAITING = 20_000
/**
 * A transaction whose next statement takes longer to arrive or to end is rolled back. A long transaction that
 * makes progress may finish, such as the one that replaces 100,000 instruments on a busy machine.
 */
const STATEMENT_LIMIT_MS = 10_000

/**
 * The only way to change a database file: one connection, one queue. All jobs that wait when the writer
 * becomes free run in one SQL transaction (group commit). Each job has its own SAVEPOINT, so a failing job
 * undoes only its own changes. The writer answers all jobs after the one COMMIT has reached the disk.
 */
export class Writer {
  readonly #connection: SqliteConnection
  readonly #missing: () => string | undefined
  readonly #waiting: Job[] = []
  /** Groups and holds, one after the other. */
  readonly #turns = new SerialQueue()
  #draining: Promise<void> | undefined
  #closed = false
  #failing = false
  /** The transaction whose function runs now. */
  #running: { giveUp: (error: Error) => void } | undefined

  /** @param missing returns the path of an open file that was removed or replaced */
  constructor(connection: SqliteConnection, missing: () => string | undefined = () => undefined) {
    this.#connection = connection
    this.#missing = missing
  }

  /** True while the last commit failed because the disk is full or failing. */
  get failing(): boolean {
    return this.#failing
  }

  /** The number of jobs that wait for the group that commits now. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs `fn` as one transaction. `fn` must use only its `tx` and do no I/O but SQL. */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#enqueue({ kind: 'transaction', run: fn, resolve: resolve as (value: unknown) => void, reject })
    })
  }

  /** Adds rows to a statement that runs once for all callers of a group. */
  batch({ statement, rows }: BatchRows): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ kind: 'batch', statement, rows, resolve, reject })
    })
  }

  /**
   * Runs statements that succeed or fail together, without a trip to the database for each.
   *
   * @param take returns the statements when the group begins, so rows can be added until then. It is called once,
   * also when it throws: its second answer would be the rows of the next script
   * @param sent is called once the statements are on their way to SQLite
   */
  script(take: () => readonly StatementRows[], sent: () => void): Promise<void> {
    let text: (() => string) | undefined
    return new Promise((resolve, reject) => {
      this.#enqueue({
        kind: 'script',
        text: () => {
          text ??= kept(() => scriptOf(take()))
          return text()
        },
        sent,
        resolve,
        reject,
      })
    })
  }

  /**
   * Resolves between two groups and keeps the next one waiting until the returned function is called. New jobs are
   * accepted, but none of them is answered before that. Call the function within milliseconds: orders wait.
   */
  hold(): Promise<() => void> {
    return new Promise((resolve) => {
      void this.#turns.run(() => new Promise<void>((release) => resolve(release)))
    })
  }

  /** Refuses new jobs and waits for those already accepted. */
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
    // Requests that arrive in the same event-loop turn join the first group.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      await this.#turns.run(() => this.#commitGroup(this.#waiting.splice(0, this.#groupSize())))
    }
    this.#draining = undefined
  }

  /**
   * Returns half of the waiting jobs, so that the process serves some callers while the disk works for the
   * others.
   */
  #groupSize(): number {
    return Math.min(MAX_GROUP, Math.max(UNSPLIT_GROUP, Math.ceil(this.#waiting.length / 2)))
  }

  async #commitGroup(group: Job[]): Promise<void> {
    try {
      this.#refuseLost()
    } catch (error) {
      for (const job of group) job.reject(error)
      return
    }
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
      const failure = this.#storageError(error)
      for (const job of group) job.reject(failure)
      return
    }
    this.#failing = false
    for (const done of settle) done()
  }

  /**
   * Begins, writes and commits a group without transactions in one trip to the database. While the process is
   * busy with requests, each trip has to wait for the event loop.
   *
   * @returns false if it failed for a reason that may concern only one caller; nothing is stored then
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
      const failure = this.#storageError(error)
      for (const job of jobs) job.reject(failure)
      return true
    }
    this.#failing = false
    for (const job of jobs) job.resolve()
    return true
  }

  /** Returns the error for the callers of a group that failed, and remembers whether the disk failed. */
  #storageError(error: unknown): unknown {
    if (isFault(error, DISK_FAULT)) this.#failing = true
    return storageError(error)
  }

  /**
   * Throws when a file of the database is gone. The writer checks before each group, so that no refused row
   * appears if the file comes back. It checks again after the commit: a commit to a removed file succeeds,
   * but its rows are lost when the process ends, so the writer acknowledges none of them.
   */
  #refuseLost(): void {
    const path = this.#missing()
    if (path !== undefined) throw new LostFile(path)
  }

  /**
   * Runs one statement for all jobs. If it fails, runs each job's rows alone, so that only the faulty job is
   * refused.
   */
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

  /** Runs a job under its own savepoint, unless it is the only job of the SQL transaction. */
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
    let giveUp: (error: Error) => void = () => undefined
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = reject
    })
    // biome-ignore lint/style/noRestrictedGlobals: a guard against programming errors, not part of a schedule
    const limit = setTimeout(() => giveUp(transactionTimeout()), STATEMENT_LIMIT_MS)
    const { tx, revoke } = this.#openTx(() => limit.refresh())
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
   * Undoes a write inside a write, which would deadlock. A transaction waits only for its own statements. If
   * it has none in flight while another write is queued, and still none one event-loop turn later, it waits
   * for that write, which waits for it.
   */
  #watchForNesting(): void {
    const suspect = this.#running
    if (!suspect || this.#connection.busy) return
    setImmediate(() => {
      if (this.#running !== suspect || this.#connection.busy) return
      suspect.giveUp(
        new Error(
          'A write inside a transaction would wait for itself. Use the tx of the running transaction.',
        ),
      )
    })
  }

  /**
   * Returns a handle that is revoked when its job ends: a later statement would run in the transaction of
   * another job.
   * @param onStatement is called before each statement
   */
  #openTx(onStatement: () => void): { tx: Tx; revoke: () => void } {
    let open = true
    const live = (): SqliteConnection => {
      if (!open) throw new Error('this transaction has ended')
      onStatement()
      return this.#connection
    }
    const tx: Tx = Object.assign(drizzleOver(live), {
      exec: async (sql: string, params: readonly SqlValue[] = []) => live().run(sql, params),
      query: async (sql: string, params: readonly SqlValue[] = []) => live().all(sql, params),
      batch: async ({ statement, rows }: BatchRows) => {
        if (rows.length > 0) await live().run(statement.sql, [BatchStatement.parameter(rows)])
      },
    })
    return {
      tx,
      revoke: () => {
        open = false
      },
    }
  }
}

/** Runs a function, and returns one that gives its result, or throws its error, as often as it is called. */
function kept<T>(make: () => T): () => T {
  try {
    const made = make()
    return () => made
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function scriptOf(statements: readonly StatementRows[]): string {
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
