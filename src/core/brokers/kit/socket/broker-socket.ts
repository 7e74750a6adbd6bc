import { WebSocket } from 'ws'
import type { Logger } from '../../../logging/index.js'
import type { Clock, Timer } from '../../../time/index.js'
import { BrokerError } from '../../broker.js'

/** Delays before the first, second, … reconnect; the last one repeats. */
export const RECONNECT_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const

const HANDSHAKE_TIMEOUT_MS = 10_000
const SILENCE_CHECK_MS = 1000
/** A connection that has stood for so long drops for a reason of its own. */
const STANDS_AFTER_MS = 10_000
/**
 * A larger message ends its connection before it is read, so that no message holds up everything else. The largest of a broker
 * have the full depth of some 2,000 instruments, which is less than two megabytes.
 */
const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024
/** Handshake statuses that only a new log-in resolves. */
const AUTH_STATUSES: ReadonlySet<number> = new Set([401, 403])

/** What is sent regularly: this text, or a ping of the protocol. */
export interface Ping {
  everyMs: number
  frame: string | 'protocol'
}

export interface SocketOptions {
  clock: Clock
  log: Logger
  /** Names the feed in logs and errors: `ticker`. */
  name: string
  /**
   * Returns the address, for every dial anew: some brokers give out addresses that work once. Its errors count like
   * those of the dial.
   */
  address(): string | Promise<string>
  /** Headers of the handshake, such as Authorization. */
  headers?: Readonly<Record<string, string>>
  /** Returns the frame that signs in, where the handshake does not. It is the first that is sent. */
  signIn?: () => string | Uint8Array
  /** What is sent regularly: texts, pings of the protocol, or both. Absent: the broker sends pings, or data. */
  ping?: Ping | readonly Ping[]
  /** A connection on which nothing, not even a ping, has arrived for so long is dead. */
  silenceLimitMs: number
  /** Called when the broker refuses the session at a later dial or in a frame, not at the first dial. */
  onRefused?: (() => void) | undefined
}

/** The receivers of a connection. */
export interface SocketHandlers {
  /** Called after every connect and reconnect. The handler must send its subscriptions again. */
  onOpen(): void
  onBinary(bytes: Uint8Array): void
  onText(text: string): void
}

/**
 * One connection to a broker's feed. After a drop it reconnects automatically with growing delays, until it is closed or the
 * broker refuses the session. A session stays refused: only a new sign-in, which makes a new socket, helps.
 */
export class BrokerSocket {
  readonly #options: SocketOptions
  readonly #handlers: SocketHandlers
  #socket: WebSocket | undefined
  #opening: Promise<void> | undefined
  #retry: Timer | undefined
  #watch: Timer | undefined
  #pinging: Timer[] = []
  #attempts = 0
  #openedAt = 0
  #connections = 0
  #lastFrameAt: number
  #closed = false
  /** The refusal of the session. */
  #refusal: BrokerError | undefined

  constructor(options: SocketOptions, handlers: SocketHandlers) {
    this.#options = options
    this.#handlers = handlers
    this.#lastFrameAt = options.clock.monotonic()
  }

