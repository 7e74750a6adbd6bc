import type { SqlValue } from './sqlite.js'

/**
 * The values of one row of a {@link BatchStatement}. An object must be plain JSON and is stored as its JSON
 * text.
 */
export type BatchRow = readonly (SqlValue | object)[]

interface BatchOptions {
  table: string
  columns: readonly string[]
  /** For example `on conflict (id) do update set price = excluded.price`. */
  onConflict?: string
}

/** A statement whose rows are written into its text. */
export interface RowsSql {
  text(rows: readonly BatchRow[]): string
}

/**
 * An INSERT that runs once for the rows of many callers: a group of a hundred waiting requests costs one
 * statement, not a hundred. Values are text, numbers, nulls and JSON objects; blobs are not possible.
 */
export class BatchStatement implements RowsSql {
  /** For a prepared statement: the rows are one JSON parameter, which `json_each` unfolds. */
  readonly sql: string
  readonly #head: string
  readonly #tail: string

  constructor(options: BatchOptions) {
    const columns = options.columns.map((column) => `"${column}"`).join(', ')
    const values = options.columns.map((_, index) => `value ->> ${index}`).join(', ')
    this.#head = `insert into "${options.table}" (${columns}) values `
    this.#tail = options.onConflict ? ` ${options.onConflict}` : ''
    // `where true` tells the parser that a following ON belongs to the INSERT and not to a join.
    this.sql = `insert into "${options.table}" (${columns}) select ${values} from json_each(?) where true${this.#tail}`
  }

  static parameter(rows: readonly BatchRow[]): string {
    return JSON.stringify(rows)
  }

  /**
   * Returns the statement with the rows as literals, which costs SQLite a third of unfolding them from JSON. It has no
   * spaces between them, because SQLite reads each.
   */
  text(rows: readonly BatchRow[]): string {
    let text = this.#head
    let opening = '('
    for (const row of rows) {
      let line = opening
      for (let column = 0; column < row.length; column++) {
        if (column > 0) line += ','
        line += literal(row[column])
      }
      text += `${line})`
      opening = ',('
    }
    return text + this.#tail
  }
}

/** Any statement that takes its rows as one JSON text in place of its `?`. */
export class RowsStatement implements RowsSql {
  constructor(private readonly sql: string) {}

  text(rows: readonly BatchRow[]): string {
    return this.sql.replace('?', () => quoted(JSON.stringify(rows)))
  }
}

/** Returns a value as SQL. As in JSON, a number that is not finite becomes null. */
function literal(value: BatchRow[number] | undefined): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
    case 'object':
      return value === null ? 'null' : quoted(JSON.stringify(value))
    default:
      return 'null'
  }
}

/**
 * Quotes a text. SQLite stops reading a statement at a NUL character, so a text that contains one is written
 * as bytes.
 */
function quoted(text: string): string {
  if (text.includes('\0')) return `cast(x'${Buffer.from(text).toString('hex')}' as text)`
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`
}
