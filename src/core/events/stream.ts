import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock } from '../time/index.js'

/** Events kept for clients that come back. */
export const STREAM_CAPACITY = 10_000

/** What an event tells, or what makes it; made when the first client is sent it, from what never changes. */
export type EventData = object | (() => object)

/**
 * One client-facing event. `text` is the JSON frame
 * `{"type":"event","seq":…,"event":"order_event","data":{…},"ts":…}`, built on first use and then kept, so that
 * it is made once however many clients listen, and not at all when none does.
 */
export class StreamFrame {
  readonly seq: number
  readonly event: string
  /** Epoch milliseconds. */
  readonly ts: number
  /** The user it belongs to; undefined when it is for everybody. */
  readonly userId: string | undefined
  #data: EventData | undefined
  #text: string | undefined

  constructor(frame: {
    seq: number
    event: string
    ts: number
    userId: string | undefined
    data: EventData
  }) {
    this.seq = frame.seq
    this.event = frame.event
    this.ts = frame.ts
    this.userId = frame.userId
    this.#data = frame.data
  }

  get text(): string {
    if (this.#text === undefined) {
      const { seq, event, ts } = this
      const data = typeof this.#data === 'function' ? this.#data() : this.#data
      this.#text = JSON.stringify({ type: 'event', seq, event, data, ts })
      this.#data = undefined
    }
    return this.#text
  }

  isFor(userId: string): boolean {
    return this.userId === undefined || this.userId === userId
  }
}

export interface Replay {
  events: StreamFrame[]
  /** True when events after the number asked for are gone (or it is from another life of the service). */
  gap: boolean
}

/** Events of one user that were lost since it was last told: how many, and their first and last number. */
interface Loss {
  userId: string | undefined
  lost: number
  from: number
  to: number
}

interface Listener {
  userId: string
  onFrame: (frame: StreamFrame) => void
}

/**
 * Numbers the events that clients see, keeps the recent ones and hands each to the listeners of its user.
 * Numbers rise by one within a run, and also across restarts, because a run begins at its start time in
 * microseconds: it would take a million events a second, or a clock set back, for the next run to begin lower.
 */
export class EventStream {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #ring: (StreamFrame | undefined)[] = []
  readonly #listeners = new Set<Listener>()
  /** By user, until the end of the event loop's turn. */
  readonly #losses = new Map<string | undefined, Loss>()
  readonly #first: number
  #last: number

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
    this.#last = Math.floor(clock.now()) * 1000
    this.#first = this.#last + 1
  }

  /** The number of the newest event; a client that begins here asks for what comes after it. */
  get lastSeq(): number {
    return this.#last
  }

  /** Gives the event a number and delivers it. Without `userId` it goes to everybody. */
  publish(event: string, data: EventData, userId?: string): void {
    this.#last += 1
    const frame = new StreamFrame({ seq: this.#last, event, ts: this.#clock.now(), userId, data })
    this.#ring[this.#slot(frame.seq)] = frame
    for (const listener of this.#listeners) if (frame.isFor(listener.userId)) this.#deliver(listener, frame)
  }

  /**
   * An event for those whom the caller sends it to, and nobody else: it takes a number like any other, and is never
   * replayed.
   */
  aside(event: string, data: EventData): StreamFrame {
    this.#last += 1
    this.#ring[this.#slot(this.#last)] = undefined
    return new StreamFrame({ seq: this.#last, event, ts: this.#clock.now(), userId: undefined, data })
  }

  /**
   * Spends a number on an event that will never come. Its user (everybody, without one) is told in the next turn of
   * the event loop by an event `gap` with `lost`, `from` and `to`, once for all that were lost until then.
   */
  lose(userId?: string): void {
    this.#last += 1
    this.#ring[this.#slot(this.#last)] = undefined
    const loss = this.#losses.get(userId)
    if (loss) {
      loss.lost += 1
      loss.to = this.#last
      return
    }
    if (this.#losses.size === 0) setImmediate(() => this.#tellLosses())
    this.#losses.set(userId, { userId, lost: 1, from: this.#last, to: this.#last })
  }

  #tellLosses(): void {
    const losses = [...this.#losses.values()]
    this.#losses.clear()
    for (const { userId, ...loss } of losses) this.publish('gap', loss, userId)
  }

  /** The events of a user after number `seq`, oldest first, and whether any are missing. */
  since(seq: number, userId: string): Replay {
    const oldest = Math.max(this.#first, this.#last - STREAM_CAPACITY + 1)
    const events: StreamFrame[] = []
    for (let next = Math.max(seq + 1, oldest); next <= this.#last; next++) {
      const frame = this.#ring[this.#slot(next)]
      if (frame?.isFor(userId)) events.push(frame)
    }
    return { events, gap: !(seq + 1 >= oldest && seq <= this.#last) }
  }

  /** Calls `onFrame` for every event of the user from now on. Returns the function that ends it. */
  subscribe(userId: string, onFrame: (frame: StreamFrame) => void): () => void {
    const listener = { userId, onFrame }
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #slot(seq: number): number {
    return (seq - this.#first) % STREAM_CAPACITY
  }

  #deliver(listener: Listener, frame: StreamFrame): void {
    try {
      listener.onFrame(frame)
    } catch (error) {
      this.#log.error('events.listener_failed', { event: frame.event, message: messageOf(error) })
    }
  }
}
