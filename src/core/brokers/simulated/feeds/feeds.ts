import { messageOf } from '../../../errors/index.js'
import type { StreamMode, SymbolRef, Tick } from '../../../market/schema.js'
import { symbolKey } from '../../../market/schema.js'
import type { BrokerOrder, OrderFeed, TickFeed } from '../../broker.js'
import type { Faults } from '../faults.js'
import type { Contract } from '../market/contract.js'
import type { SimulatedVenue } from '../venue.js'
import { PacedQueue } from './paced-queue.js'

interface Subscription {
  contract: Contract
  withDepth: boolean
  /** Timestamp of the last tick sent, so that a closed market sends one tick, not one per second. */
  sentAt: number | undefined
  /** Whether the figures of its day are computed, so that a tick is cheap. */
  started: boolean
}

/** How many ticks are sent without a pause: a few milliseconds of work. */
const TICKS_PER_SLICE = 100
/** The first tick of a symbol computes its day so far, which takes one to three milliseconds. */
const FIRST_TICKS_PER_SLICE = 1

/** The live price feed: one tick per second for each subscribed symbol that trades. */
export class SimulatedTickFeed implements TickFeed {
  readonly #venue: SimulatedVenue
  readonly #faults: Faults
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #ticks: PacedQueue<Subscription>
  readonly #firstTicks: PacedQueue<Subscription>
  /** Symbols that get their first tick with the next second. */
  #added: Subscription[] = []
  #onTick: ((tick: Tick) => void) | undefined
  readonly #onSecond = (): void => this.#emit()

  constructor(venue: SimulatedVenue, faults: Faults) {
    this.#venue = venue
    this.#faults = faults
    const send = (subscription: Subscription): void => this.#send(subscription)
    this.#ticks = new PacedQueue(venue.clock, TICKS_PER_SLICE, send)
    this.#firstTicks = new PacedQueue(venue.clock, FIRST_TICKS_PER_SLICE, send)
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
      if (!contract) continue
      const started = this.#subscriptions.get(contract.key)?.started ?? false
      const subscription = { contract, withDepth: mode === 3, sentAt: undefined, started }
      this.#subscriptions.set(contract.key, subscription)
      if (!started) this.#added.push(subscription)
    }
    if (this.#subscriptions.size > 0) this.#venue.ticker.add(this.#onSecond)
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    for (const ref of refs) this.#subscriptions.delete(symbolKey(ref))
    if (this.#subscriptions.size === 0) this.#stop()
  }

  /** Drops the connection. The feed is silent until it is opened again. */
  drop(): void {
    this.#onTick = undefined
    this.#subscriptions.clear()
    this.#stop()
  }

  #stop(): void {
    this.#ticks.clear()
    this.#firstTicks.clear()
    this.#added = []
    this.#venue.ticker.remove(this.#onSecond)
  }

  #emit(): void {
    // Those of the second before are still being sent: this second's would only add to them.
    if (this.#ticks.idle) {
      this.#ticks.add([...this.#subscriptions.values()].filter(({ started }) => started))
    }
    this.#firstTicks.add(this.#added)
    this.#added = []
  }

  #send(subscription: Subscription): void {
    const { contract, withDepth, sentAt } = subscription
    // It ended, or another took its place, while it waited.
    if (this.#subscriptions.get(contract.key) !== subscription) return
    try {
      const tick = this.#venue.market.tick(contract, this.#venue.second(), withDepth)
      subscription.started = true
      if (tick.timestamp === sentAt) return
      subscription.sentAt = tick.timestamp
      this.#onTick?.(tick)
    } catch (error) {
      if (!subscription.started) this.#added.push(subscription)
      this.#venue.log.error('simulated.tick_failed', { reason: messageOf(error) })
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
