import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { EventTopics, Topic } from './topics.js'

/** Callbacks that may run at one time (specification, "Internal event bus"). */
export const BUS_WORKERS = 10
/** Callbacks queued or running; past it they are dropped. */
export const BUS_CAPACITY = 1000
/** Paced events are begun below this many callbacks: the other half of the places is for single events. */
export const PACED_LIMIT = BUS_CAPACITY / 2
/** Paced events that may wait. Far above any burst, so that a subscriber that hangs never fills the memory. */
export const PACED_CAPACITY = 100_000
/** After the first drop, every hundredth is told. */
const DROPS_PER_WARNING = 100
/** Callbacks begun before the event loop gets its turn, so that a burst of events never holds up a request. */
const CALLBACKS_PER_TURN = 128

export type EventHandler<T extends Topic> = (payload: EventTopics[T], topic: T) => void | Promise<void>

export interface SubscriptionOptions {
  /**
   * For what must not be missed and costs next to nothing: without a place in the queue it runs at once, in the
   * publisher's turn, instead of being dropped.
   */
  vital?: boolean
  /** Told at once of an event that was dropped for want of a place. */
  onDropped?: (payload: EventTopics[Topic], topic: Topic) => void
}

export interface BusStats {
  /** Callbacks queued or running now. */
  pending: number
  max_pending: number
  /** Callbacks dropped since start. */
  dropped: number
}

type AnyHandler = (payload: never, topic: never) => void | Promise<void>

interface Subscription extends SubscriptionOptions {
  name: string
  handler: (payload: EventTopics[Topic], topic: Topic) => void | Promise<void>
}

interface Event {
  topic: Topic
  payload: EventTopics[Topic]
}

interface Callback extends Event {
  subscription: Subscription
}

/**
 * The internal event bus. Publishing returns at once and never throws; subscribers run afterwards, ten at a
 * time. No order across topics, no replay, no persistence: what must survive is written by the publisher first.
 */
export class EventBus {
  readonly #log: Logger
  readonly #subscriptions = new Map<Topic | '*', Subscription[]>()
  readonly #queue: Callback[] = []
  /** Paced events that wait for room, oldest first. */
  readonly #paced: Event[] = []
  readonly #idle: (() => void)[] = []
  #running = 0
  #pending = 0
  #maxPending = 0
  #dropped = 0
  #turnScheduled = false

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * Calls `handler` for every event of a topic, or of all with `'*'`. A name subscribes once per topic: a second
   * call with the same name changes nothing. Returns the function that ends the subscription.
   */
  subscribe<T extends Topic>(
    topic: T,
    name: string,
    handler: EventHandler<T>,
    options?: SubscriptionOptions,
  ): () => void
  subscribe(topic: '*', name: string, handler: EventHandler<Topic>, options?: SubscriptionOptions): () => void
  subscribe(
    topic: Topic | '*',
    name: string,
    handler: AnyHandler,
    options?: SubscriptionOptions,
  ): () => void {
    const subscriptions = this.#subscriptions.get(topic) ?? []
    this.#subscriptions.set(topic, subscriptions)
    if (!subscriptions.some((subscription) => subscription.name === name)) {
      // The overloads tie handler and topic together; inside, one list holds them all.
      subscriptions.push({ ...options, name, handler: handler as Subscription['handler'] })
    }
    return () => {
      const index = subscriptions.findIndex((subscription) => subscription.name === name)
      if (index >= 0) subscriptions.splice(index, 1)
    }
  }

  /** Hands the event to every subscriber of its topic. What exceeds the capacity is dropped with a warning. */
  publish<T extends Topic>(topic: T, payload: EventTopics[T]): void {
    this.#publish(topic, payload)
  }

