import type { ChalkInstance } from 'chalk'
import { csvRecord } from '../../core/csv/index.js'
import { usageError } from '../framework/errors.js'
import type { Format, GlobalSettings } from '../framework/globals.js'
import { isObject, type KeyOf } from '../http/json.js'
import type { Io, Sink } from '../io/io.js'
import { type CellStyle, cellText, type Kind, toneOf, visible } from './cells.js'

export interface Column<Key extends string = string> {
  /** The API's own field name: the key in JSON and the heading of CSV. */
  key: Key
  /** The heading for people; the key in capitals by default. */
  title?: string
  kind?: Kind
}

/** Rows to show as a table, a list of ids or a document. */
export interface ListView<Row extends object = object> {
  rows: readonly Row[]
  columns: readonly Column<KeyOf<Row>>[]
  /** The field `-q` prints. */
  id: KeyOf<Row>
  /** Shown on a terminal when there are no rows. */
  empty: string
}

/** One object, shown field by field. */
export interface RecordView<Record extends object = object> {
  record: Record
  fields: readonly Column<KeyOf<Record>>[]
  /** The field `-q` prints. */
  id: KeyOf<Record>
}

/** A list with rows of any type, as the printing code uses it. */
interface AnyList {
  rows: readonly object[]
  columns: readonly Column[]
  id: string
  empty: string
}
export interface AnyRecord {
  record: object
  fields: readonly Column[]
  id: string
}

const cellOf = (row: object, key: string): unknown => Reflect.get(row, key)

/** Writes data to stdout in the chosen format, and messages for people to stderr. */
export class Output {
  readonly #io: Io
  readonly #settings: GlobalSettings

  constructor(io: Io, settings: GlobalSettings) {
    this.#io = io
    this.#settings = settings
  }

  get isHuman(): boolean {
    return this.#format === 'table' && this.#io.stdout.isTty
  }

