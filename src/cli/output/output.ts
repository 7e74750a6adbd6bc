import { type CellStyle, cellText, visible } from '../../views/table/cells.js'
import {
  type AnyList,
  type AnyRecord,
  type Column,
  cellOf,
  fieldNamed,
  fieldsOf,
  type ListView,
  type RecordView,
  titleOf,
  undeclared,
} from '../../views/table/column.js'
import { sortedBy } from '../../views/table/sort.js'
import { outputLost, usageError } from '../framework/errors.js'
import type { GlobalSettings } from '../framework/globals.js'
import type { Io, Sink } from '../io/io.js'
import { colours, paintedCell } from './colours.js'
import { documentOf, LISTS, RECORDS, safeJson } from './documents.js'
import { fieldsOfRecord } from './record-schemas.js'

/** The columns of a list that goes on. */
export interface StreamView extends Pick<AnyList, 'columns' | 'id' | 'record'> {
  /** Rows that it has already: their fields are known, too. */
  rows?: readonly object[]
  /** True if a row without a chosen format is its cells on a line, and not a JSON object. */
  inCells?: true
}

/** A list that goes on: all of its rows have the same fields. */
export interface RowStream {
  /** Returns a row as a document has it. */
  document(row: object): object
  /** Writes the next row. */
  write(row: object): Promise<void>
}

/** Writes data to stdout in the chosen format, and messages for people to stderr. */
export class Output {
  readonly #io: Io
  readonly #settings: GlobalSettings
  #hasQueried = false
  #hasBegun = false

  constructor(io: Io, settings: GlobalSettings) {
    this.#io = io
    this.#settings = settings
  }

