import type { SqlValue } from './sqlite.js'

/** A row of a {@link BatchStatement}. An object, which must be plain JSON, is stored as its text. */
export type BatchRow = readonly (SqlValue | object)[]

export interface BatchOptions {
  table: string
  columns: readonly string[]
  /** For example `on conflict (id) do update set price = excluded.price`. */
  onConflict?: string
}

/**
 * An INSERT whose rows come from many callers and run as one statement: the rows travel as one JSON text and
 * `json_each` unfolds them. A group of a hundred waiting requests then costs one statement, not a hundred.
 * Values are JSON: text, numbers, nulls and objects, no blobs.
 */
export class BatchStatement {
  readonly sql: string

  constructor(options: BatchOptions) {
    const columns = options.columns.map((column) => `"${column}"`).join(', ')
    const values = options.columns.map((_, index) => `value ->> ${index}`).join(', ')
    // `where true` tells the parser that a following ON belongs to the INSERT and not to a join.
    this.sql =
      `insert into "${options.table}" (${columns}) select ${values} from json_each(?) where true` +
      (options.onConflict ? ` ${options.onConflict}` : '')
  }

  /** The whole statement as text, for a script: many statements that cost one trip to the database. */
  static text(sql: string, rows: readonly BatchRow[]): string {
    const literal = `'${BatchStatement.parameter(rows).replaceAll("'", "''")}'`
    return sql.replace('?', () => literal)
  }

  static parameter(rows: readonly BatchRow[]): string {
    return JSON.stringify(rows)
  }
}
