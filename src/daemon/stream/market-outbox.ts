import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** Something whose newest value a client wants, such as a symbol in a mode. */
export interface Latest {
  /** The newest frame, ready to be sent. */
  frame(): Buffer
}

/** Frames handed to the socket and not yet written, after which ticks wait here instead. */
const MAX_QUEUED_FRAMES = 1024
const MAX_QUEUED_BYTES = 1_048_576
/** Waiting ticks move on once the socket has this few frames left. */
const RESUME_AT_FRAMES = 256
/** Answers and order updates are never dropped; a client that lets this much pile up is. */
const MAX_BUFFERED_BYTES = 4 * 1_048_576

const TEXT = { binary: false } as const

/** Lets all that is written to a connection within one turn of the event loop leave in one write to the network. */
export class TurnWrites {
  #held: Duplex[] = []
  readonly #release = (): void => {
    const held = this.#held
    this.#held = []
    for (const transport of held) transport.uncork()
  }

  /** Holds a connection back until the turn is over, unless it is held already. */
  hold(transport: Duplex): void {
    if (transport.writableCorked > 0) return
    if (this.#held.length === 0) process.nextTick(this.#release)
    transport.cork()
    this.#held.push(transport)
  }
}

/**
 * What goes out to one client. Ticks go straight to the socket while it keeps up. When it does not, only the
 * newest value of each subscription is kept, in the order in which they began to wait, so that a slow client
 * costs a bounded amount of memory, sees no old prices when it catches up, and holds nobody up.
 */
export class MarketOutbox {
  readonly #socket: WebSocket
  readonly #transport: Duplex
  readonly #waiting = new Set<Latest>()
  readonly #onSent = (): void => this.#sent()
  #queued = 0
  #conflated = 0

  readonly #writes: TurnWrites

  /** @param transport the connection below the WebSocket */
  constructor(socket: WebSocket, transport: Duplex, writes: TurnWrites) {
    this.#socket = socket
    this.#transport = transport
    this.#writes = writes
  }

  /** Ticks replaced by a newer one before they could be sent. */
  get conflated(): number {
    return this.#conflated
  }

  /** Subscriptions whose newest value waits for the socket. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Sends an answer or an order update: these keep their order and are never left out. */
  send(message: unknown): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#transport.writableLength > MAX_BUFFERED_BYTES) this.#socket.terminate()
    else this.#write(Buffer.from(JSON.stringify(message)))
  }

  /** Sends a tick, or lets its subscription wait. @returns whether it was sent */
  offer(latest: Latest, frame: Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    if (this.#waiting.size === 0 && !this.#isFull()) {
      this.#write(frame)
      return true
    }
    if (this.#waiting.has(latest)) this.#conflated += 1
    else this.#waiting.add(latest)
    return false
  }

  /** Nobody wants this any more. */
  forget(latest: Latest): void {
    this.#waiting.delete(latest)
  }

  clear(): void {
    this.#waiting.clear()
  }

  #isFull(): boolean {
    return this.#queued >= MAX_QUEUED_FRAMES || this.#transport.writableLength > MAX_QUEUED_BYTES
  }

  #write(frame: Buffer): void {
    this.#writes.hold(this.#transport)
    this.#queued += 1
    this.#socket.send(frame, TEXT, this.#onSent)
  }

  #sent(): void {
    this.#queued -= 1
    if (this.#waiting.size === 0 || this.#queued > RESUME_AT_FRAMES) return
    for (const latest of this.#waiting) {
      if (this.#isFull() || this.#socket.readyState !== this.#socket.OPEN) break
      this.#waiting.delete(latest)
      this.#write(latest.frame())
    }
  }
}
