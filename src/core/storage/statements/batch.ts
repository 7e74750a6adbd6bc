/** A value of a row: all that SQLite stores but blobs. */
export type Cell = string | number | null

/** The values of one row, in the order of the columns of its statement. */
type BatchRow = readonly Cell[]

interface BatchOptions {
  table: string
  columns: readonly string[]
  /** For example `on conflict (id) do update set price = excluded.price`. */
  onConflict?: string
}

/** A statement whose rows are written into its text. */
interface RowsSql {
  text(rows: readonly BatchRow[]): string
}

/** A statement and its rows. Without rows it does not run. */
export interface StatementRows {
  statement: RowsSql
  rows: readonly BatchRow[]
}

/** Rows that share one INSERT with those of other callers. */
export interface BatchRows extends StatementRows {
  statement: BatchStatement
}

/**
 * An INSERT that runs once for the rows of many callers: a group of a hundred waiting requests costs one
 * statement, not a hundred. A table of the program has an {@link Insert}, which knows its columns.
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

/** Any statement that takes its rows as one JSON text in place of its `?`: `value ->> 'name'` is a member of a row. */
export class RowsStatement<Row extends object | string | number | null> implements RowsSql {
  constructor(private readonly sql: string) {}

  /** Returns the statement with its rows. */
  rows(rows: readonly Row[]): StatementRows {
    return { statement: this, rows: rows.map((row) => [JSON.stringify(row)]) }
  }

  /** @param rows one cell each, its JSON */
  text(rows: readonly BatchRow[]): string {
    return this.sql.replace('?', () => quoted(`[${rows.flat().join(',')}]`))
  }
}

/** Returns a value as SQL. As in JSON, a number that is not finite becomes null. */
function literal(value: Cell | undefined): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null'
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
