import { messageOf } from '../../../errors/index.js'
import type { StreamMode, SymbolRef, Tick } from '../../../market/schema.js'
import { symbolKey } from '../../../market/schema.js'
import type { BrokerOrder, OrderFeed, TickFeed } from '../../broker.js'
import type { Faults } from '../faults.js'
import type { Host } from '../host.js'
import type { Contract } from '../market/contract.js'

interface Subscription {
  contract: Contract
  withDepth: boolean
  /** Timestamp of the last tick sent: a closed market is told once, not every second. */
  sentAt: number
}

/** The first tick of a symbol counts its day so far; this many a second keep the process answering meanwhile. */
const FIRST_TICKS_PER_SECOND = 200

/** The live price feed: one tick a second for each subscribed symbol that trades. */
export class SimulatedTickFeed implements TickFeed {
  readonly #host: Host
  readonly #faults: Faults
  readonly #subscriptions = new Map<string, Subscription>()
  #onTick: ((tick: Tick) => void) | undefined
  readonly #onSecond = (second: number): void => this.#emit(second)

  constructor(host: Host, faults: Faults) {
    this.#host = host
    this.#faults = faults
  }

  /** Connects. A new connection starts without subscriptions. */
  async open(onTick: (tick: Tick) => void): Promise<void> {
    await this.#faults.around(this.#host.clock, 'feed', async () => {
      this.drop()
      this.#onTick = onTick
    })
  }

  /** Unknown symbols are left out: a feed has no way to say so. */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    if (!this.#onTick) return
    for (const ref of refs) {
      const contract = this.#host.market.contract(ref)
      if (contract) this.#subscriptions.set(symbolKey(ref), { contract, withDepth: mode === 3, sentAt: 0 })
    }
    if (this.#subscriptions.size > 0) this.#host.ticker.add(this.#onSecond)
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    for (const ref of refs) this.#subscriptions.delete(symbolKey(ref))
    if (this.#subscriptions.size === 0) this.#host.ticker.remove(this.#onSecond)
  }

  /** Falls silent until it is opened again, as a lost connection does. */
  drop(): void {
    this.#onTick = undefined
    this.#subscriptions.clear()
    this.#host.ticker.remove(this.#onSecond)
  }

  #emit(second: number): void {
    let first = 0
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.sentAt === 0 && ++first > FIRST_TICKS_PER_SECOND) continue
      try {
        const tick = this.#host.market.tick(subscription.contract, second, subscription.withDepth)
        if (tick.timestamp === subscription.sentAt) continue
        subscription.sentAt = tick.timestamp
        this.#onTick?.(tick)
      } catch (error) {
        this.#host.log.error('simulated.tick_failed', { reason: messageOf(error) })
      }
    }
  }
}

/** Order updates, pushed as soon as they are durable. What happens while it is down is not sent later. */
export class SimulatedOrderFeed implements OrderFeed {
  readonly #host: Host
  readonly #faults: Faults
  #stop: (() => void) | undefined

  constructor(host: Host, faults: Faults) {
    this.#host = host
    this.#faults = faults
  }

  async open(onUpdate: (order: BrokerOrder) => void): Promise<void> {
    await this.#faults.around(this.#host.clock, 'orderFeed', async () => {
      this.drop()
      this.#stop = this.#host.onOrderUpdate(onUpdate)
    })
  }

  drop(): void {
    this.#stop?.()
    this.#stop = undefined
  }
}