  /**
   * Publishes one of what may be thousands at a time. What finds half of the places taken waits until there is
   * room again, in order, so that a burst neither loses events nor crowds out those of others.
   */
  publishPaced<T extends Topic>(topic: T, payload: EventTopics[T]): void {
    const waits = this.#paced.length > 0 || this.#pending >= PACED_LIMIT
    if (waits && this.#paced.length < PACED_CAPACITY) this.#paced.push({ topic, payload })
    else this.#publish(topic, payload)
  }

  #publish(topic: Topic, payload: EventTopics[Topic]): void {
    for (const subscription of this.#subscriptions.get(topic) ?? [])
      this.#enqueue({ subscription, topic, payload })
    for (const subscription of this.#subscriptions.get('*') ?? [])
      this.#enqueue({ subscription, topic, payload })
  }

  stats(): BusStats {
    return { pending: this.#pending, max_pending: this.#maxPending, dropped: this.#dropped }
  }

  /** Resolves when nothing is queued or running any more. */
  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle.push(resolve)
    })
  }

  #enqueue(callback: Callback): void {
    if (this.#pending >= BUS_CAPACITY) {
      if (callback.subscription.vital) this.#runVital(callback)
      else this.#drop(callback)
      return
    }
    this.#pending += 1
    this.#maxPending = Math.max(this.#maxPending, this.#pending)
    this.#queue.push(callback)
    this.#scheduleTurn()
  }

  #runVital(callback: Callback): void {
    const result = this.#call(callback)
    if (result instanceof Promise) void result.catch((error) => this.#failed(callback, error))
  }

  #drop(callback: Callback): void {
    const { subscription, topic, payload } = callback
    this.#dropped += 1
    if (this.#dropped % DROPS_PER_WARNING === 1) {
      this.#log.warn('events.dropped', { topic, subscriber: subscription.name, dropped: this.#dropped })
    }
    try {
      subscription.onDropped?.(payload, topic)
    } catch (error) {
      this.#failed(callback, error)
    }
  }

  /** Takes up paced events that wait, as long as there is room for them. */
  #takeUpPaced(): void {
    if (this.#paced.length === 0) return
    let taken = 0
    while (this.#pending < PACED_LIMIT) {
      const event = this.#paced[taken]
      if (!event) break
      taken += 1
      this.#publish(event.topic, event.payload)
    }
    this.#paced.splice(0, taken)
    this.#tellIdle()
  }

  #scheduleTurn(): void {
    if (this.#turnScheduled) return
    this.#turnScheduled = true
    setImmediate(() => {
      this.#turnScheduled = false
      this.#runTurn()
    })
  }

  #runTurn(): void {
    let begun = 0
    while (begun < CALLBACKS_PER_TURN && this.#running < BUS_WORKERS) {
      const callback = this.#queue[begun]
      if (!callback) break
      begun += 1
      this.#run(callback)
    }
    this.#queue.splice(0, begun)
    this.#takeUpPaced()
    if (this.#queue.length > 0 && this.#running < BUS_WORKERS) this.#scheduleTurn()
  }

  /** A callback that returns a promise keeps its worker until it settles; any other is done at once. */
  #run(callback: Callback): void {
    const result = this.#call(callback)
    if (!(result instanceof Promise)) {
      this.#freeSlot()
      return
    }
    this.#running += 1
    void result
      .catch((error) => this.#failed(callback, error))
      .finally(() => {
        this.#running -= 1
        this.#freeSlot()
        this.#takeUpPaced()
        if (this.#queue.length > 0) this.#scheduleTurn()
      })
  }

  #call(callback: Callback): void | Promise<void> {
    try {
      return callback.subscription.handler(callback.payload, callback.topic)
    } catch (error) {
      this.#failed(callback, error)
    }
  }

  #failed({ subscription, topic }: Callback, error: unknown): void {
    this.#log.error('events.subscriber_failed', {
      topic,
      subscriber: subscription.name,
      message: messageOf(error),
    })
  }

  #freeSlot(): void {
    this.#pending -= 1
    this.#tellIdle()
  }

  get #isIdle(): boolean {
    return this.#pending === 0 && this.#paced.length === 0
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