  get isHuman(): boolean {
    const { format, table } = this.#settings
    return format === undefined && (table !== undefined || this.#io.stdout.isTty)
  }

  /** True in a pipe where the user chose neither a format nor columns. */
  get isBare(): boolean {
    return !this.isHuman && this.#settings.format === undefined && this.#settings.columns.length === 0
  }

  list<Row extends object>(view: ListView<Row>): Promise<void> {
    return this.printList(view)
  }

  record<Record extends object>(view: RecordView<Record>): Promise<void> {
    return this.printRecord(view)
  }

  /** Prints a list whose rows have any type; {@link list} checks that the columns are theirs. */
  async printList(given: AnyList): Promise<void> {
    const view = { ...given, rows: this.#sorted(given) }
    const columns = this.#columns(view)
    const documents = () => view.rows.map((row) => this.#document(row, columns))
    if (await this.#queried(documents, this.#within(view, columns))) return
    const { format } = this.#settings
    if (format !== undefined) {
      // The id is printed even when --columns leaves it out.
      const rows = format === 'name' ? view.rows : documents()
      return this.write(await LISTS[format](rows, this.#written(columns, view.id)))
    }
    if (view.rows.length === 0) {
      if (this.#io.stdout.isTty) this.note(view.empty)
      return
    }
    this.write(
      this.isHuman
        ? await this.#table({ ...view, columns })
        : await this.#lines(view.rows, this.#shown(columns)),
    )
  }

  /** Prints a record of any type; {@link record} checks that the fields are its own. */
  async printRecord(view: AnyRecord): Promise<void> {
    const fields = this.#columns({ columns: view.fields, rows: [view.record] })
    if (await this.#queried(() => this.#document(view.record, fields), { columns: fields })) return
    const { format } = this.#settings
    if (format !== undefined) {
      const record = format === 'name' ? view.record : this.#document(view.record, fields)
      return this.write(await RECORDS[format](record, this.#written(fields, view.id)))
    }
    const style = this.#style()
    const paint = await colours(this.#io.stdout, this.#io, this.#settings)
    const width = Math.max(...fields.map((field) => titleOf(field).length))
    for (const field of fields) {
      const value = cellOf(view.record, field.key)
      if (value === undefined || (value === '' && this.isHuman)) continue
      const label = this.isHuman ? `${paint.dim(titleOf(field).padEnd(width))}  ` : `${field.key}\t`
      const parts = field.kind === 'lines' && this.isHuman && Array.isArray(value) ? value : [value]
      for (const [place, part] of parts.entries()) {
        const before = place === 0 ? label : ' '.repeat(width + 2)
        const cell = { exchange: cellOf(view.record, 'exchange'), [field.key]: part }
        this.write(`${before}${paintedCell(cell, field, style, paint)}\n`)
      }
    }
  }

  /**
   * Begins a list that goes on. A row is a JSON object on its own line, the same record that the list has; in CSV and TSV a
   * line below one heading. What a row lacks is null, and an empty cell.
   * @throws a usage error for columns or a query that no row can answer, before anything is written
   */
  async begin({ inCells, rows = [], ...view }: StreamView): Promise<RowStream> {
    const columns = this.#columns({ ...view, rows })
    const known = knownFields(this.#within({ ...view, rows }, columns))
    const { format, headers } = this.#settings
    await this.requireQuery(known)
    const human = new Set(columns.flatMap((column) => (column.human === true ? [column.key] : [])))
    const fields = { columns: [...known].filter((key) => !human.has(key)).map((key) => ({ key })) }
    const written = this.#written(fields.columns, view.id)
    const document = (row: object) => this.#document(row, columns)
    let [bom, hasHeading] = [written.bom, headers]
    const write = async (row: object) => {
      if (await this.#queried(() => document(row), fields)) return
      if (format === 'csv' || format === 'tsv') {
        const own = document(row)
        const whole = Object.fromEntries(fields.columns.map(({ key }) => [key, cellOf(own, key)]))
        this.write(await LISTS[format]([whole], { ...written, bom, headers: hasHeading }))
        ;[bom, hasHeading] = [false, false]
      } else if (format === 'yaml' || format === 'name') {
        this.write(await LISTS[format]([format === 'name' ? row : document(row)], written))
      } else {
        const isCells = format === undefined && inCells === true
        this.write(`${isCells ? this.#cells(row, columns) : safeJson(document(row))}\n`)
      }
    }
    return { document, write }
  }

  #cells(row: object, columns: readonly Column[]): string {
    const style = this.#style()
    const exchange = cellOf(row, 'exchange')
    const cells = columns.map(({ key, kind = 'text' }) => cellText(cellOf(row, key), kind, style, exchange))
    return cells.join(this.isHuman ? '  ' : '\t')
  }

  /** Writes one JSON object on its own line, or the output of `--jq` or `--template` for it. */
  async line(value: object): Promise<void> {
    if (await this.#queried(() => value, { columns: [] })) return
    this.write(`${safeJson(value)}\n`)
  }

  /**
   * Writes a JSON answer of the API: indented on a terminal, on one line in a pipe. `show` writes it in the
   * other formats (YAML, CSV, `--jq`).
   */
  async answer(value: object, show: () => Promise<void>): Promise<void> {
    const { format, jq, template } = this.#settings
    const isPlain = format === undefined || format === 'json' || format === 'jsonl'
    if (format === 'name') return
    if (!isPlain || template !== undefined) return show()
    if (jq !== undefined) return this.line(value)
    const indent = format === 'json' || (format === undefined && this.#io.stdout.isTty) ? 2 : undefined
    this.write(`${safeJson(value, indent)}\n`)
  }

  /** Writes the name of what was made or changed, for `-q`; several values are separated by tabs. */
  name(text: string | readonly string[]): void {
    this.write(`${[text].flat().map(visible).join('\t')}\n`)
  }

  write(text: string): void {
    this.#hasBegun ||= text !== ''
    this.#io.stdout.write(text)
  }

  /** Writes the lines of a comparison. What a line begins with (`+`, `-`, `~`, `!`) gives its colour. */
  async changes(lines: readonly string[]): Promise<void> {
    this.write(await this.#changeLines(this.#io.stdout, lines))
  }

  /** Writes the lines of a comparison to stderr, before a question. */
  async askedChanges(lines: readonly string[]): Promise<void> {
    this.#io.stderr.write(await this.#changeLines(this.#io.stderr, lines))
  }

  async #changeLines(sink: Sink, lines: readonly string[]): Promise<string> {
    const paint = await colours(sink, this.#io, this.#settings)
    const tones: Readonly<Record<string, (text: string) => string>> = {
      '+': paint.green,
      '-': paint.red,
      '~': paint.yellow,
      '!': paint.magenta,
    }
    const painted = (line: string) => (tones[line.trimStart()[0] ?? ''] ?? String)(visible(line))
    return lines.map((line) => `${painted(line)}\n`).join('')
  }

  /** Writes a message for people; `-q` silences it. */
  note(text: string): void {
    if (!this.#settings.quiet) this.#io.stderr.write(`${text}\n`)
  }

  /** Reports a change without data: the answer when a document was requested, and a message. */
  async acted(body: object, says: string): Promise<void> {
    const { format } = this.#settings
    if (format !== undefined && format !== 'name')
      await this.printRecord({ record: body, fields: [], id: 'status' })
    this.note(says)
  }

  async warn(text: string): Promise<void> {
    const paint = await colours(this.#io.stderr, this.#io, this.#settings)
    this.#io.stderr.write(`${paint.yellow('warning:')} ${visible(text)}\n`)
  }

  /**
   * Refuses a `--jq` that is no program, and a `--template` with a name that is none of the fields, if they are known.
   * @throws a usage error
   */
  async requireQuery(fields?: ReadonlySet<string>): Promise<void> {
    const { jq, template } = this.#settings
    if (jq === undefined && template === undefined) return
    const { requireFields, requireProgram, requireTemplate } = await import('./query.js')
    if (jq !== undefined) await requireProgram(jq)
    if (template !== undefined) requireTemplate(template)
    if (template !== undefined && fields !== undefined) requireFields(template, fields)
  }

  /** Warns that a query had no effect, because the command printed no record but a text. */
  async warnUnqueried(): Promise<void> {
    const { jq, template } = this.#settings
    if (this.#hasQueried || !this.#hasBegun || (jq === undefined && template === undefined)) return
    await this.warn(
      `--${jq === undefined ? 'template' : 'jq'} has no effect: this command prints a text, not a record`,
    )
  }

  /**
   * Writes a JSON document that stands in a file as a text: unchanged, or as `-o`, `--jq` and `--template` ask.
   */
  async file(text: string): Promise<void> {
    const { format, jq, template } = this.#settings
    const isAsIs = format === undefined || format === 'json' || format === 'name'
    if (isAsIs && jq === undefined && template === undefined) return this.write(text)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null)
      await this.printRecord({ record: value, fields: [], id: 'title' })
  }

  /** Writes the output of `--jq` or `--template` if one was given. @returns whether it did */
  async #queried(document: () => object, fields: Fields): Promise<boolean> {
    const { jq, template } = this.#settings
    if (jq === undefined && template === undefined) return false
    this.#hasQueried = true
    const { queried, requireFields, templated } = await import('./query.js')
    const data = document()
    try {
      if (jq !== undefined) {
        this.write(await queried(data, jq))
      } else if (template !== undefined) {
        const rows: readonly object[] = Array.isArray(data) ? data : [data]
        if (rows.length > 0)
          requireFields(template, knownFields({ ...fields, rows: [...(fields.rows ?? []), ...rows] }))
        this.write(rows.map((row) => templated(row, template)).join(''))
      }
    } catch (thrown) {
      throw this.#afterSending(thrown)
    }
    return true
  }

  /** What cannot be shown once a change was sent must not look like a command that did nothing. */
  #afterSending(thrown: unknown): unknown {
    const { sent } = this.#io
    return sent.any && thrown instanceof Error ? outputLost(thrown, sent) : thrown
  }

  #style(): CellStyle {
    return { human: this.isHuman, utc: this.#settings.utc, zone: true, now: this.#io.now() }
  }

  #written(columns: readonly Column[], id: string) {
    const { bom, headers } = this.#settings
    return { columns, id, isTty: this.#io.stdout.isTty, headers, bom: bom && !this.#hasBegun }
  }

  /**
   * Returns the columns of `--columns`, or all of the view.
   * @throws a usage error that lists the known columns
   */
  #columns(view: Fields): readonly Column[] {
    const { columns } = view
    const chosen = this.#settings.columns
    if (chosen.length === 0) return columns
    const known = knownFields(view)
    // A column that the user names stays in a terminal of any width.
    return chosen.map((name) => {
      const key = fieldNamed(name, columns, known)
      if (key === undefined) {
        const error = usageError(`There is no column "${name}".`, `Columns: ${[...known].join(', ')}`)
        throw this.#afterSending(error)
      }
      const {
        leaves: _,
        wide: __,
        ...column
      } = columns.find((known) => known.key === key) ?? undeclared(key, view.rows)
      return column
    })
  }

  /** Returns the fields of documents: with `--columns`, no other than its own. */
  #within(view: Fields, columns: readonly Column[]): Fields {
    return this.#settings.columns.length === 0 ? view : { columns }
  }

  /** Returns a row with its columns in order; with `--columns`, no other field, and null for one that the row lacks. */
  #document(row: object, columns: readonly Column[]): object {
    const document = documentOf(row, columns, this.#style())
    if (this.#settings.columns.length === 0) return document
    return Object.fromEntries(columns.map(({ key }) => [key, cellOf(document, key) ?? null]))
  }

  /** Returns the rows in the order of `--sort`. @throws a usage error that lists the columns */
  #sorted(view: AnyList): readonly object[] {
    const { columns, rows } = view
    const { sort } = this.#settings
    if (sort === undefined) return rows
    const known = knownFields(view)
    const inOrder = sortedBy(rows, columns, sort, known)
    if (inOrder !== undefined) return inOrder
    const name = sort.replace(/^-/, '')
    const error = usageError(`--sort: there is no column "${name}".`, `Columns: ${[...known].join(', ')}`)
    throw this.#afterSending(error)
  }

  /** Returns the columns that tables and tab-separated lines show. */
  #shown(columns: readonly Column[]): readonly Column[] {
    return this.#settings.table === 'wide' ? columns : columns.filter(({ wide }) => wide !== true)
  }

  /** Returns the width to draw in; undefined in a pipe, where a line may have any length. */
  #width(): number | undefined {
    const { stdout, env } = this.#io
    const set = Number(env.COLUMNS)
    return stdout.isTty ? stdout.columns : Number.isInteger(set) && set > 0 ? set : undefined
  }

  /** Returns a row per line, tab-separated, without a heading: the table of a pipe. */
  async #lines(rows: readonly object[], columns: readonly Column[]): Promise<string> {
    const style = this.#style()
    const paint = await colours(this.#io.stdout, this.#io, this.#settings)
    const line = (row: object) => columns.map((column) => paintedCell(row, column, style, paint)).join('\t')
    return rows.map((row) => `${line(row)}\n`).join('')
  }

  async #table({ rows, columns, totals }: AnyList): Promise<string> {
    const { drawTable } = await import('./table.js')
    return drawTable({
      rows,
      columns: this.#shown(columns),
      totals,
      style: { ...this.#style(), zone: false },
      paint: await colours(this.#io.stdout, this.#io, this.#settings),
      width: this.#settings.table === 'wide' ? undefined : this.#width(),
      headers: this.#settings.headers,
    })
  }

  /** Writes a table for people to stderr, before a question; `rows` beyond the first `most` are counted. */
  async preview<Row extends object>(
    view: Pick<ListView<Row>, 'rows' | 'columns'>,
    most: number,
  ): Promise<void> {
    const { drawTable } = await import('./table.js')
    const { stderr } = this.#io
    stderr.write(
      await drawTable({
        rows: view.rows.slice(0, most),
        columns: view.columns.filter(({ wide }) => wide !== true),
        style: { ...this.#style(), human: true, zone: false },
        paint: await colours(stderr, this.#io, this.#settings),
        width: stderr.columns,
        headers: true,
      }),
    )
    if (view.rows.length > most) stderr.write(`… and ${view.rows.length - most} more\n`)
  }
}

/** What says which fields rows may have. */
interface Fields extends Pick<AnyList, 'columns' | 'record'> {
  rows?: readonly object[]
}

/** Returns the names of all fields that rows may have: of the columns, of the rows that are there, and of their record. */
function knownFields({ columns, record, rows = [] }: Fields): ReadonlySet<string> {
  return new Set([...fieldsOf(rows, columns), ...(record === undefined ? [] : fieldsOfRecord(record))])
}
