import { PublicError } from '../../../core/errors/index.js'
import {
  modeOfTick,
  type StreamMode,
  type SymbolRef,
  symbolKey,
  type Tick,
  type TickHub,
} from '../../../core/market/index.js'
import { isUsable, type TickView } from './frames.js'
import { type Receiver, Topic } from './topic.js'

/** The limit of symbols one user may follow at a time, over all connections. */
const CONNECTIONS = 3
const SYMBOLS_PER_CONNECTION = 1000
const CAPACITY = CONNECTIONS * SYMBOLS_PER_CONNECTION

/** One symbol of the hub, listened to in the highest mode that any of its topics needs. */
interface Channel {
  topics: Map<string, Topic>
  mode: StreamMode
  listener: (tick: Tick) => void
  leave: () => void
}

/** The topics of one receiver, by the symbol as the receiver spelled it, then by mode. */
type Book = Map<string, Map<StreamMode, Topic>>

/** A topic that a receiver has just subscribed to, with the last tick before the subscription. */
export interface NewTopic {
  topic: Topic
  tick: Tick | undefined
}

export interface FanOutParts {
  hub: TickHub
  /** The id of the broker that sends the ticks. */
  broker: () => string
}

/**
 * Distributes the ticks of the hub to the clients. It subscribes to the hub once for each symbol, whatever
 * the number of clients. A client that follows a symbol in several modes gets a tick once in each mode whose
 * fields the tick carries.
 */
export class MarketFanOut {
  readonly #parts: FanOutParts
  readonly #channels = new Map<string, Channel>()
  readonly #books = new Map<Receiver, Book>()
  /** The number of subscriptions of each user on each symbol. */
  readonly #usage = new Map<string, Map<string, number>>()

  constructor(parts: FanOutParts) {
    this.#parts = parts
  }

  /**
   * Adds a subscription. An existing one stays as it is.
   * @throws Error with a text for the client: the limit is reached, or the feed refuses the symbol
   */
  subscribe(receiver: Receiver, ref: SymbolRef, view: TickView): { topic: Topic; isNew: boolean } {
    const book: Book = this.#books.get(receiver) ?? new Map()
    const key = symbolKey({ ...ref, symbol: view.symbol })
    const modes = book.get(key) ?? new Map<StreamMode, Topic>()
    const already = modes.get(view.mode)
    if (already) return { topic: already, isNew: false }
    this.#requireRoom(receiver.username, ref)
    const topic = this.#topic(ref, view)
    topic.receivers.add(receiver)
    this.#books.set(receiver, book.set(key, modes.set(view.mode, topic)))
    this.#count(receiver.username, ref, 1)
    return { topic, isNew: true }
  }

  #newTopic(ref: SymbolRef, view: TickView): Topic {
    const { broker, hub } = this.#parts
    return new Topic(ref, view, { broker, ageMs: () => hub.ageMs(ref) })
  }

  /** The newest tick of a symbol. */
  last(ref: SymbolRef): Tick | undefined {
    return this.#parts.hub.last(ref)
  }

  /**
   * Sends a new subscriber the last tick before its subscription, if the tick has the fields of its mode.
   * Does nothing when there is a newer tick: the subscriber already has that one.
   */
  catchUp(receiver: Receiver, { topic, tick }: NewTopic): void {
    if (!tick || tick !== this.last(topic.ref)) return
    if (isUsable(tick) && modeOfTick(tick) >= topic.view.mode) topic.catchUp(receiver, tick)
  }

  /**
   * Ends the subscription of a symbol in one mode, or in all modes. Ignores a subscription that does not
   * exist.
   */
  unsubscribe(receiver: Receiver, ref: SymbolRef, mode?: StreamMode): void {
    const book = this.#books.get(receiver)
    const modes = book?.get(symbolKey(ref))
    if (!book || !modes) return
    for (const topic of [...modes.values()]) {
      if (mode !== undefined && topic.view.mode !== mode) continue
      modes.delete(topic.view.mode)
      this.#leave(receiver, topic)
    }
    if (modes.size === 0) book.delete(symbolKey(ref))
    if (book.size === 0) this.#books.delete(receiver)
  }

  /** Ends all subscriptions of a receiver. @returns its symbols, as it spelled them */
  unsubscribeAll(receiver: Receiver): SymbolRef[] {
    const symbols = new Map<string, SymbolRef>()
    for (const { ref, view } of this.topics(receiver)) {
      const spelled = { symbol: view.symbol, exchange: ref.exchange }
      symbols.set(symbolKey(spelled), spelled)
    }
    for (const spelled of symbols.values()) this.unsubscribe(receiver, spelled)
    return [...symbols.values()]
  }

  /** Returns the topics of a receiver, in the order of its subscriptions. */
  topics(receiver: Receiver): Topic[] {
    return [...(this.#books.get(receiver)?.values() ?? [])].flatMap((modes) => [...modes.values()])
  }

  #topic(ref: SymbolRef, view: TickView): Topic {
    const channel = this.#channel(ref, view.mode)
    const key = `${view.symbol}|${view.mode}|${view.mode === 3 ? view.levels : ''}`
    const topic = channel.topics.get(key) ?? this.#newTopic(ref, view)
    channel.topics.set(key, topic)
    return topic
  }

  #channel(ref: SymbolRef, mode: StreamMode): Channel {
    const { hub } = this.#parts
    const known = this.#channels.get(symbolKey(ref))
    if (!known) {
      const topics: Channel['topics'] = new Map()
      const listener = (tick: Tick) => publish(topics, tick)
      const channel = { topics, mode, listener, leave: hub.subscribe([ref], mode, listener) }
      this.#channels.set(symbolKey(ref), channel)
      return channel
    }
    if (mode > known.mode) {
      const leave = hub.subscribe([ref], mode, known.listener)
      known.leave()
      known.leave = leave
      known.mode = mode
    }
    return known
  }

  #leave(receiver: Receiver, topic: Topic): void {
    topic.receivers.delete(receiver)
    receiver.forget(topic)
    this.#count(receiver.username, topic.ref, -1)
    if (topic.receivers.size > 0) return
    const key = symbolKey(topic.ref)
    const channel = this.#channels.get(key)
    if (!channel) return
    for (const [name, held] of channel.topics) if (held === topic) channel.topics.delete(name)
    if (channel.topics.size > 0) return
    this.#channels.delete(key)
    channel.leave()
  }

  #requireRoom(username: string, ref: SymbolRef): void {
    const symbols = this.#usage.get(username)
    if (!symbols || symbols.size < CAPACITY || symbols.has(symbolKey(ref))) return
    throw new PublicError(
      `Maximum capacity reached: ${CONNECTIONS} connections × ${SYMBOLS_PER_CONNECTION} symbols = ${CAPACITY} symbols. ` +
        `Currently subscribed to ${symbols.size} symbols.`,
    )
  }

  #count(username: string, ref: SymbolRef, change: 1 | -1): void {
    const symbols = this.#usage.get(username) ?? new Map<string, number>()
    const key = symbolKey(ref)
    const count = (symbols.get(key) ?? 0) + change
    if (count > 0) symbols.set(key, count)
    else symbols.delete(key)
    if (symbols.size > 0) this.#usage.set(username, symbols)
    else this.#usage.delete(username)
  }
}

function publish(topics: ReadonlyMap<string, Topic>, tick: Tick): void {
  if (!isUsable(tick)) return
  const carried = modeOfTick(tick)
  for (const topic of topics.values()) if (topic.view.mode <= carried) topic.publish(tick)
}
