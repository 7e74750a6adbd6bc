import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import { csvRecord } from '../../../core/csv/index.js'
import { streamTexts } from '../../http/stream.js'
import type { AppEnv } from '../../process/env.js'

/** The number of rows formatted in one turn of the event loop. */
const ROWS_A_PIECE = 100

interface CsvFile<Row> {
  name: string
  columns: readonly string[]
  cells(row: Row): readonly (string | number | null)[]
}

/** Sends rows as a CSV file while they are read, and holds one page of them in memory. */
export function sendCsvFile<Row>(
  c: Context<AppEnv>,
  file: CsvFile<Row>,
  pages: AsyncIterable<readonly Row[]>,
): Response {
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename=${file.name}`,
  }
  return streamTexts(c, headers, textsOf(file, pages))
}

async function* textsOf<Row>(
  { cells, columns }: CsvFile<Row>,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield csvRecord(columns)
  for await (const rows of pages) {
    for (let from = 0; from < rows.length; from += ROWS_A_PIECE) {
      await setImmediate()
      const piece = rows.slice(from, from + ROWS_A_PIECE)
      yield piece.map((row) => csvRecord(cells(row))).join('')
    }
  }
}
