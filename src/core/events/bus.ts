import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { EventTopics, Topic } from './topics.js'

/** The maximum number of callbacks that run at the same time. */
export const BUS_WORKERS = 10
/** The maximum number of callbacks that are queued or running; more are dropped. */
export const BUS_CAPACITY = 1000
/** Paced events start only below this many callbacks. The other half of the capacity is for single events. */
export const PACED_LIMIT = BUS_CAPACITY / 2
/**
 * The maximum number of waiting paced events. It is far above any burst and keeps a hanging subscriber from
 * filling the memory.
 */
export const PACED_CAPACITY = 100_000
/** The bus logs the first drop and then one in a hundred. */
const DROPS_PER_WARNING = 100
/**
 * The number of callbacks that start before the event loop gets a turn, so that a burst of events never
 * delays a request.
 */
const CALLBACKS_PER_TURN = 128

export type EventHandler<T extends Topic> = (payload: EventTopics[T], topic: T) => void | Promise<void>

export interface SubscriptionOptions {
  /**
   * For cheap callbacks that must not be missed. If the queue is full, the callback runs at once, in the
   * publisher's turn, instead of being dropped.
   */
  vital?: boolean
  /** Called at once when an event is dropped because the queue is full. */
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
 * The internal event bus. `publish` returns at once and never throws; callbacks run later, ten at a time. The
 * bus has no order across topics, no replay and no persistence: publishers first store the facts that must
 * survive.
 */
export class EventBus {
  readonly #log: Logger
  readonly #subscriptions = new Map<Topic | '*', Subscription[]>()
  readonly #queue: Callback[] = []
  /** Paced events that wait for capacity, oldest first. */
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
   * Calls `handler` for every event of a topic, or of all topics with `'*'`. A name subscribes once per
   * topic; a second call with the same name changes nothing. Returns a function that ends the subscription.
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
      // The overloads match handler and topic; internally one list holds all handlers.
      subscriptions.push({ ...options, name, handler: handler as Subscription['handler'] })
    }
    return () => {
      const index = subscriptions.findIndex((subscription) => subscription.name === name)
      if (index >= 0) subscriptions.splice(index, 1)
    }
  }

  /**
   * Queues the event for every subscriber of its topic. Callbacks above the capacity are dropped with a
   * warning.
   */
  publish<T extends Topic>(topic: T, payload: EventTopics[T]): void {
    this.#publish(topic, payload)
  }

  /**
   * Publishes an event that may be one of thousands. If half of the capacity is used, the event waits, in
   * order. So a burst neither loses events nor displaces other events.
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

  /** The number of paced events that wait for capacity. */
  get pacedWaiting(): number {
    return this.#paced.length
  }

  /** Resolves when nothing is queued or running. */
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

  /** Publishes waiting paced events while there is capacity. */
  #resumePaced(): void {
    if (this.#paced.length === 0) return
    let taken = 0
    while (this.#pending < PACED_LIMIT) {
      const event = this.#paced[taken]
      if (!event) break
      taken += 1
      this.#publish(event.topic, event.payload)
    }
    this.#paced.splice(0, taken)
    this.#resolveIdle()
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
    this.#resumePaced()
    if (this.#queue.length > 0 && this.#running < BUS_WORKERS) this.#scheduleTurn()
  }

  /** Runs a callback. If it returns a promise, it occupies a worker until the promise settles. */
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
        this.#resumePaced()
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
    this.#resolveIdle()
  }

  get #isIdle(): boolean {
    return this.#pending === 0 && this.#paced.length === 0
  }

  #resolveIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
