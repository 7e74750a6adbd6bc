import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** Something whose newest value a client wants, such as a symbol in a mode. */
export interface LatestFrame {
  /** The newest frame, ready to be sent. */
  frame(): Buffer
}

/** Frames passed to the socket and not yet written. Beyond this number, ticks wait in the outbox. */
const MAX_QUEUED_FRAMES = 1024
const MAX_QUEUED_BYTES = 1_048_576
/** Waiting ticks are sent once the socket has no more than this number of unwritten frames. */
const RESUME_AT_FRAMES = 256
/**
 * Answers and order updates are never dropped. A client that lets this many bytes pile up is disconnected.
 */
const MAX_BUFFERED_BYTES = 4 * 1_048_576

const TEXT = { binary: false } as const

/** Combines all writes to a connection within one turn of the event loop into one network write. */
export class TurnWrites {
  #corked: Duplex[] = []
  readonly #release = (): void => {
    const held = this.#corked
    this.#corked = []
    for (const transport of held) transport.uncork()
  }

  /** Holds the writes of a connection until the end of the turn, unless they are held already. */
  hold(transport: Duplex): void {
    if (transport.writableCorked > 0) return
    if (this.#corked.length === 0) process.nextTick(this.#release)
    transport.cork()
    this.#corked.push(transport)
  }
}

/**
 * The outgoing messages of one client. While the client keeps up, ticks go straight to the socket. When it
 * does not, the outbox keeps only the newest value of each subscription, in the order in which the
 * subscriptions began to wait. So a slow client costs a bounded amount of memory, gets no stale prices when
 * it catches up, and delays nobody.
 */
export class MarketOutbox {
  readonly #socket: WebSocket
  readonly #transport: Duplex
  readonly #waiting = new Set<LatestFrame>()
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

  /** Sends an answer or an order update. These keep their order, and none is dropped. */
  send(message: unknown): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#transport.writableLength > MAX_BUFFERED_BYTES) this.#socket.terminate()
    else this.#write(Buffer.from(JSON.stringify(message)))
  }

  /** Sends a tick, or marks its subscription as waiting. @returns false when it waits */
  offer(latest: LatestFrame, frame: Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return true
    if (this.#waiting.size === 0 && !this.#isFull()) {
      this.#write(frame)
      return true
    }
    if (this.#waiting.has(latest)) this.#conflated += 1
    else this.#waiting.add(latest)
    return false
  }

  /** Drops a waiting value whose subscription has ended. */
  forget(latest: LatestFrame): void {
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
