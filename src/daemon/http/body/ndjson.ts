import type { Context } from 'hono'
import type { AppEnv } from '../../process/env.js'

/** The most lines that a reader may be behind. The stream ends when there are more. */
const MAX_BEHIND = 10_000

interface LineSink {
  send(line: object): void
  end(): void
}

/** Starts what sends the lines. @returns the function that stops it */
export type LineSource = (sink: LineSink) => () => void

/**
 * Streams one JSON object per line. `begin` starts the source and returns the function that stops it when the
 * reader disconnects or falls too far behind.
 */
export function streamLines(c: Context<AppEnv>, begin: LineSource): Response {
  const encoder = new TextEncoder()
  let stop = () => {}
  let ended = false
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = () => {
          if (ended) return
          ended = true
          stop()
          controller.close()
        }
        stop = begin({
          send: (line) => {
            if (ended) return
            controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
            if ((controller.desiredSize ?? 0) < -MAX_BEHIND) end()
          },
          end,
        })
        if (ended) stop()
      },
      cancel() {
        ended = true
        stop()
      },
    },
    new CountQueuingStrategy({ highWaterMark: 1 }),
  )
  c.header('Content-Type', 'application/x-ndjson')
  return c.body(body)
}
