import type { SqlValue } from './sqlite.js'

/** A row of a {@link BatchStatement}. An object, which must be plain JSON, is stored as its text. */
export type BatchRow = readonly (SqlValue | object)[]

export interface BatchOptions {
  table: string
  columns: readonly string[]
  /** For example `on conflict (id) do update set price = excluded.price`. */
  onConflict?: string
}

/** A statement over rows, as one text with the rows in it. */
export interface RowsSql {
  text(rows: readonly BatchRow[]): string
}

/**
 * An INSERT whose rows come from many callers and run as one statement: a group of a hundred waiting requests
 * then costs one statement, not a hundred. Values are those of JSON: text, numbers, nulls and objects, no blobs.
 */
export class BatchStatement implements RowsSql {
  /** For a prepared statement: the rows travel as one JSON text, which `json_each` unfolds. */
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

  /** With the rows as literals: for SQLite a third of the work of unfolding them. */
  text(rows: readonly BatchRow[]): string {
    let text = this.#head
    for (const [index, row] of rows.entries()) {
      text += index === 0 ? '(' : ', ('
      for (let column = 0; column < row.length; column++) {
        text += column === 0 ? literal(row[column]) : `, ${literal(row[column])}`
      }
      text += ')'
    }
    return text + this.#tail
  }
}

/** Any statement whose rows reach it as one JSON text, in place of its `?`. */
export class RowsStatement implements RowsSql {
  constructor(private readonly sql: string) {}

  text(rows: readonly BatchRow[]): string {
    return this.sql.replace('?', () => quoted(JSON.stringify(rows)))
  }
}

/** A value as SQL. What JSON cannot say (an infinite number) is null, as it is there. */
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

/** SQL ends at a NUL, wherever it stands: such a text goes as bytes. */
function quoted(text: string): string {
  if (text.includes('\0')) return `cast(x'${Buffer.from(text).toString('hex')}' as text)`
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`
}
