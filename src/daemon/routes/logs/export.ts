import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import { csvRecord } from '../../../core/csv/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import type { OrderLogRow } from '../../../core/telemetry/index.js'
import { istDateTime } from '../../../core/time/index.js'
import { streamTexts } from '../../http/stream.js'
import type { AppEnv } from '../../process/env.js'

/** The number of rows formatted in one turn of the event loop, so that orders do not wait for an export. */
const ROWS_A_TURN = 50

/** A column of a CSV file: its title, and the cell of a row. */
export type CsvColumns<Row> = readonly (readonly [title: string, cell: (row: Row) => unknown])[]

interface CsvFile<Row> {
  /** The beginning of the file name; the time follows. */
  name: string
  columns: CsvColumns<Row>
  view(row: OrderLogRow): Row
}

/**
 * Sends rows as a CSV file while they are read. The first rows are read before the answer begins, so that a
 * failure has its status.
 * @throws ServiceError `internal` if the first rows cannot be read
 */
export async function sendCsv<Row>(
  c: Context<AppEnv>,
  file: CsvFile<Row>,
  chunks: AsyncGenerator<OrderLogRow[]>,
  now: number,
): Promise<Response> {
  const texts = csvTexts(file, chunks)
  const first = await texts.next().catch((cause: unknown) => {
    throw new ServiceError('internal', 'An error occurred while exporting logs', { cause })
  })
  const stamp = istDateTime(now).replaceAll(/[-:]/g, '').replace(' ', '_')
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename=${file.name}_${stamp}.csv`,
  }
  return streamTexts(c, headers, after(first, texts))
}

async function* csvTexts<Row>(
  { columns, view }: CsvFile<Row>,
  chunks: AsyncGenerator<OrderLogRow[]>,
): AsyncGenerator<string> {
  const head = csvRecord(columns.map(([title]) => title))
  const cellsOf = (row: Row) => columns.map(([, cell]) => cell(row))
  const firstRows = await chunks.next()
  yield head
  for (let next = firstRows; !next.done; next = await chunks.next()) {
    for (let from = 0; from < next.value.length; from += ROWS_A_TURN) {
      await setImmediate()
      const rows = next.value.slice(from, from + ROWS_A_TURN)
      yield rows.map((row) => csvRecord(cellsOf(view(row)))).join('')
    }
  }
}

async function* after(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value
  yield* rest
}
