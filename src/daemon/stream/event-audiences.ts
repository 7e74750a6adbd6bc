import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { EventStream, StreamFrame } from '../../core/events/index.js'

/** A connection of the event stream. */
export interface Listener {
  readonly username: string
  readonly socket: WebSocket
  /** The connection below the WebSocket. */
  readonly transport: Duplex
}

/** Which events an audience may see. */
export interface Filter {
  /** The same for any two filters that let the same events through. */
  readonly name: string
  maySee(frame: StreamFrame): boolean
}

/**
 * Bytes that may wait for a client. A client that does not read is disconnected, and can resume by number.
 */
const MAX_BUFFERED_BYTES = 1_048_576
/** Bytes of one turn that are written early, so that a busy turn does not fill the buffer of a client that reads. */
const MAX_HELD_BYTES = 65_536
const TEXT_FRAME = 0x81
const LENGTH_16 = 126
const LENGTH_64 = 127

/** The clients of one user that see the same events, and the events of this turn that they have not got yet. */
interface Audience {
  readonly key: string
  readonly members: Set<Listener>
  held: Buffer[]
  heldBytes: number
  readonly leave: () => void
}

/**
 * Writes events to the connected clients. The clients of one user with the same filter share one subscription, the
 * encoded bytes, and the bytes of a turn of the event loop, so that an event costs each of them a part of one write.
 */
export class EventAudiences {
  readonly #stream: EventStream
  readonly #audiences = new Map<string, Audience>()
  readonly #of = new Map<Listener, Audience>()
  #due = false
  /** The last frame that was encoded: every audience gets a frame before the next one exists. */
  #encoded: { frame: StreamFrame; bytes: Buffer } | undefined

  constructor(stream: EventStream) {
    this.#stream = stream
  }

  /** Sends a client every event from now on, until it leaves. */
  join(listener: Listener, filter: Filter): void {
    const key = `${filter.name}:${listener.username}`
    const audience = this.#audiences.get(key) ?? this.#open(key, listener.username, filter)
    // The earlier events of this turn are not for the newcomer.
    this.#flush(audience)
    audience.members.add(listener)
    this.#of.set(listener, audience)
  }

  leave(listener: Listener): void {
    const audience = this.#of.get(listener)
    if (!audience) return
    this.#of.delete(listener)
    audience.members.delete(listener)
    if (audience.members.size > 0) return
    audience.leave()
    this.#audiences.delete(audience.key)
  }

  /** Sends one client a message that is no event of the stream, behind the events before it. */
  send(listener: Listener, text: string): void {
    this.deliver(listener)
    if (isWritable(listener)) listener.socket.send(text)
  }

  /** Writes the events that a client has not got yet. Call it before you close the connection. */
  deliver(listener: Listener): void {
    const audience = this.#of.get(listener)
    if (audience) this.#flush(audience)
  }

  #open(key: string, username: string, filter: Filter): Audience {
    const leave = this.#stream.subscribe(username, (frame) => {
      if (filter.maySee(frame)) this.#hold(audience, frame)
    })
    const audience: Audience = { key, members: new Set(), held: [], heldBytes: 0, leave }
    this.#audiences.set(key, audience)
    return audience
  }

  #hold(audience: Audience, frame: StreamFrame): void {
    const bytes = this.#bytesOf(frame)
    audience.held.push(bytes)
    audience.heldBytes += bytes.length
    if (audience.heldBytes >= MAX_HELD_BYTES) this.#flush(audience)
    if (this.#due) return
    this.#due = true
    process.nextTick(() => {
      this.#due = false
      for (const held of this.#audiences.values()) this.#flush(held)
    })
  }

  #flush(audience: Audience): void {
    const [first, ...others] = audience.held
    if (!first) return
    const bytes = others.length === 0 ? first : Buffer.concat(audience.held, audience.heldBytes)
    audience.held = []
    audience.heldBytes = 0
    // The library would copy and frame the text once for each client. Its own sender writes at once, too (nothing is
    // compressed), so that both keep their order.
    for (const member of audience.members) if (isWritable(member)) member.transport.write(bytes)
  }

  #bytesOf(frame: StreamFrame): Buffer {
    if (this.#encoded?.frame !== frame) this.#encoded = { frame, bytes: encoded(frame.text) }
    return this.#encoded.bytes
  }
}

/** Returns whether a client may be written to. Disconnects one that does not read. */
function isWritable({ socket }: Listener): boolean {
  if (socket.readyState !== socket.OPEN) return false
  if (socket.bufferedAmount <= MAX_BUFFERED_BYTES) return true
  socket.terminate()
  return false
}

/** Returns a text message as a server sends it: one frame, unmasked (RFC 6455, section 5.2). */
function encoded(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const header = length < LENGTH_16 ? 2 : length < 0x1_0000 ? 4 : 10
  const bytes = Buffer.allocUnsafe(header + length)
  bytes[0] = TEXT_FRAME
  if (header === 2) bytes[1] = length
  else if (header === 4) {
    bytes[1] = LENGTH_16
    bytes.writeUInt16BE(length, 2)
  } else {
    bytes[1] = LENGTH_64
    bytes.writeBigUInt64BE(BigInt(length), 2)
  }
  bytes.write(text, header)
  return bytes
}
