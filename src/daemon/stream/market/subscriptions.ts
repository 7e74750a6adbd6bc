import type { BrokerManifest } from '../../../core/brokers/index.js'
import { PublicError, publicMessageOf } from '../../../core/errors/index.js'
import type { SymbolRef } from '../../../core/market/index.js'
import type { MarketFanOut, NewTopic } from './fanout.js'
import {
  BadRequest,
  isSingle,
  MAX_SELECTORS,
  type Message,
  MODE_LABELS,
  readDepth,
  readMode,
  readSelectors,
  readSubscribeMode,
  type Selector,
  tooManySymbols,
} from './request.js'
import type { Receiver } from './topic.js'

/** The broker behind the stream, as answers show it to clients. */
export interface StreamBroker {
  id(): string
  connected(): boolean
  manifest(): Pick<BrokerManifest, 'streaming'>
  /** Ids of all brokers. */
  supported(): string[]
  /** The state of its price feed, in one word. */
  status(): string
}

/** One symbol of an acknowledgement, as it is sent. */
export interface Ack extends SymbolRef {
  status: 'success' | 'error'
  mode?: string
  depth?: number
  message?: string
  broker: string
}

export interface MarketSubscriptionsParts {
  fanOut: MarketFanOut
  broker: StreamBroker
  /** Returns whether the instrument master has the symbol. */
  isKnown: (ref: SymbolRef) => boolean
}

/** The depth levels that every broker provides. */
const BASE_DEPTH = 5
/** `RELIANCE:50`: the symbol with fifty levels. */
const DEPTH_SUFFIX = /^(.+):(5|20|30|50)$/

/** Subscribes and unsubscribes the symbols of a message. One bad symbol does not fail the others. */
export class MarketSubscriptions {
  readonly #parts: MarketSubscriptionsParts
  readonly #slices = new TimeSlices()

  constructor(parts: MarketSubscriptionsParts) {
    this.#parts = parts
  }

  /**
   * Subscribes to the symbols of a message.
   * @returns an acknowledgement for each symbol, and the new topics, whose last ticks the receiver does not
   * have yet
   * @throws BadRequest
   */
  async follow(receiver: Receiver, message: Message): Promise<{ acks: Ack[]; added: NewTopic[] }> {
    const mode = readSubscribeMode(message)
    const selectors = this.#selectors(message, 'At least one symbol must be specified')
    const asked = message.depth ?? message.depth_level
    const askedDepth = readDepth(message)
    const added: NewTopic[] = []
    const acks: Ack[] = []
    const followOne = ({ symbol, exchange }: Selector): Ack => {
      const broker = this.#parts.broker.id()
      try {
        if (askedDepth === undefined) {
          throw new PublicError(
            `Invalid depth level ${String(asked)}. Must be ${this.#depthLevels().join(', ')}`,
          )
        }
        const { ref, levels } = this.#resolve(symbol, exchange, askedDepth)
        const { topic, isNew } = this.#parts.fanOut.subscribe(receiver, ref, { symbol, mode, levels })
        if (isNew) added.push({ topic, tick: this.#parts.fanOut.last(ref) })
        const depth = mode === 3 ? topic.view.levels : levels
        return { symbol, exchange, status: 'success', mode: MODE_LABELS[mode], depth, broker }
      } catch (error) {
        const text = publicMessageOf(error, 'Subscription failed')
        return { symbol, exchange, status: 'error', message: text, broker }
      }
    }
    await this.#slices.each(
      selectors,
      () => receiver.open,
      (selector) => acks.push(followOne(selector)),
    )
    return { acks, added }
  }

  /**
   * Unsubscribes the symbols of a message: each in its own mode, else in the mode of the message, else in
   * every mode the receiver follows. A symbol that the receiver did not follow counts as a success. @throws
   * BadRequest
   */
  async unfollow(receiver: Receiver, message: Message): Promise<{ successful: Ack[]; failed: Ack[] }> {
    if (isSingle(message) && message.mode !== undefined) readMode(message.mode)
    const selectors = this.#selectors(message, 'Either symbols or unsubscribe_all is required')
    const successful: Ack[] = []
    const failed: Ack[] = []
    const unfollowOne = ({ symbol, exchange, mode = message.mode }: Selector): void => {
      const pair = { symbol, exchange }
      const broker = this.#parts.broker.id()
      try {
        this.#parts.fanOut.unsubscribe(receiver, pair, mode === undefined ? undefined : readMode(mode))
        successful.push({ ...pair, status: 'success', broker })
      } catch (error) {
        const text = publicMessageOf(error, 'Unsubscription failed')
        failed.push({ ...pair, status: 'error', message: text, broker })
      }
    }
    await this.#slices.each(selectors, () => receiver.open, unfollowOne)
    return { successful, failed }
  }

  /** Sends a receiver the last ticks of its new topics. */
  catchUp(receiver: Receiver, topics: readonly NewTopic[]): Promise<void> {
    return this.#slices.each(
      topics,
      () => receiver.open,
      (topic) => this.#parts.fanOut.catchUp(receiver, topic),
    )
  }

  /** Ends all subscriptions of a receiver. */
  unfollowAll(receiver: Receiver): Ack[] {
    const broker = this.#parts.broker.id()
    return this.#parts.fanOut.unsubscribeAll(receiver).map((pair) => ({ ...pair, status: 'success', broker }))
  }

  #selectors(message: Message, whenNone: string): Selector[] {
    const selectors = readSelectors(message)
    if (!selectors || selectors.length === 0) throw new BadRequest('INVALID_PARAMETERS', whenNone)
    if (selectors.length > MAX_SELECTORS) throw tooManySymbols()
    const { broker } = this.#parts
    if (!broker.connected() || !broker.manifest().streaming) {
      throw new BadRequest('BROKER_ERROR', 'Broker adapter not found')
    }
    return selectors
  }

  #resolve(symbol: string, exchange: string, askedDepth: number): { ref: SymbolRef; levels: number } {
    const [, base = symbol, suffix = '0'] = DEPTH_SUFFIX.exec(symbol) ?? []
    const ref = { symbol: base, exchange }
    if (!this.#parts.isKnown(ref)) {
      throw new PublicError(`Symbol ${symbol} not found for exchange ${exchange}`)
    }
    const levels = this.#nearestDepth(Math.max(askedDepth, Number(suffix)))
    return { ref, levels }
  }

  /** Returns the broker's highest number of levels up to `askedDepth`, or its lowest when all are higher. */
  #nearestDepth(askedDepth: number): number {
    const levels = this.#depthLevels()
    return levels.filter((count) => count <= askedDepth).at(-1) ?? levels[0] ?? BASE_DEPTH
  }

  #depthLevels(): number[] {
    const levels = this.#parts.broker.manifest().streaming?.depthLevels ?? []
    return [...new Set([BASE_DEPTH, ...levels])].sort((a, b) => a - b)
  }
}

/** Symbols that are processed in one turn of the event loop. */
const SLICE = 50

/**
 * Processes long lists of symbols in slices. Each turn of the event loop processes one slice, whatever the
 * number of waiting clients, so that a list of thousands delays neither orders nor ticks.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []

  /** Runs `work` for each item, and stops early once `goesOn` returns false. */
  async each<T>(items: readonly T[], goesOn: () => boolean, work: (item: T) => void): Promise<void> {
    for (let from = 0; from < items.length && goesOn(); from += SLICE) {
      if (items.length > SLICE) await this.#turn()
      if (goesOn()) for (const item of items.slice(from, from + SLICE)) work(item)
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#next())
    })
  }

  #next(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }
}
