import { WebSocket } from 'ws'
import type { Timer } from '../../../time/index.js'
import { type BrokerContext, BrokerError } from '../../broker.js'
import type { KiteCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'

const HANDSHAKE_TIMEOUT_MS = 10_000
/** Waits before the first, second, … attempt to come back; the last one repeats. */
export const RECONNECT_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const
/** Kite sends a heartbeat about every second; a socket that is silent for this long is dead. */
const SILENCE_LIMIT_MS = 15_000
const SILENCE_CHECK_MS = 5000
/** Refusals of the handshake that only a new log-in cures. */
const AUTH_STATUSES: ReadonlySet<number> = new Set([401, 403])

export interface TickerHandlers {
  /** The socket is open, the first time or again: what was asked for must be asked for anew. */
  onOpen(): void
  onBinary(bytes: Uint8Array): void
  onText(text: string): void
}

/**
 * The one connection to Kite's ticker, shared by prices and order updates (a key may hold three). It comes
 * back by itself after a drop, with growing waits, until it is closed or Kite refuses the token.
 */
export class TickerSocket {
  readonly #context: BrokerContext
  readonly #credentials: KiteCredentials
  readonly #handlers: TickerHandlers
  #socket: WebSocket | undefined
  #opening: Promise<void> | undefined
  #retry: Timer | undefined
  #watch: Timer | undefined
  #attempts = 0
  #lastFrameAt = 0
  #closed = false

  constructor(context: BrokerContext, credentials: KiteCredentials, handlers: TickerHandlers) {
    this.#context = context
    this.#credentials = credentials
    this.#handlers = handlers
  }

  /**
   * Resolves once connected; more callers share the connection.
   * @throws BrokerError `auth` when Kite refuses the token, `network` otherwise. Nothing keeps running then, and
   *   opening can be tried again
   */
  open(): Promise<void> {
    if (this.#closed)
      return Promise.reject(new BrokerError('network', 'The ticker is closed.', { sent: 'never' }))
    this.#opening ??= this.#connect().catch((error) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** Sends a text frame if the socket is open; after a reconnect the owner sends again what still counts. */
  send(frame: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame)
  }

  close(): void {
    this.#closed = true
    this.#context.clock.clear(this.#retry)
    this.#drop()
  }

  #connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.#dial()
      this.#socket = socket
      let opened = false
      let failure = new BrokerError('network', 'The ticker connection failed.', { sent: 'never' })
      socket.on('open', () => {
        opened = true
        this.#onOpen()
        resolve()
      })
      socket.on('unexpected-response', (_request, response) => {
        failure = refusedHandshake(response.statusCode ?? 0)
        socket.terminate()
      })
      // The message of a socket error can quote the address, which holds the token; its close is what counts.
      socket.on('error', () => {})
      socket.on('close', (code) => {
        if (!opened) reject(failure)
        else if (this.#socket === socket) this.#onDrop(`closed with code ${code}`)
      })
      socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    })
  }

  #dial(): WebSocket {
    const query = new URLSearchParams({
      api_key: this.#credentials.apiKey,
      access_token: this.#credentials.accessToken,
    })
    const address = `${this.#context.endpoints.ticker ?? DEFAULT_ENDPOINTS.ticker}/?${query}`
    try {
      return new WebSocket(address, { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, perMessageDeflate: false })
    } catch {
      throw new BrokerError('validation', 'The ticker address is not a WebSocket URL.', { sent: 'never' })
    }
  }

  #onOpen(): void {
    const { clock } = this.#context
    this.#lastFrameAt = clock.monotonic()
    this.#watch = clock.setInterval(() => {
      if (clock.monotonic() - this.#lastFrameAt > SILENCE_LIMIT_MS)
        this.#onDrop(`silent for ${SILENCE_LIMIT_MS} ms`)
    }, SILENCE_CHECK_MS)
    this.#handlers.onOpen()
  }

  #onMessage(data: WebSocket.RawData, isBinary: boolean): void {
    this.#lastFrameAt = this.#context.clock.monotonic()
    // Only traffic proves a connection: one that opens and drops at once keeps its growing waits.
    this.#attempts = 0
    const bytes = bytesOf(data)
    if (isBinary) this.#handlers.onBinary(bytes)
    else this.#handlers.onText(Buffer.from(bytes).toString('utf8'))
  }

  #onDrop(reason: string): void {
    this.#drop()
    if (this.#closed) return
    const waitMs = RECONNECT_DELAYS_MS[Math.min(this.#attempts, RECONNECT_DELAYS_MS.length - 1)] ?? 0
    this.#attempts++
    this.#context.log.warn('zerodha.ticker_dropped', { reason, retryInMs: waitMs })
    this.#retry = this.#context.clock.setTimeout(() => {
      this.#connect().catch((error: unknown) => this.#onFailedReturn(error))
    }, waitMs)
  }

  #onFailedReturn(error: unknown): void {
    if (this.#closed) return
    if (error instanceof BrokerError && error.kind === 'auth') {
      this.#opening = undefined
      this.#context.log.error('zerodha.ticker_refused', { reason: error.message })
    } else {
      this.#onDrop('could not reconnect')
    }
  }

  #drop(): void {
    this.#context.clock.clear(this.#watch)
    this.#watch = undefined
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }
}

function refusedHandshake(status: number): BrokerError {
  return new BrokerError(
    AUTH_STATUSES.has(status) ? 'auth' : 'network',
    `The ticker refused the connection (HTTP ${status}).`,
    { httpStatus: status || undefined, sent: 'yes' },
  )
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
