import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import { BYTE_ORDER_MARK, csvRecord } from '../../../core/csv/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { istDateTime } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { csvFileQuery } from '../../operations/common/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { Download } from './reply.js'
import { after, streamTexts } from './stream.js'

/** The number of rows formatted in one turn of the event loop, so that orders do not wait for an export. */
const ROWS_A_TURN = 50

/** A column of a CSV file: its title, and the cell of a row. */
export type CsvColumns<View> = readonly (readonly [title: string, cell: (row: View) => unknown])[]

interface CsvFacts<Row, View> {
  name: string
  columns: CsvColumns<View>
  /** Returns a row in the form from which its cells are read. */
  view(row: Row): View
}

/** Rows that are sent as a CSV file while they are read, because it may be larger than the memory. */
export class CsvFile<Row, View> extends Download {
  constructor(
    private readonly facts: CsvFacts<Row, View>,
    private readonly pages: AsyncGenerator<readonly Row[]>,
  ) {
    super()
  }

  send(c: Context<AppEnv>): Promise<Response> {
    return sendCsv(c, this.facts, this.pages)
  }
}

/** A CSV file whose text is made already. */
export class CsvText extends Download {
  constructor(
    private readonly name: string,
    private readonly text: string,
  ) {
    super()
  }

  send(c: Context<AppEnv>): Response {
    return c.body(`${byteOrderMark(c)}${this.text}`, 200, headersOf(this.name))
  }
}

const headersOf = (name: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename=${name}`,
})

/**
 * Sends rows as a CSV file while they are read, and holds one page of them in memory. The first page is read
 * before the answer begins, so that a failure has its status.
 * @throws ServiceError `internal` if the first page cannot be read
 */
export async function sendCsv<Row, View>(
  c: Context<AppEnv>,
  file: CsvFacts<Row, View>,
  pages: AsyncGenerator<readonly Row[]>,
): Promise<Response> {
  const texts = csvTexts(file, pages, byteOrderMark(c))
  const first = await texts.next().catch((cause: unknown) => {
    throw new ServiceError('internal', 'An error occurred while exporting logs', { cause })
  })
  return streamTexts(c, headersOf(file.name), after(first, texts))
}

/**
 * Returns what a CSV file begins with: a byte order mark, which a spreadsheet needs to read the file as UTF-8, if the
 * query asks for it. Without a word in the query, a person who downloads the file from a page gets it, and a program none.
 * @throws ServiceError `validation` for a word that is neither true nor false
 */
export function byteOrderMark(c: Context<AppEnv>): string {
  const { bom } = parseWith(csvFileQuery, c.req.query())
  const hasBom = bom === undefined ? c.req.header('accept')?.includes('text/html') : bom === 'true'
  return hasBom ? BYTE_ORDER_MARK : ''
}

/** Returns the name of a file of an instant: `svc_logs_20261120_091500.csv`. */
export function stampedName(name: string, now: number): string {
  return `${name}_${istDateTime(now).replaceAll(/[-:]/g, '').replace(' ', '_')}.csv`
}

async function* csvTexts<Row, View>(
  { columns, view }: CsvFacts<Row, View>,
  pages: AsyncGenerator<readonly Row[]>,
  mark: string,
): AsyncGenerator<string> {
  const cellsOf = (row: View) => columns.map(([, cell]) => cell(row))
  const firstPage = await pages.next()
  yield mark + csvRecord(columns.map(([title]) => title))
  for (let page = firstPage; !page.done; page = await pages.next()) {
    for (let from = 0; from < page.value.length; from += ROWS_A_TURN) {
      await setImmediate()
      const rows = page.value.slice(from, from + ROWS_A_TURN)
      yield rows.map((row) => csvRecord(cellsOf(view(row)))).join('')
    }
  }
}
