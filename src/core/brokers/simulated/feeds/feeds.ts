import { messageOf } from '../../../errors/index.js'
import type { StreamMode, SymbolRef, Tick } from '../../../market/schema.js'
import { symbolKey } from '../../../market/schema.js'
import type { BrokerOrder, OrderFeed, TickFeed } from '../../broker.js'
import type { Faults } from '../faults.js'
import type { Contract } from '../market/contract.js'
import type { SimulatedVenue } from '../venue.js'

interface Subscription {
  contract: Contract
  withDepth: boolean
  /** Timestamp of the last tick sent, so that a closed market sends one tick, not one per second. */
  sentAt: number
}

/**
 * The first tick of a symbol computes its day so far, which is slow. At most this many first ticks per second
 * keep the process responsive.
 */
const FIRST_TICKS_PER_SECOND = 200

/** The live price feed: one tick per second for each subscribed symbol that trades. */
export class SimulatedTickFeed implements TickFeed {
  readonly #venue: SimulatedVenue
  readonly #faults: Faults
  readonly #subscriptions = new Map<string, Subscription>()
  #onTick: ((tick: Tick) => void) | undefined
  readonly #onSecond = (second: number): void => this.#emit(second)

  constructor(venue: SimulatedVenue, faults: Faults) {
    this.#venue = venue
    this.#faults = faults
  }

  /** Connects. A new connection starts without subscriptions. */
  async open(onTick: (tick: Tick) => void): Promise<void> {
    await this.#faults.around(this.#venue.clock, 'feed', async () => {
      this.drop()
      this.#onTick = onTick
    })
  }

  /** Ignores unknown symbols, because a feed cannot report them. */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    if (!this.#onTick) return
    for (const ref of refs) {
      const contract = this.#venue.market.contract(ref)
      if (contract) this.#subscriptions.set(symbolKey(ref), { contract, withDepth: mode === 3, sentAt: 0 })
    }
    if (this.#subscriptions.size > 0) this.#venue.ticker.add(this.#onSecond)
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    for (const ref of refs) this.#subscriptions.delete(symbolKey(ref))
    if (this.#subscriptions.size === 0) this.#venue.ticker.remove(this.#onSecond)
  }

  /** Drops the connection. The feed is silent until it is opened again. */
  drop(): void {
    this.#onTick = undefined
    this.#subscriptions.clear()
    this.#venue.ticker.remove(this.#onSecond)
  }

  #emit(second: number): void {
    let first = 0
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.sentAt === 0 && ++first > FIRST_TICKS_PER_SECOND) continue
      try {
        const tick = this.#venue.market.tick(subscription.contract, second, subscription.withDepth)
        if (tick.timestamp === subscription.sentAt) continue
        subscription.sentAt = tick.timestamp
        this.#onTick?.(tick)
      } catch (error) {
        this.#venue.log.error('simulated.tick_failed', { reason: messageOf(error) })
      }
    }
  }
}

/** Order updates, sent as soon as they are on disk. Updates during a disconnection are lost. */
export class SimulatedOrderFeed implements OrderFeed {
  readonly #venue: SimulatedVenue
  readonly #faults: Faults
  #stop: (() => void) | undefined
  #connections = 0

  constructor(venue: SimulatedVenue, faults: Faults) {
    this.#venue = venue
    this.#faults = faults
  }

  state(): { connected: boolean; connections: number } {
    return { connected: this.#stop !== undefined, connections: this.#connections }
  }

  async open(onUpdate: (order: BrokerOrder) => void): Promise<void> {
    await this.#faults.around(this.#venue.clock, 'orderFeed', async () => {
      this.drop()
      this.#stop = this.#venue.onOrderUpdate(onUpdate)
      this.#connections += 1
    })
  }

  drop(): void {
    this.#stop?.()
    this.#stop = undefined
  }
}
