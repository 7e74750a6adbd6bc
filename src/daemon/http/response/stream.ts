import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import { csvRecord } from '../../../core/csv/index.js'
import { nextTurn } from '../../../core/time/index.js'
import type { AppEnv } from '../../process/env.js'
import { Download } from './reply.js'

/** The number of rows formatted in one turn of the event loop. */
const ROWS_A_PIECE = 500

/** Sends a long text in pieces and lets the event loop serve other requests between them. */
export function streamText(c: Context<AppEnv>, contentType: string, lines: Iterable<string>): Response {
  const iterator = lines[Symbol.iterator]()
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await setImmediate()
      const piece: string[] = []
      while (piece.length < ROWS_A_PIECE) {
        const { done, value } = iterator.next()
        if (done) {
          if (piece.length > 0) controller.enqueue(encoder.encode(piece.join('')))
          controller.close()
          return
        }
        piece.push(value)
      }
      controller.enqueue(encoder.encode(piece.join('')))
    },
    cancel() {
      iterator.return?.()
    },
  })
  c.header('Content-Type', contentType)
  return c.body(stream)
}

/**
 * Sends texts as they come. The next one is asked for when the client has taken those before it, so a slow
 * client costs no memory; a client that goes away ends the iterator. An error breaks the connection off, because
 * the status is already sent.
 */
export function streamTexts(
  c: Context<AppEnv>,
  headers: Readonly<Record<string, string>>,
  texts: AsyncIterator<string>,
): Response {
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await texts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await texts.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return c.body(stream, 200, { ...headers })
}

/**
 * Yields a JSON object whose last member is a long list: first `fields`, then the rows under `name`, one by
 * one.
 */
export function* jsonWithRows(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  rows: Iterable<unknown>,
): Generator<string> {
  const head = JSON.stringify(fields).slice(0, -1)
  yield `${head}${head === '{' ? '' : ','}${JSON.stringify(name)}:[`
  let separator = ''
  for (const row of rows) {
    yield separator + JSON.stringify(row)
    separator = ','
  }
  yield ']}'
}

/** Yields a header and the rows as comma-separated lines, after the mark that the file begins with. */
export function* csvLines<K extends string>(
  columns: readonly K[],
  rows: Iterable<Readonly<Record<K, string | number>>>,
  mark = '',
): Generator<string> {
  yield mark + csvRecord(columns)
  for (const row of rows) yield csvRecord(columns.map((column) => row[column]))
}

/** Yields a JSON list of the views of rows, one by one, each in a turn of the event loop of its own. */
export async function* listTexts<Row>(
  rows: AsyncIterable<Row>,
  view: (row: Row) => object,
): AsyncGenerator<string> {
  let separator = '['
  for await (const row of rows) {
    await nextTurn()
    yield separator + JSON.stringify(view(row))
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/** Yields the first result of an iterator, which was read to see whether it can be read, and the rest. */
export async function* after<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (!first.done) yield first.value
  yield* rest
}

/** A file of texts that are sent as they come, because it may be larger than the memory. */
export class TextsFile extends Download {
  constructor(
    private readonly headers: Readonly<Record<string, string>>,
    private readonly texts: AsyncGenerator<string>,
  ) {
    super()
  }

  send(c: Context<AppEnv>): Response {
    return streamTexts(c, this.headers, this.texts)
  }
}
