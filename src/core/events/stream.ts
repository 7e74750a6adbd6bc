import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock } from '../time/index.js'

/** The number of events kept for clients that reconnect. */
export const STREAM_CAPACITY = 10_000

/**
 * The payload of an event, or a function that builds it. The function runs when the first client is sent the
 * event, so it must only read values that never change.
 */
type EventData = object | (() => object)

/**
 * One client-facing event. `text` is the JSON frame
 * `{"type":"event","seq":…,"event":"order_event","data":{…},"ts":…}`. It is built on first use and cached:
 * once for all clients, and never without a client.
 */
export class StreamFrame {
  readonly seq: number
  readonly event: string
  /** Epoch milliseconds. */
  readonly ts: number
  /** The user the event belongs to; undefined means all users. */
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
  /** True if events after the requested number are no longer kept, or the number is not from this run. */
  gap: boolean
}

/** How many numbers are reserved at a time. Half of them last for minutes, even under load. */
const RESERVED = 1_000_000

/** The stored number up to which a run may number its events. The next run starts above it. */
export interface EventNumbers {
  reserved(): Promise<number>
  reserve(upTo: number): Promise<void>
}

/** The events of one user lost since the last `gap` event: how many, and their first and last number. */
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
 * Numbers the events that clients see, keeps the recent ones and delivers each to its user's listeners.
 *
 * Numbers rise by one within a run. They also rise across restarts: a run starts at its start time in
 * microseconds, or above the numbers that an earlier run reserved, if the clock was set back since. A
 * reservation covers many events, so that events cost no writes.
 */
export class EventStream {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #ring: (StreamFrame | undefined)[] = []
  readonly #listeners = new Set<Listener>()
  /** The pending events by user, until the next turn of the event loop. */
  readonly #losses = new Map<string | undefined, Loss>()
  readonly #numbers: EventNumbers
  readonly #first: number
  #last: number
  /** The number at which the next numbers are reserved. */
  #reserveAt: number

  private constructor(clock: Clock, log: Logger, numbers: EventNumbers, last: number) {
    this.#clock = clock
    this.#log = log
    this.#numbers = numbers
    this.#last = last
    this.#first = last + 1
    this.#reserveAt = last + RESERVED / 2
  }

  /** Begins a run: its first numbers are reserved before any event has one. */
  static async open(clock: Clock, log: Logger, numbers: EventNumbers): Promise<EventStream> {
    const last = Math.max(Math.floor(clock.now()) * 1000, await numbers.reserved())
    await numbers.reserve(last + RESERVED)
    return new EventStream(clock, log, numbers, last)
  }

  /** The number of the newest event. A client that starts here asks for the events after it. */
  get lastSeq(): number {
    return this.#last
  }

  /** Numbers the event and delivers it. Without `userId` it goes to all users. */
  publish(event: string, data: EventData, userId?: string): void {
    const seq = this.#next()
    const frame = new StreamFrame({ seq, event, ts: this.#clock.now(), userId, data })
    this.#ring[this.#slot(frame.seq)] = frame
    for (const listener of this.#listeners) if (frame.isFor(listener.userId)) this.#deliver(listener, frame)
  }

  /**
   * Creates an event that only the caller sends. It takes a number like any other event and is never
   * replayed.
   */
  transientFrame(event: string, data: EventData): StreamFrame {
    const seq = this.#next()
    this.#ring[this.#slot(seq)] = undefined
    return new StreamFrame({ seq, event, ts: this.#clock.now(), userId: undefined, data })
  }

  /**
   * Uses up a number for a lost event. In the next turn of the event loop, the user (all users without
   * `userId`) gets one `gap` event with `lost`, `from` and `to` for all events lost until then.
   */
  reportLoss(userId?: string): void {
    this.#ring[this.#slot(this.#next())] = undefined
    const loss = this.#losses.get(userId)
    if (loss) {
      loss.lost += 1
      loss.to = this.#last
      return
    }
    if (this.#losses.size === 0) setImmediate(() => this.#publishLosses())
    this.#losses.set(userId, { userId, lost: 1, from: this.#last, to: this.#last })
  }

  #publishLosses(): void {
    const losses = [...this.#losses.values()]
    this.#losses.clear()
    for (const { userId, ...loss } of losses) this.publish('gap', loss, userId)
  }

  /** Returns the events of a user after number `seq`, oldest first, and whether any are missing. */
  since(seq: number, userId: string): Replay {
    const oldest = Math.max(this.#first, this.#last - STREAM_CAPACITY + 1)
    const events: StreamFrame[] = []
    for (let next = Math.max(seq + 1, oldest); next <= this.#last; next++) {
      const frame = this.#ring[this.#slot(next)]
      if (frame?.isFor(userId)) events.push(frame)
    }
    return { events, gap: !(seq + 1 >= oldest && seq <= this.#last) }
  }

  /** Calls `onFrame` for every new event of the user. Returns a function that ends the subscription. */
  subscribe(userId: string, onFrame: (frame: StreamFrame) => void): () => void {
    const listener = { userId, onFrame }
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Takes the next number. Reserves more of them long before they run out. */
  #next(): number {
    this.#last += 1
    if (this.#last >= this.#reserveAt) {
      this.#reserveAt = this.#last + RESERVED / 2
      this.#numbers.reserve(this.#last + RESERVED).catch((error: unknown) => {
        this.#log.warn('events.numbers_not_reserved', { message: messageOf(error) })
      })
    }
    return this.#last
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
