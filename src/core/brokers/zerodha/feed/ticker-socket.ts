import { WebSocket } from 'ws'
import type { Timer } from '../../../time/index.js'
import { type BrokerContext, BrokerError } from '../../broker.js'
import type { KiteCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'

const HANDSHAKE_TIMEOUT_MS = 10_000
/** Delays before the first, second, … reconnect; the last one repeats. */
export const RECONNECT_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const
/** Kite sends a heartbeat about every second, so a socket that is silent for this long is dead. */
const SILENCE_LIMIT_MS = 15_000
const SILENCE_CHECK_MS = 5000
/** Handshake statuses that only a new log-in resolves. */
const AUTH_STATUSES: ReadonlySet<number> = new Set([401, 403])

interface TickerHandlers {
  /** Called after every connect and reconnect. The handler must send its subscriptions again. */
  onOpen(): void
  onBinary(bytes: Uint8Array): void
  onText(text: string): void
}

/**
 * The one connection to Kite's ticker, shared by prices and order updates (a key may have three). After a
 * drop it reconnects automatically with growing delays, until it is closed or Kite refuses the token. A token
 * stays refused: only a new sign-in, which makes a new socket, helps.
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
  #connections = 0
  #lastFrameAt: number
  #closed = false
  /** The refusal of the token. */
  #refusal: BrokerError | undefined

  constructor(context: BrokerContext, credentials: KiteCredentials, handlers: TickerHandlers) {
    this.#context = context
    this.#credentials = credentials
    this.#handlers = handlers
    this.#lastFrameAt = context.clock.monotonic()
  }

  /**
   * Resolves once connected; concurrent callers share the connection.
   * @throws BrokerError `auth` if Kite refuses the token, now or earlier; `network` otherwise. After an
   * error, no reconnect is running and `open` can be called again.
   */
  open(): Promise<void> {
    if (this.#closed)
      return Promise.reject(new BrokerError('network', 'The ticker is closed.', { sent: 'never' }))
    if (this.#refusal) return Promise.reject(this.#refusal)
    this.#opening ??= this.#connect().catch((error) => {
      this.#opening = undefined
      this.#noteRefusal(error)
      throw error
    })
    return this.#opening
  }

  /**
   * Drops an open connection and reconnects with the usual delays. If a connect or reconnect is already in
   * progress, it continues. @throws BrokerError like {@link open}
   */
  reopen(): Promise<void> {
    if (this.state().connected) this.#onDrop('found silent')
    return this.open()
  }

  /** Returns whether Kite refused the token. */
  get refused(): boolean {
    return this.#refusal !== undefined
  }

  /** Returns milliseconds since the last data. Kite sends a heartbeat about every second. */
  silentMs(): number {
    return this.#context.clock.monotonic() - this.#lastFrameAt
  }

  /** Returns whether the socket is connected, and how often it has connected. */
  state(): { connected: boolean; connections: number } {
    return { connected: this.#socket?.readyState === WebSocket.OPEN, connections: this.#connections }
  }

  /** Sends a text frame if the socket is open. After a reconnect, the owner sends its subscriptions again. */
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
      // The message of a socket error may contain the address, which includes the token. The close event is
      // sufficient.
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
    this.#connections += 1
    this.#lastFrameAt = clock.monotonic()
    let checkedAt = this.#lastFrameAt
    this.#watch = clock.setInterval(() => {
      const now = clock.monotonic()
      // The check is this late because the process was suspended; data that arrived during that time is still
      // unread.
      if (now - checkedAt > 2 * SILENCE_CHECK_MS) this.#lastFrameAt = now
      checkedAt = now
      if (this.silentMs() > SILENCE_LIMIT_MS) this.#onDrop(`silent for ${SILENCE_LIMIT_MS} ms`)
    }, SILENCE_CHECK_MS)
    this.#handlers.onOpen()
  }

  #onMessage(data: WebSocket.RawData, isBinary: boolean): void {
    this.#lastFrameAt = this.#context.clock.monotonic()
    // Only received data proves a connection. A connection that drops right after opening keeps its growing
    // delays.
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
    this.#noteRefusal(error)
    if (this.#refusal) {
      this.#opening = undefined
      this.#context.sessionRefused?.()
      this.#context.log.error('zerodha.ticker_refused', { reason: this.#refusal.message })
    } else {
      this.#onDrop('could not reconnect')
    }
  }

  #noteRefusal(error: unknown): void {
    if (error instanceof BrokerError && error.kind === 'auth') this.#refusal = error
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
    { brokerStatus: status || undefined, sent: 'yes' },
  )
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
