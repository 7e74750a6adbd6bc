import type { Context } from './context.js'
import { CliError } from './errors.js'
import { EXIT } from './exit-codes.js'
import { isRow, numberOf, parseJson, type Row, rowOf, textOf } from './json.js'

/** A frame of the event stream. `raw` is the daemon's own object. */
export interface EventFrame {
  event: string
  seq: number | undefined
  data: Row
  raw: Row
}

const SESSION_ENDED = 4401
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/**
 * The events of the daemon, for ever. When the connection breaks it is made again and taken up after the last
 * event seen, so that nothing recent is missed; a gap that the daemon cannot fill any more is said on stderr.
 * Every (re)connection yields its `connected` frame. Throws when the first connection fails or the session ends.
 */
export async function* followEvents(context: Context, since?: number): AsyncGenerator<EventFrame> {
  let [last, pause, everConnected] = [since, FIRST_PAUSE_MS, false]
  for (;;) {
    try {
      for await (const frame of connection(context, last)) {
        if (frame.event === 'connected') {
          ;[everConnected, pause] = [true, FIRST_PAUSE_MS]
          if (frame.data.gap)
            await context.out.warn('events were missed: the daemon does not keep them that long')
          last = resumePoint(last, frame.seq)
        } else {
          last = frame.seq ?? last
        }
        yield frame
      }
    } catch (thrown) {
      if (!everConnected || (thrown instanceof CliError && thrown.exit !== EXIT.noDaemon)) throw thrown
    }
    context.out.note(`Connection lost; trying again in ${(pause / 1000).toFixed(1)} s …`)
    await context.io.sleep(pause)
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

/** A replay follows `connected`, so it moves nothing; unless the daemon's numbers began anew. */
function resumePoint(last: number | undefined, newest: number | undefined): number | undefined {
  return last === undefined || (newest !== undefined && newest < last) ? newest : last
}

async function* connection(context: Context, since: number | undefined): AsyncGenerator<EventFrame> {
  const { WebSocket } = await import('ws')
  const url = new URL('/events', context.target.url.replace(/^http/, 'ws'))
  if (since !== undefined) url.searchParams.set('since', String(since))
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${context.sessionToken}` },
    handshakeTimeout: 10_000,
  })
  const inbox = new Inbox()
  const interrupts = context.io.interrupts()
  const onInterrupt = () => inbox.fail(interrupts.reason)
  interrupts.addEventListener('abort', onInterrupt, { once: true })
  socket.on('message', (data) => {
    const frame = parseJson(String(data))
    if (isRow(frame) && frame.type === 'event') inbox.put(frame)
  })
  socket.on('unexpected-response', (_request, response) => {
    inbox.fail(refusal(response.statusCode ?? 0, context.target.url))
    socket.terminate()
  })
  socket.on('error', () => inbox.fail(noDaemon(context.target.url)))
  socket.on('close', (code) => (code === SESSION_ENDED ? inbox.fail(sessionEnded()) : inbox.end()))
  try {
    for await (const raw of inbox) {
      yield { event: textOf(raw, 'event') ?? '', seq: numberOf(raw, 'seq'), data: rowOf(raw.data), raw }
    }
  } finally {
    interrupts.removeEventListener('abort', onInterrupt)
    socket.terminate()
  }
}

function refusal(status: number, url: string): CliError {
  if (status === 401) return sessionEnded()
  if (status === 403)
    return new CliError(EXIT.denied, 'This credential may not read events.', { hint: 'svc whoami' })
  return new CliError(EXIT.failed, `${url} answered ${status} to the event stream.`)
}

function sessionEnded(): CliError {
  return new CliError(EXIT.denied, 'Not signed in, or the session has ended.', {
    code: 'unauthenticated',
    hint: 'Sign in: svc login',
  })
}

function noDaemon(url: string): CliError {
  return new CliError(EXIT.noDaemon, `No daemon answers at ${url}.`, {
    code: 'no_daemon',
    hint: 'Start it: svc up --detach',
  })
}

/** Frames between the socket, which pushes, and the reader, who pulls. */
class Inbox implements AsyncIterable<Row> {
  readonly #frames: Row[] = []
  #wake: (() => void) | undefined
  #ended = false
  #failure: unknown

  put(frame: Row): void {
    this.#frames.push(frame)
    this.#wake?.()
  }

  fail(reason: unknown): void {
    this.#failure ??= reason
    this.end()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame) yield frame
      else if (this.#ended) break
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
    if (this.#failure !== undefined) throw this.#failure
  }
}