  get #format(): Format {
    return this.#settings.format ?? 'table'
  }

  list<Row extends object>(view: ListView<Row>): Promise<void> {
    return this.printList(view)
  }

  record<Record extends object>(view: RecordView<Record>): Promise<void> {
    return this.printRecord(view)
  }

  protected async printList(view: AnyList): Promise<void> {
    const rows = view.rows.map((row) => this.#pick(row, view.columns))
    const print = LISTS[this.#format]
    if (print) return this.write(await print(rows, view.id, this.#io.stdout.isTty))
    const columns = this.#columns(view.columns)
    if (view.rows.length === 0) {
      if (this.#io.stdout.isTty) this.note(view.empty)
      return
    }
    this.write(this.isHuman ? await this.#table(view.rows, columns) : await this.#tabs(view.rows, columns))
  }

  protected async printRecord(view: AnyRecord): Promise<void> {
    const print = RECORDS[this.#format]
    if (print) {
      const { isTty } = this.#io.stdout
      return this.write(await print(this.#pick(view.record, view.fields), view.id, isTty))
    }
    const fields = this.#columns(view.fields)
    const style = this.#style()
    const paint = await colours(this.#io.stdout, this.#io, this.#settings)
    const width = Math.max(...fields.map((field) => titleOf(field).length))
    for (const { key, title, kind = 'text' } of fields) {
      const value = cellOf(view.record, key)
      if (value === undefined || (value === '' && this.isHuman)) continue
      const text = cellText(value, kind, style)
      const tone = toneOf(value, kind)
      const shown = tone ? paint[tone](text) : text
      const label = this.isHuman ? `${paint.dim((title ?? key.toUpperCase()).padEnd(width))}  ` : `${key}\t`
      this.write(`${label}${shown}\n`)
    }
  }

  /** Writes one row of a stream: its cells on a line, or one JSON object when a format was chosen. */
  streamed(row: object, columns: readonly Column[]): void {
    const style = this.#style()
    const cells = columns.map(({ key, kind = 'text' }) => cellText(cellOf(row, key), kind, style))
    if (this.#settings.format !== undefined) this.line(row)
    else this.write(`${cells.join(this.isHuman ? '  ' : '\t')}\n`)
  }

  /** Writes one JSON object on its own line, whatever the format: for streams. */
  line(value: unknown): void {
    this.write(`${safeJson(value)}\n`)
  }

  write(text: string): void {
    this.#io.stdout.write(text)
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

  #style(): CellStyle {
    return { human: this.isHuman, utc: this.#settings.utc, now: this.#io.now() }
  }

  #columns(columns: readonly Column[]): readonly Column[] {
    const { fields } = this.#settings
    if (fields.length === 0) return columns
    return fields.map((key) => columns.find((column) => column.key === key) ?? { key })
  }

  /** Returns only the fields of `--fields`; the error for an unknown name lists the known ones. */
  #pick(row: object, columns: readonly Column[]): object {
    const { fields } = this.#settings
    const known = new Set([...columns.map((column) => column.key), ...Object.keys(row)])
    const stranger = fields.find((field) => !known.has(field))
    if (stranger !== undefined)
      throw usageError(`There is no field "${stranger}".`, `Fields: ${[...known].join(', ')}`)
    return fields.length === 0
      ? row
      : Object.fromEntries(fields.map((key) => [key, cellOf(row, key) ?? null]))
  }

  async #tabs(rows: readonly object[], columns: readonly Column[]): Promise<string> {
    const style = this.#style()
    const paint = await colours(this.#io.stdout, this.#io, this.#settings)
    const cell = (row: object) => (column: Column) => paintedCell(row, column, style, paint)
    const line = (row: object) => columns.map(cell(row)).join('\t')
    return rows.map((row) => `${line(row)}\n`).join('')
  }

  async #table(rows: readonly object[], columns: readonly Column[]): Promise<string> {
    const { default: Table } = await import('cli-table3')
    const paint = await colours(this.#io.stdout, this.#io, this.#settings)
    const style = this.#style()
    const table = new Table({
      chars: BORDERLESS,
      style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
      head: columns.map((column) => paint.bold(titleOf(column))),
      colAligns: columns.map(({ kind }) => (RIGHT.has(kind ?? 'text') ? 'right' : 'left')),
    })
    for (const row of rows) {
      table.push(columns.map((column) => paintedCell(row, column, style, paint)))
    }
    const lines = table.toString().split('\n')
    return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
  }
}

/** Returns a cell as shown, with its colour if colours are on. */
function paintedCell(
  row: object,
  { key, kind = 'text' }: Column,
  style: CellStyle,
  paint: ChalkInstance,
): string {
  const value = cellOf(row, key)
  const text = cellText(value, kind, style)
  const tone = toneOf(value, kind)
  return tone ? paint[tone](text) : text
}

const RIGHT: ReadonlySet<Kind> = new Set(['money', 'signed', 'quantity'])

const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}

function titleOf(column: Column): string {
  return column.title ?? column.key.replaceAll('_', ' ').toUpperCase()
}

type Printer<T> = (data: T, id: string, isTty: boolean) => string | Promise<string>

const yaml = async (data: unknown) => (await import('yaml')).stringify(data)
const idOf = (row: object, id: string) => `${visible(String(cellOf(row, id) ?? ''))}\n`

const LISTS: Partial<Record<Format, Printer<readonly object[]>>> = {
  json: (rows) => `${safeJson(rows, 2)}\n`,
  jsonl: (rows) => rows.map((row) => `${safeJson(row)}\n`).join(''),
  yaml,
  csv: (rows, _id, isTty) => csv(rows, isTty),
  name: (rows, id) => rows.map((row) => idOf(row, id)).join(''),
}

const RECORDS: Partial<Record<Format, Printer<object>>> = {
  json: (row) => `${safeJson(row, 2)}\n`,
  jsonl: (row) => `${safeJson(row)}\n`,
  yaml,
  csv: (row, _id, isTty) => csv([row], isTty),
  name: (row, id) => idOf(row, id),
}

/** Returns JSON without raw control characters, on which a terminal would act. */
function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Returns comma-separated values for the union of the rows' fields: exact for a file or a pipe, escaped on a
 * terminal.
 */
function csv(rows: readonly object[], isTty: boolean): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const records = [keys, ...rows.map((row) => keys.map((key) => cellOf(row, key)))]
  return keys.length === 0 ? '' : records.map((cells) => csvRecord(isTty ? cells.map(shown) : cells)).join('')
}

function shown(cell: unknown): unknown {
  if (typeof cell === 'string') return visible(cell)
  return isObject(cell) || Array.isArray(cell) ? safeJson(cell) : cell
}

/** Decides about colour for each stream separately; off overrides on. */
export async function colours(
  sink: Sink,
  io: Io,
  settings: Pick<GlobalSettings, 'color'>,
): Promise<ChalkInstance> {
  const { Chalk } = await import('chalk')
  return new Chalk({ level: wantsColour(sink, io, settings) ? 1 : 0 })
}

function wantsColour(sink: Sink, { env }: Io, settings: Pick<GlobalSettings, 'color'>): boolean {
  if (!settings.color || env.NO_COLOR || env.TERM === 'dumb') return false
  const forced = env.FORCE_COLOR ?? env.CLICOLOR_FORCE
  return forced !== undefined && forced !== '' ? forced !== '0' : sink.isTty
}
