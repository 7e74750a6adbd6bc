import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Principal } from '../../../core/identity/index.js'
import type { Logger } from '../../../core/logging/index.js'
import type { Clock, Timer } from '../../../core/time/index.js'
import { logFault } from '../../process/process-faults.js'
import { guarded } from '../upgrade.js'
import { MarketOutbox, type TurnWrites } from './outbox.js'
import { MAX_SELECTORS, objectsIn } from './request.js'
import type { Receiver, Topic } from './topic.js'

/** The close code for a client that is not, or no longer, signed in (docs/websocket.md). */
export const SIGNED_OUT = 4401
const PING_TIMEOUT = 1011

/**
 * The work a client may send in a burst, and then per second. The unit is one small message; a long message
 * counts as several. Beyond these limits the server reads the connection more slowly.
 */
const SIGNED_IN: WorkLimit = { burst: 2000, perSecond: 200 }
/** Enough to sign in several times and to send the first subscriptions ahead. */
const ANONYMOUS: WorkLimit = { burst: 100, perSecond: 10 }
const BYTES_OF_ONE = 1024
const SYMBOLS_OF_ONE = 16

interface WorkLimit {
  readonly burst: number
  readonly perSecond: number
}

interface MarketClientParts {
  socket: WebSocket
  /** The connection below the WebSocket. */
  transport: Duplex
  writes: TurnWrites
  clock: Clock
  log: Logger
  /** Called with each invalid key that the client sends. */
  onInvalidKey: (apiKey: string) => void
  /** Handles one message. Later messages wait until the promise settles. */
  handle: (client: MarketClient, text: string) => void | Promise<void>
}

/** One connection of the market stream: its principal, its subscriptions, and its messages in order. */
export class MarketClient implements Receiver {
  readonly outbox: MarketOutbox
  wantsOrders = false
  failedSignIns = 0
  readonly #parts: MarketClientParts
  readonly #inbox: string[] = []
  #principal: Principal | undefined
  #alive = true
  #busy = false
  #limit = ANONYMOUS
  #allowance = ANONYMOUS.burst
  #allowanceAt: number
  #resume: Timer | undefined

  constructor(parts: MarketClientParts) {
    this.#parts = parts
    this.#allowanceAt = parts.clock.monotonic()
    this.outbox = new MarketOutbox(parts.socket, parts.transport, parts.writes)
    parts.socket.on(
      'message',
      guarded(parts.socket, parts.log, (message) => {
        this.#alive = true
        const text = String(message)
        this.#inbox.push(text)
        this.#slowDown(workOf(text))
        this.#work().catch((fault: unknown) => this.#giveUp(fault))
      }),
    )
    parts.socket.on('pong', () => {
      this.#alive = true
    })
    parts.socket.on('close', () => {
      this.#inbox.length = 0
      this.outbox.clear()
      parts.clock.clear(this.#resume)
    })
  }

  /** Counts a sign-in with an invalid key. */
  refuseKey(apiKey: string): void {
    this.failedSignIns += 1
    this.#parts.onInvalidKey(apiKey)
  }

  /** The signed-in user; undefined before the first sign-in. */
  get principal(): Principal | undefined {
    return this.#principal
  }

  get username(): string {
    return this.#principal?.username ?? ''
  }

  get open(): boolean {
    return this.#parts.socket.readyState === this.#parts.socket.OPEN
  }

  /** Signs the client in. It may send more from now on. */
  signIn(principal: Principal): void {
    this.#principal = principal
    if (this.#limit === SIGNED_IN) return
    this.#limit = SIGNED_IN
    this.#allowance = SIGNED_IN.burst
    this.#parts.clock.clear(this.#resume)
    this.#resume = undefined
    if (!this.#busy) this.#parts.socket.resume()
  }

  send(message: unknown): void {
    this.outbox.send(message)
  }

  offer(topic: Topic, frame: Buffer): boolean {
    return this.outbox.offer(topic, frame)
  }

  forget(topic: Topic): void {
    this.outbox.forget(topic)
  }

  /** Sends a ping. Disconnects a client that has sent nothing since the last ping. */
  ping(): void {
    const { socket } = this.#parts
    if (this.#alive) {
      this.#alive = false
      socket.ping()
    } else if (this.open) {
      socket.close(PING_TIMEOUT, 'ping timeout')
    } else {
      socket.terminate()
    }
  }

  close(code: number, reason: string): void {
    this.#parts.socket.close(code, reason)
  }

  terminate(): void {
    this.#parts.socket.terminate()
  }

  /** Handles the messages one after the other, in the order of arrival. */
  async #work(): Promise<void> {
    if (this.#busy) return
    for (let text = this.#next(); text !== undefined; text = this.#next()) {
      const underWay = this.#parts.handle(this, text)
      if (!underWay) continue
      this.#busy = true
      this.#parts.socket.pause()
      await underWay
      this.#busy = false
      if (!this.#resume) this.#parts.socket.resume()
    }
  }

  #giveUp(fault: unknown): void {
    logFault(this.#parts.log, 'stream.failed', fault)
    this.terminate()
  }

  #next(): string | undefined {
    return this.open ? this.#inbox.shift() : undefined
  }

  /** Pauses reading when a client sends too much work. No message is lost. */
  #slowDown(work: number): void {
    const { clock, socket } = this.#parts
    const { burst, perSecond } = this.#limit
    const now = clock.monotonic()
    const earned = ((now - this.#allowanceAt) / 1000) * perSecond
    this.#allowance = Math.min(burst, this.#allowance + earned) - work
    this.#allowanceAt = now
    if (this.#allowance >= 0 || this.#resume) return
    socket.pause()
    this.#resume = clock.setTimeout(
      () => {
        this.#resume = undefined
        if (!this.#busy) socket.resume()
      },
      (-this.#allowance / perSecond) * 1000,
    )
  }
}

/** Returns what a message costs, estimated before it is parsed. */
function workOf(text: string): number {
  const symbols = objectsIn(text) ?? MAX_SELECTORS
  return Math.max(1, text.length / BYTES_OF_ONE, symbols / SYMBOLS_OF_ONE)
}

/**
 * Returns whether the page that opens the socket may do so. The stream needs an API key, which no other page
 * has. So the page may be on another port of the same host (the stream can have its own port), or on an
 * allowed origin.
 */
export function isAllowedOrigin({ headers }: IncomingMessage, allowedOrigins: readonly string[]): boolean {
  if (headers.origin === undefined || allowedOrigins.includes(headers.origin)) return true
  const page = hostnameOf(headers.origin)
  const here = hostnameOf(`http://${headers.host}`)
  return page !== undefined && here !== undefined && (page === here || (isLoopback(page) && isLoopback(here)))
}

function hostnameOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

const isLoopback = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
