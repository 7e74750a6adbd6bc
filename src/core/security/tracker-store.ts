import { allBut, type Database, insertInto, type Row } from '../storage/index.js'
import { error404Tracker, invalidApiKeyTracker } from '../storage/tables/logs/trackers.js'
import type { Offences } from './schema.js'

interface TrackerTable {
  table: string
  count: string
  first: string
  last: string
  details: string
  /** Returns the statement that stores the rows of clients. */
  rowsOf: (offences: readonly Offences[]) => ReturnType<(typeof PATHS)['rows']>
}

const PATHS = insertInto(error404Tracker, allBut(error404Tracker), { key: ['ipAddress'] })
const KEYS = insertInto(invalidApiKeyTracker, allBut(invalidApiKeyTracker), { key: ['ipAddress'] })

/** The tables of the two trackers. They have the same shape under different names. */
export const TRACKER_TABLES = {
  missingPaths: {
    table: 'error_404_tracker',
    count: 'error_count',
    first: 'first_error_at',
    last: 'last_error_at',
    details: 'paths_attempted',
    rowsOf: (offences) =>
      PATHS.rows(
        offences.map(({ address, count, firstAt, lastAt, details }) => ({
          ipAddress: address,
          errorCount: count,
          firstErrorAt: firstAt,
          lastErrorAt: lastAt,
          pathsAttempted: [...details],
        })),
      ),
  },
  invalidKeys: {
    table: 'invalid_api_key_tracker',
    count: 'attempt_count',
    first: 'first_attempt_at',
    last: 'last_attempt_at',
    details: 'api_keys_tried',
    rowsOf: (offences) =>
      KEYS.rows(
        offences.map(({ address, count, firstAt, lastAt, details }) => ({
          ipAddress: address,
          attemptCount: count,
          firstAttemptAt: firstAt,
          lastAttemptAt: lastAt,
          apiKeysTried: [...details],
        })),
      ),
  },
} as const satisfies Record<string, TrackerTable>

/** All SQL of one tracker. */
export class TrackerStore {
  readonly #db: Database
  readonly #names: TrackerTable

  constructor(db: Database, names: TrackerTable) {
    this.#db = db
    this.#names = names
  }

  /** Returns the clients whose window began after an instant, the one seen least recently first. */
  async load(since: number, limit: number): Promise<Offences[]> {
    const { table, count, first, last, details } = this.#names
    const rows = await this.#db.queryRaw(
      `select ip_address as address, ${count} as n, ${first} as first_at, ${last} as last_at, ${details} as details
       from ${table} where ${first} > ? order by ${last} desc, ip_address limit ?`,
      [since, limit],
    )
    return rows.map(offencesIn).reverse()
  }

  /** Deletes the rows whose window began before an instant. */
  async removeBefore(instant: number): Promise<void> {
    const { table, first } = this.#names
    await this.#db.write((tx) => tx.exec(`delete from ${table} where ${first} <= ?`, [instant]))
  }

  async store(stored: readonly Offences[], removed: readonly string[]): Promise<void> {
    if (stored.length > 0) await this.#db.batch(this.#names.rowsOf(stored))
    if (removed.length === 0) return
    const { table } = this.#names
    const list = JSON.stringify(removed)
    await this.#db.write((tx) =>
      tx.exec(`delete from ${table} where ip_address in (select value from json_each(?))`, [list]),
    )
  }
}

function offencesIn(row: Row): Offences {
  const details: unknown = JSON.parse(String(row.details))
  return {
    address: String(row.address),
    count: Number(row.n),
    firstAt: Number(row.first_at),
    lastAt: Number(row.last_at),
    details: Array.isArray(details) ? details.map(String) : [],
  }
}
