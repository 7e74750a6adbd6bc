export type HealthStatus = 'pass' | 'warn' | 'fail'

/** The measures that have thresholds. */
export const MEASURES = ['fd', 'memory', 'db', 'ws', 'thread'] as const
export type Measure = (typeof MEASURES)[number]

/** From `warn` on a measure is elevated, from `fail` on it is critical. */
export interface Threshold {
  warn: number
  fail: number
}
export type Thresholds = Readonly<Record<Measure, Threshold>>

/** The facts of the daemon that its process does not tell: its databases and its streams. */
export interface ServiceFacts {
  /** Open connections by database. */
  databases: Readonly<Record<string, number>>
  /** Open clients by stream. */
  streams: Readonly<Record<string, number>>
  /** The symbols that clients of the market stream follow. */
  symbols: number
}

/** A database that answers a query if it works. */
export interface Probed {
  name: string
  /** Reads one row. @throws if the database cannot be read or accepts no writes */
  probe(): Promise<void>
}
