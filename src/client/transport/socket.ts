import type { WebSocket } from 'ws'
import { NoAnswerError, StreamError } from '../errors.js'
import { agentFor, type Trust, Waiting } from './agents.js'
import { failureOf, strangerText } from './exchange.js'
import { type Json, objectOf } from './json.js'

/** So many messages wait at most for a slow reader, and so few until the socket is read again. */
const MOST_WAITING = 1_000
const FEW_WAITING = 100

/**
 * A queue of messages from a socket, which pushes, to a reader, which pulls. It ends when the socket closes. A socket whose
 * reader is slow is not read: the daemon then sends the newest price of each symbol alone.
 */
class Inbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #isPaused = false
  #wake: (() => void) | undefined
  #ended = false
  #failure: { reason: unknown } | undefined

  constructor(private readonly source: Pick<WebSocket, 'pause' | 'resume'>) {}

  put(message: T): void {
    this.#waiting.push(message)
    if (!this.#isPaused && this.#waiting.length >= MOST_WAITING) {
      this.#isPaused = true
      this.source.pause()
    }
    this.#wake?.()
  }

  /** Ends the queue with an error. The reader gets it after all earlier messages. */
  fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.end()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  #take(): T | undefined {
    const next = this.#waiting.shift()
    if (this.#isPaused && this.#waiting.length <= FEW_WAITING) {
      this.#isPaused = false
      this.source.resume()
    }
    return next
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      for (let next = this.#take(); next !== undefined; next = this.#take()) yield next
      if (this.#failure) throw this.#failure.reason
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

const HANDSHAKE_LIMIT_MS = 10_000

interface SocketOptions {
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** How the daemon must prove who it is. */
  trust?: Trust | undefined
  /** Close codes that mean a refusal. Any other code is the normal end of the stream. */
  refusals: ReadonlyMap<number, string>
  onOpen?(socket: WebSocket): void
}

/**
 * Yields the JSON objects of one WebSocket connection, until it ends.
 * @throws StreamError when it is refused, NoAnswerError when there is no daemon, the signal's reason when
 * aborted
 */
export async function* messagesOf(
  url: URL,
  { headers = {}, signal, refusals, trust, onOpen }: SocketOptions,
): AsyncGenerator<Json> {
  signal?.throwIfAborted()
  const [{ WebSocket }, agent] = await Promise.all([import('ws'), agentFor(url, trust)])
  // Meanwhile the reader may have left: a signal that is over tells nobody any more.
  signal?.throwIfAborted()
  const abandoned = new AbortController()
  const options = {
    headers,
    agent,
    handshakeTimeout: HANDSHAKE_LIMIT_MS,
    waiting: new Waiting(abandoned.signal),
  }
  const socket = new WebSocket(url, options)
  const inbox = new Inbox<Json>(socket)
  const onAbort = () => inbox.fail(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  socket.on('open', () => onOpen?.(socket))
  socket.on('message', (data) => {
    const message = objectOf(String(data))
    if (message) inbox.put(message)
  })
  socket.on('unexpected-response', (_request, response) => {
    const status = response.statusCode ?? 0
    inbox.fail(new StreamError(`${url.origin} refused the stream with status ${status}`, status))
    socket.terminate()
  })
  socket.on('error', (error) =>
    inbox.fail(
      new NoAnswerError(
        strangerText(error, url.origin) ?? `No stream opened at ${url.origin} (${failureOf(error).reason})`,
        false,
        error,
      ),
    ),
  )
  socket.on('close', (code) => {
    const refused = refusals.get(code)
    if (refused === undefined) inbox.end()
    else inbox.fail(new StreamError(refused, code))
  })
  try {
    yield* inbox
  } finally {
    signal?.removeEventListener('abort', onAbort)
    abandoned.abort()
    socket.terminate()
  }
}
