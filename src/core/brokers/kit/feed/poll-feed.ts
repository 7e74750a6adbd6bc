import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import type { Clock, Timer } from '../../../time/index.js'
import type { BrokerOrder, OrderFeed } from '../../broker.js'

interface PollFeedOptions {
  clock: Clock
  log: Logger
  /** Reads the whole order book; it waits for the budget of its class. */
  list: () => Promise<readonly BrokerOrder[]>
  /** The pause between two reads. */
  everyMs: number
}

/**
 * Order updates of a broker that pushes none. The first read of the book only shows where the orders stand; later ones
 * report each order whose status or fill has changed, and each new one. A read that fails is a gap: the feed counts as
 * disconnected until the next one that succeeds.
 */
export class PollFeed implements OrderFeed {
  readonly #options: PollFeedOptions
  readonly #seen = new Map<string, string>()
  #timer: Timer | undefined
  #onUpdate: ((order: BrokerOrder) => void) | undefined
  #isConnected = false
  #connections = 0
  #isClosed = false

  constructor(options: PollFeedOptions) {
    this.#options = options
  }

  /** Reads the book for the first time. @throws BrokerError if it cannot be read; `open` can be called again */
  async open(onUpdate: (order: BrokerOrder) => void): Promise<void> {
    this.#onUpdate = onUpdate
    if (this.#timer) return
    for (const order of await this.#options.list()) this.#seen.set(order.orderId, stateOf(order))
    this.#note(true)
    this.#schedule()
  }

  state(): { connected: boolean; connections: number } {
    return { connected: this.#isConnected, connections: this.#connections }
  }

  close(): void {
    this.#isClosed = true
    this.#isConnected = false
    this.#options.clock.clear(this.#timer)
  }

  #schedule(): void {
    if (this.#isClosed) return
    const { clock, everyMs } = this.#options
    clock.clear(this.#timer)
    this.#timer = clock.setTimeout(() => void this.#poll(), everyMs)
  }

  async #poll(): Promise<void> {
    const { list, log } = this.#options
    try {
      const orders = await list()
      if (this.#isClosed) return
      this.#note(true)
      for (const order of orders) this.#report(order)
    } catch (error) {
      if (this.#isConnected) log.warn('broker.order_poll_failed', { error: messageOf(error) })
      this.#note(false)
    }
    this.#schedule()
  }

  #report(order: BrokerOrder): void {
    const state = stateOf(order)
    if (this.#seen.get(order.orderId) === state) return
    this.#seen.set(order.orderId, state)
    this.#onUpdate?.(order)
  }

  #note(isConnected: boolean): void {
    if (isConnected && !this.#isConnected) this.#connections += 1
    this.#isConnected = isConnected
  }
}

const stateOf = ({ status, filledQuantity }: BrokerOrder) => `${status} ${filledQuantity}`
