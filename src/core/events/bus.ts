import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { EventTopics, Topic } from './topics.js'

/** Callbacks that may run at one time (specification, "Internal event bus"). */
export const BUS_WORKERS = 10
/** Callbacks queued or running; past it they are dropped. */
export const BUS_CAPACITY = 1000
/** After the first drop, every hundredth is told. */
const DROPS_PER_WARNING = 100
/** Callbacks begun before the event loop gets its turn, so that a burst of events never holds up a request. */
const CALLBACKS_PER_TURN = 128

export type EventHandler<T extends Topic> = (payload: EventTopics[T], topic: T) => void | Promise<void>

export interface BusStats {
  /** Callbacks queued or running now. */
  pending: number
  max_pending: number
  /** Callbacks dropped since start. */
  dropped: number
}

type AnyHandler = (payload: never, topic: never) => void | Promise<void>

interface Subscription {
  name: string
  handler: (payload: EventTopics[Topic], topic: Topic) => void | Promise<void>
}

interface Callback {
  subscription: Subscription
  topic: Topic
  payload: EventTopics[Topic]
}

/**
 * The internal event bus. Publishing returns at once and never throws; subscribers run afterwards, ten at a
 * time. No order across topics, no replay, no persistence: what must survive is written by the publisher first.
 */
export class EventBus {
  readonly #log: Logger
  readonly #subscriptions = new Map<Topic | '*', Subscription[]>()
  readonly #queue: Callback[] = []
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
  subscribe<T extends Topic>(topic: T, name: string, handler: EventHandler<T>): () => void
  subscribe(topic: '*', name: string, handler: EventHandler<Topic>): () => void
  subscribe(topic: Topic | '*', name: string, handler: AnyHandler): () => void {
    const subscriptions = this.#subscriptions.get(topic) ?? []
    this.#subscriptions.set(topic, subscriptions)
    if (!subscriptions.some((subscription) => subscription.name === name)) {
      // The overloads tie handler and topic together; inside, one list holds them all.
      subscriptions.push({ name, handler: handler as Subscription['handler'] })
    }
    return () => {
      const index = subscriptions.findIndex((subscription) => subscription.name === name)
      if (index >= 0) subscriptions.splice(index, 1)
    }
  }

  /** Hands the event to every subscriber of its topic. What exceeds the capacity is dropped with a warning. */
  publish<T extends Topic>(topic: T, payload: EventTopics[T]): void {
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
    if (this.#pending === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle.push(resolve)
    })
  }

  #enqueue(callback: Callback): void {
    if (this.#pending >= BUS_CAPACITY) {
      this.#dropped += 1
      if (this.#dropped % DROPS_PER_WARNING === 1) {
        this.#log.warn('events.dropped', {
          topic: callback.topic,
          subscriber: callback.subscription.name,
          dropped: this.#dropped,
        })
      }
      return
    }
    this.#pending += 1
    this.#maxPending = Math.max(this.#maxPending, this.#pending)
    this.#queue.push(callback)
    this.#scheduleTurn()
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
    if (this.#pending === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
