import { messageOf, ServiceError } from '../errors/index.js'
import { type BatchRow, BatchStatement } from './batch.js'
import { type Db, drizzleOver } from './drizzle.js'
import type { Row, SqliteConnection, SqlValue } from './sqlite.js'

/** A transaction handed to a write: drizzle, plus raw statements for what drizzle cannot say. */
export type Tx = Db & {
  exec(sql: string, params?: readonly SqlValue[]): Promise<{ changes: number }>
  query(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
  /** Inserts into several tables in one trip: the SQL of {@link BatchStatement}s, each with its rows. */
  insertAll(inserts: readonly { sql: string; rows: readonly BatchRow[] }[]): Promise<void>
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

type Job = TransactionJob | BatchJob

/** Jobs that share one COMMIT at the most; bounds how long the first of them waits. */
const MAX_GROUP = 512
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
  readonly #waiting: Job[] = []
  #draining: Promise<void> | undefined
  #closed = false
  /** The transaction whose function runs now. */
  #running: { giveUp: (error: Error) => void } | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
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
    while (this.#waiting.length > 0) await this.#commitGroup(this.#waiting.splice(0, MAX_GROUP))
    this.#draining = undefined
  }

  async #commitGroup(group: Job[]): Promise<void> {
    const batches = group.filter((job) => job.kind === 'batch')
    if (batches.length === group.length && (await this.#commitAtOnce(batches))) return
    const settle: (() => void)[] = []
    try {
      await this.#connection.run('begin immediate')
      try {
        for (const [statement, jobs] of batchesOf(group)) await this.#runBatch(statement, jobs, settle)
        const alone = group.length === 1
        for (const job of group) {
          if (job.kind === 'transaction') await this.#runTransaction(job, alone, settle)
        }
        await this.#connection.run('commit')
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
  async #commitAtOnce(jobs: BatchJob[]): Promise<boolean> {
    const inserts = [...batchesOf(jobs)].map(([statement, same]) =>
      BatchStatement.text(
        statement.sql,
        same.flatMap((job) => job.rows),
      ),
    )
    try {
      await this.#connection.script(['begin immediate', ...inserts, 'commit'].join(';'))
    } catch (error) {
      await this.#connection.run('rollback').catch(() => undefined)
      if (!isDiskFault(error)) return false
      const failure = storageError(error)
      for (const job of jobs) job.reject(failure)
      return true
    }
    for (const job of jobs) job.resolve()
    return true
  }

  /** One statement for all; when it fails, each caller's rows alone, so that only the guilty one is refused. */
  async #runBatch(statement: BatchStatement, jobs: BatchJob[], settle: (() => void)[]): Promise<void> {
    try {
      await this.#connection.run(statement.sql, [BatchStatement.parameter(jobs.flatMap((job) => job.rows))])
      for (const job of jobs) settle.push(() => job.resolve())
    } catch (error) {
      if (isDiskFault(error)) throw error
      for (const job of jobs) {
        try {
          await this.#connection.run(statement.sql, [BatchStatement.parameter(job.rows)])
          settle.push(() => job.resolve())
        } catch (own) {
          if (isDiskFault(own)) throw own
          settle.push(() => job.reject(storageError(own)))
        }
      }
    }
  }

  /** Under a savepoint of its own, unless the whole SQL transaction is its own. */
  async #runTransaction(job: TransactionJob, alone: boolean, settle: (() => void)[]): Promise<void> {
    if (alone) {
      const value = await this.#perform(job)
      settle.push(() => job.resolve(value))
      return
    }
    await this.#connection.run('savepoint job')
    try {
      const value = await this.#perform(job)
      await this.#connection.run('release job')
      settle.push(() => job.resolve(value))
    } catch (error) {
      if (isDiskFault(error)) throw error
      await this.#connection.run('rollback to job')
      await this.#connection.run('release job')
      settle.push(() => job.reject(storageError(error)))
    }
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
      insertAll: async (inserts: readonly { sql: string; rows: readonly BatchRow[] }[]) => {
        const filled = inserts.filter(({ rows }) => rows.length > 0)
        if (filled.length > 0)
          await live().script(filled.map(({ sql, rows }) => BatchStatement.text(sql, rows)).join(';'))
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

function batchesOf(group: Job[]): Map<BatchStatement, BatchJob[]> {
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

/** Faults of the disk end the whole group: SQLite may have rolled the transaction back already. */
function isDiskFault(error: unknown): boolean {
  return DISK_FAULT.test(messageOf(error))
}

function storageError(error: unknown): unknown {
  if (!isDiskFault(error)) return error
  return new ServiceError('storage_full', 'The disk is full or failing: nothing was stored or executed.', {
    cause: error,
  })
}
