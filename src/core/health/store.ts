import {
  and,
  asc,
  avg,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  max,
  min,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { healthAlerts, healthMetrics } from '../storage/tables/logs/health.js'

export type HealthRow = typeof healthMetrics.$inferSelect
export type HealthValues = Omit<HealthRow, 'id'>
export type HealthAlert = typeof healthAlerts.$inferSelect
export type NewAlert = Omit<HealthAlert, 'id'>

/** Rows deleted per transaction, so that a purge never blocks the writer for long. */
const PURGE_CHUNK = 2000

/** All SQL of the health tables. */
export class HealthStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Stores a sample, opens its alerts and ends those of other types, in one transaction. */
  add(sample: HealthValues, alerts: readonly NewAlert[], ended: readonly string[]): Promise<void> {
    return this.#db.write(async (tx) => {
      await tx.insert(healthMetrics).values(sample)
      if (alerts.length > 0) {
        await tx
          .insert(healthAlerts)
          .values([...alerts])
          .onConflictDoNothing()
      }
      if (ended.length > 0) {
        await tx
          .update(healthAlerts)
          .set({ resolvedAt: sample.timestamp })
          .where(and(isNull(healthAlerts.resolvedAt), inArray(healthAlerts.alertType, [...ended])))
      }
    })
  }

  async newest(): Promise<HealthRow | undefined> {
    const [row] = await this.#db.read
      .select()
      .from(healthMetrics)
      .orderBy(desc(healthMetrics.timestamp))
      .limit(1)
    return row
  }

  /** Returns one in `nth` samples since an instant, oldest first. */
  history(since: number, nth: number): Promise<HealthRow[]> {
    const { id, timestamp } = healthMetrics
    return this.#db.read
      .select()
      .from(healthMetrics)
      .where(and(gte(timestamp, since), nth > 1 ? sql`${id} % ${nth} = 0` : undefined))
      .orderBy(asc(timestamp))
  }

  /** Returns up to `limit` samples since an instant whose id is above `after`, oldest first. */
  page(since: number, after: number, limit: number): Promise<HealthRow[]> {
    const { id, timestamp } = healthMetrics
    return this.#db.read
      .select()
      .from(healthMetrics)
      .where(and(gte(timestamp, since), gt(id, after)))
      .orderBy(asc(id))
      .limit(limit)
  }

  /** Returns the counts, averages and extremes of the samples since an instant. */
  async statistics(since: number) {
    const m = healthMetrics
    const [row] = await this.#db.read
      .select({
        samples: count(),
        fd: { avg: number(avg(m.fdCount)), min: min(m.fdCount), max: max(m.fdCount) },
        memory: { avg: number(avg(m.memoryRssMb)), min: min(m.memoryRssMb), max: max(m.memoryRssMb) },
        database: {
          avg: number(avg(m.dbConnectionsTotal)),
          min: min(m.dbConnectionsTotal),
          max: max(m.dbConnectionsTotal),
        },
        websocket: {
          avg: number(avg(m.wsConnectionsTotal)),
          min: min(m.wsConnectionsTotal),
          max: max(m.wsConnectionsTotal),
        },
        threads: { avg: number(avg(m.threadCount)), min: min(m.threadCount), max: max(m.threadCount) },
        statuses: {
          fdWarn: times(m.fdStatus, 'warn'),
          fdFail: times(m.fdStatus, 'fail'),
          memoryWarn: times(m.memoryStatus, 'warn'),
          memoryFail: times(m.memoryStatus, 'fail'),
          dbWarn: times(m.dbStatus, 'warn'),
          dbFail: times(m.dbStatus, 'fail'),
          wsWarn: times(m.wsStatus, 'warn'),
          wsFail: times(m.wsStatus, 'fail'),
          threadWarn: times(m.threadStatus, 'warn'),
          threadFail: times(m.threadStatus, 'fail'),
          warn: times(m.overallStatus, 'warn'),
          fail: times(m.overallStatus, 'fail'),
        },
      })
      .from(m)
      .where(gte(m.timestamp, since))
    return row
  }

  /** Returns the alerts that nobody and no sample has resolved, newest first. */
  openAlerts(): Promise<HealthAlert[]> {
    return this.#db.read
      .select()
      .from(healthAlerts)
      .where(isNull(healthAlerts.resolvedAt))
      .orderBy(desc(healthAlerts.timestamp), desc(healthAlerts.id))
  }

  /** Marks an alert as seen, once. @returns false if there is no such alert */
  acknowledge(id: number, at: number): Promise<boolean> {
    return this.#mark(id, { acknowledgedAt: sql`coalesce(acknowledged_at, ${at})` })
  }

  /** Resolves an alert, once. @returns false if there is no such alert */
  resolve(id: number, at: number): Promise<boolean> {
    return this.#mark(id, { resolvedAt: sql`coalesce(resolved_at, ${at})` })
  }

  #mark(id: number, changes: Partial<Record<'acknowledgedAt' | 'resolvedAt', SQL>>): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const rows = await tx
        .update(healthAlerts)
        .set(changes)
        .where(eq(healthAlerts.id, id))
        .returning({ id: healthAlerts.id })
      return rows.length > 0
    })
  }

  /** Deletes samples before an instant, a chunk per transaction. @returns the number of deleted rows */
  async purge(before: number): Promise<number> {
    for (let removed = 0; ; ) {
      const rows = await this.#db.write(async (tx) => {
        const old = tx
          .select({ id: healthMetrics.id })
          .from(healthMetrics)
          .where(lt(healthMetrics.timestamp, before))
          .limit(PURGE_CHUNK)
        return tx
          .delete(healthMetrics)
          .where(inArray(healthMetrics.id, old))
          .returning({ id: healthMetrics.id })
      })
      removed += rows.length
      if (rows.length < PURGE_CHUNK) return removed
    }
  }
}

const number = (value: SQL<string | null>): SQL<number | null> => sql<number | null>`${value}`

function times(column: unknown, status: 'warn' | 'fail'): SQL<number> {
  return sql<number>`sum(${column} = ${status})`
}
