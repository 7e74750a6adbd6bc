import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type BatchRows, BatchStatement, type Cell } from './batch.js'

/** A column of a table by the name that the program gives it. */
type ColumnOf<Table extends SQLiteTable> = keyof Table['$inferInsert'] & string

/** The columns without a default, which no row can leave out. */
type Needed<Table extends SQLiteTable> = {
  [C in ColumnOf<Table>]-?: undefined extends Table['$inferInsert'][C] ? never : C
}[ColumnOf<Table>]

/** Accepts a list of columns that has all that are needed. */
type Complete<Table extends SQLiteTable, C> = [Exclude<Needed<Table>, C>] extends [never]
  ? unknown
  : { missing: Exclude<Needed<Table>, C> }

/** A row with exactly these columns. */
type RowOf<Table extends SQLiteTable, C extends ColumnOf<Table>> = {
  [Column in C]-?: Exclude<Table['$inferInsert'][Column], undefined>
}

/** What a row does to the row that has its key already. If it neither replaces nor adds, it is left out. */
interface OnConflict<C> {
  /** The columns of the primary key or of a unique index. */
  key: readonly C[]
  /** The columns that it replaces; by default all but those of the key and those that it adds to. */
  replace?: readonly C[]
  /** The columns to which it adds its numbers. */
  add?: readonly C[]
}

interface InsertColumn<Row> {
  member: keyof Row & string
  isJson: boolean
}

/** A batch INSERT into a table, whose rows are objects with the members that the table has in the program. */
export class Insert<Row extends object> {
  readonly #statement: BatchStatement
  readonly #columns: readonly InsertColumn<Row>[]

  /** Use {@link insertInto}. */
  constructor(statement: BatchStatement, columns: readonly InsertColumn<Row>[]) {
    this.#statement = statement
    this.#columns = columns
  }

  /** Returns the statement with the values that the rows have now. Other members of a row are left out. */
  rows(rows: Iterable<Row>): BatchRows {
    const cells: Cell[][] = []
    for (const row of rows) cells.push(this.#cells(row))
    return { statement: this.#statement, rows: cells }
  }

  /** Orders wait for it: it makes nothing but the array. */
  #cells(row: Row): Cell[] {
    const cells: Cell[] = []
    for (const { isJson, member } of this.#columns) {
      const value: unknown = row[member]
      if (isJson) cells.push(jsonOf(value))
      else if (typeof value === 'string' || typeof value === 'number') cells.push(value)
      else cells.push(cellOf(value))
    }
    return cells
  }
}

/**
 * Returns the batch INSERT of some columns of a table; the others get their defaults.
 * @param onConflict what a row does to the row that has its key already, or that clause in SQL
 */
export function insertInto<Table extends SQLiteTable, const C extends ColumnOf<Table>>(
  table: Table,
  columns: readonly C[] & Complete<Table, C>,
  onConflict?: string | OnConflict<NoInfer<C>>,
): Insert<RowOf<Table, C>> {
  const all: Record<string, SQLiteColumn> = getTableColumns(table)
  const column = (member: string): SQLiteColumn => {
    const found = all[member]
    if (found === undefined) throw new Error(`${getTableName(table)} has no column ${member}`)
    return found
  }
  const nameOf = (member: string) => column(member).name
  const statement = new BatchStatement({
    table: getTableName(table),
    columns: columns.map(nameOf),
    ...(onConflict && {
      onConflict: typeof onConflict === 'string' ? onConflict : clauseOf(onConflict, columns, nameOf),
    }),
  })
  return new Insert(
    statement,
    columns.map((member) => ({ member, isJson: column(member).dataType === 'json' })),
  )
}

/** Returns the columns of a table, in its order, without those that the database fills. */
export function allBut<Table extends SQLiteTable, const Without extends ColumnOf<Table> = never>(
  table: Table,
  ...without: readonly Without[]
): Exclude<ColumnOf<Table>, Without>[] {
  const left: ReadonlySet<string> = new Set(without)
  const isKept = (member: string): member is Exclude<ColumnOf<Table>, Without> => !left.has(member)
  return Object.keys(getTableColumns(table)).filter(isKept)
}

function clauseOf<C extends string>(
  { key, replace, add = [] }: OnConflict<C>,
  columns: readonly C[],
  nameOf: (column: C) => string,
): string {
  const quoted = (column: C) => `"${nameOf(column)}"`
  const replaced = replace ?? columns.filter((column) => !key.includes(column) && !add.includes(column))
  const changes = [
    ...replaced.map((column) => `${quoted(column)} = excluded.${quoted(column)}`),
    ...add.map((column) => `${quoted(column)} = ${quoted(column)} + excluded.${quoted(column)}`),
  ]
  const action = changes.length === 0 ? 'nothing' : `update set ${changes.join(', ')}`
  return `on conflict (${key.map(quoted).join(', ')}) do ${action}`
}

/** Returns the value as SQLite stores it: 1 and 0 for booleans. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return Number(value)
  throw new TypeError(`a batch insert cannot store a value of the type ${typeof value}`)
}

function jsonOf(value: unknown): Cell {
  return value === null ? null : JSON.stringify(value)
}