  /**
   * Resolves once connected; concurrent callers share the connection.
   * @throws BrokerError `auth` if the broker refuses the session, now or earlier; `network` otherwise. After an
   * error, no reconnect is running and `open` can be called again.
   */
  open(): Promise<void> {
    if (this.#closed) {
      return Promise.reject(
        new BrokerError('network', `The ${this.#options.name} is closed.`, { sent: 'never' }),
      )
    }
    if (this.#refusal) return Promise.reject(this.#refusal)
    this.#opening ??= this.#connect().catch((error) => {
      this.#opening = undefined
      this.#noteRefusal(error)
      throw error
    })
    return this.#opening
  }

  /** Connects in the background, and tries again with growing delays like after a drop. */
  keepOpen(): void {
    if (this.#opening || this.#closed || this.#refusal) return
    this.#opening = Promise.resolve()
    this.#connect().catch((error: unknown) => this.#onFailedReturn(error))
  }

  /**
   * Drops an open connection and reconnects with the usual delays. If a connect or reconnect is already in
   * progress, it continues. @throws BrokerError like {@link open}
   */
  reopen(): Promise<void> {
    if (this.state().connected) this.#onDrop('found silent')
    return this.open()
  }

  /** Ends the connection for good, because a frame says that the broker refuses the session. */
  refuse(error: BrokerError): void {
    this.#drop()
    this.#endRefused(error)
  }

  /** Returns whether the broker refused the session. */
  get refused(): boolean {
    return this.#refusal !== undefined
  }

  /** Returns milliseconds since the last data. */
  silentMs(): number {
    return this.#options.clock.monotonic() - this.#lastFrameAt
  }

  /** Returns whether the socket is connected, and how often it has connected. */
  state(): { connected: boolean; connections: number } {
    return { connected: this.#socket?.readyState === WebSocket.OPEN, connections: this.#connections }
  }

  /** Sends a frame if the socket is open. After a reconnect, the owner sends its subscriptions again. */
  send(frame: string | Uint8Array): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame)
  }

  close(): void {
    this.#closed = true
    this.#options.clock.clear(this.#retry)
    this.#drop()
  }

  async #connect(): Promise<void> {
    const address = await this.#options.address()
    if (this.#closed)
      throw new BrokerError('network', `The ${this.#options.name} is closed.`, { sent: 'never' })
    const socket = this.#dial(address)
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      let opened = false
      let failure = new BrokerError('network', `The ${this.#options.name} connection failed.`, {
        sent: 'never',
      })
      socket.on('open', () => {
        opened = true
        this.#onOpen()
        resolve()
      })
      socket.on('unexpected-response', (_request, response) => {
        failure = this.#refusedHandshake(response.statusCode ?? 0)
        socket.terminate()
      })
      // The message of a socket error may contain the address, which may include a token. The close event is
      // sufficient.
      socket.on('error', () => {})
      socket.on('close', (code) => {
        if (!opened) reject(failure)
        else if (this.#socket === socket) this.#onDrop(`closed with code ${code}`)
      })
      socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
      for (const sign of ['ping', 'pong'] as const) socket.on(sign, () => this.#onLife())
    })
  }

  #dial(address: string): WebSocket {
    const { headers, name } = this.#options
    try {
      return new WebSocket(address, {
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        perMessageDeflate: false,
        maxPayload: LARGEST_MESSAGE_BYTES,
        headers: { ...headers },
      })
    } catch {
      throw new BrokerError('validation', `The ${name} address is not a WebSocket URL.`, { sent: 'never' })
    }
  }

  #onOpen(): void {
    const { clock, ping, signIn, silenceLimitMs } = this.#options
    this.#connections += 1
    this.#openedAt = clock.monotonic()
    this.#lastFrameAt = this.#openedAt
    let checkedAt = this.#lastFrameAt
    this.#watch = clock.setInterval(() => {
      const now = clock.monotonic()
      // The check is this late because the process was suspended; data that arrived during that time is still
      // unread.
      if (now - checkedAt > 2 * SILENCE_CHECK_MS) this.#lastFrameAt = now
      checkedAt = now
      if (this.silentMs() > silenceLimitMs) this.#onDrop(`silent for ${silenceLimitMs} ms`)
    }, SILENCE_CHECK_MS)
    this.#pinging = [ping ?? []]
      .flat()
      .map(({ everyMs, frame }) => clock.setInterval(() => this.#ping(frame), everyMs))
    if (signIn) this.send(signIn())
    this.#handlers.onOpen()
  }

  #ping(frame: string): void {
    if (frame !== 'protocol') this.send(frame)
    else if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.ping()
  }

  #onMessage(data: WebSocket.RawData, isBinary: boolean): void {
    this.#onLife()
    const bytes = bytesOf(data)
    if (isBinary) this.#handlers.onBinary(bytes)
    else this.#handlers.onText(Buffer.from(bytes).toString('utf8'))
  }

  #onLife(): void {
    this.#lastFrameAt = this.#options.clock.monotonic()
    // Only data that still arrives after a while proves a connection. One that drops right after its first frame keeps its
    // growing delays: a broker that closes each one at once is not dialled every second.
    if (this.#lastFrameAt - this.#openedAt >= STANDS_AFTER_MS) this.#attempts = 0
  }

  #onDrop(reason: string): void {
    this.#drop()
    if (this.#closed) return
    const { clock, log, name } = this.#options
    const waitMs = RECONNECT_DELAYS_MS[Math.min(this.#attempts, RECONNECT_DELAYS_MS.length - 1)] ?? 0
    this.#attempts++
    log.warn('broker.socket_dropped', { socket: name, reason, retryInMs: waitMs })
    this.#retry = clock.setTimeout(() => {
      this.#connect().catch((error: unknown) => this.#onFailedReturn(error))
    }, waitMs)
  }

  #onFailedReturn(error: unknown): void {
    if (this.#closed || this.#refusal) return
    if (isRefusal(error)) this.#endRefused(error)
    else this.#onDrop('could not reconnect')
  }

  #endRefused(error: BrokerError): void {
    const { log, name, onRefused } = this.#options
    this.#noteRefusal(error)
    this.#opening = undefined
    log.error('broker.socket_refused', { socket: name, reason: error.message })
    onRefused?.()
  }

  #noteRefusal(error: unknown): void {
    if (isRefusal(error)) this.#refusal = error
  }

  #drop(): void {
    const { clock } = this.#options
    clock.clear(this.#watch)
    for (const pinging of this.#pinging.splice(0)) clock.clear(pinging)
    this.#watch = undefined
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }

  #refusedHandshake(status: number): BrokerError {
    return new BrokerError(
      AUTH_STATUSES.has(status) ? 'auth' : 'network',
      `The ${this.#options.name} refused the connection (HTTP ${status}).`,
      { brokerStatus: status || undefined, sent: 'yes' },
    )
  }
}

function isRefusal(error: unknown): error is BrokerError {
  return error instanceof BrokerError && error.kind === 'auth'
}

function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
