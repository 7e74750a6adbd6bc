import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import type { AppEnv } from '../env.js'

/** Rows put together between two turns of the event loop. */
const ROWS_A_PIECE = 500

/** Sends a long text piece by piece; while it goes out, other requests have their turn. */
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
 * A JSON object whose last member is a long list: `fields` come first, then the rows under `name`, one by one.
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

/** Rows as comma-separated lines (RFC 4180), a header first. */
export function* csvLines<K extends string>(
  columns: readonly K[],
  rows: Iterable<Readonly<Record<K, string | number>>>,
): Generator<string> {
  yield `${columns.join(',')}\r\n`
  for (const row of rows) yield `${columns.map((column) => csvField(row[column])).join(',')}\r\n`
}

function csvField(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
