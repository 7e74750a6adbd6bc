import type { Clock } from '../time/index.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from './schema.js'

/**
 * The upstream feed as the hub uses it. The hub calls it only when the combined needs of all listeners of a
 * symbol change.
 */
export interface UpstreamFeed {
  /** Called for the first listener, and for one that needs a higher mode than all before. */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void
  /** Called after the last listener left. */
  unsubscribe(refs: readonly SymbolRef[]): void
}

export interface TickHubOptions {
  clock: Clock
  /** Called when a listener throws; the other listeners still get the tick. */
  onListenerError: (error: unknown, tick: Tick) => void
  /** Called when a newly connected feed refuses a symbol; the other symbols are still subscribed. */
  onFeedRefusal?: (error: unknown, ref: SymbolRef) => void
}

export type TickListener = (tick: Tick) => void

interface Subscription {
  mode: StreamMode
  listener: TickListener
}

interface Channel {
  ref: SymbolRef
  subscriptions: Set<Subscription>
  /** The highest mode requested from the feed; undefined while there is no listener. */
  mode: StreamMode | undefined
  last: Tick | undefined
  /**
   * The time of the last tick or of the subscription, on the monotonic clock, so that a clock step does not
   * make a symbol look stale.
   */
  lastActiveAt: number
}

/**
 * Distributes every price: feeds publish ticks, consumers subscribe. A tick is only delivered to the
 * listeners of its symbol. The feed is subscribed to a symbol once, for any number of listeners.
 */
export class TickHub {
  readonly #clock: Clock
  readonly #onListenerError: TickHubOptions['onListenerError']
  readonly #onFeedRefusal: TickHubOptions['onFeedRefusal']
  readonly #channels = new Map<string, Channel>()
  #feed: UpstreamFeed | undefined
  #lastActiveAt = 0
  #ticks = 0

  constructor(options: TickHubOptions) {
    this.#clock = options.clock
    this.#onListenerError = options.onListenerError
    this.#onFeedRefusal = options.onFeedRefusal
  }

  /** Ticks of subscribed symbols since the start. */
  get ticks(): number {
    return this.#ticks
  }

  /**
   * Connects a feed (or none) and subscribes it to all symbols with listeners; also called after a reconnect.
   */
  attach(feed: UpstreamFeed | undefined): void {
    this.#feed = feed
    this.resubscribe(this.symbols())
  }

  /** Subscribes the feed to all symbols anew, because the instruments changed: a symbol may have another token. */
  renew(): void {
    const refs = this.symbols()
    if (refs.length === 0) return
    this.#feed?.unsubscribe(refs)
    this.resubscribe(refs)
  }

  /** Forgets the last prices, because another broker's follow: those of a simulated market mean nothing at a real one. */
  forget(): void {
    for (const channel of this.#channels.values()) channel.last = undefined
  }

  /** Subscribes the feed to symbols again, in case a request was lost. */
  resubscribe(refs: readonly SymbolRef[]): void {
    const byMode = new Map<StreamMode, SymbolRef[]>()
    for (const ref of refs) {
      const mode = this.mode(ref)
      if (mode === undefined) continue
      const sameMode = byMode.get(mode)
      if (sameMode) sameMode.push(ref)
      else byMode.set(mode, [ref])
    }
    for (const [mode, sameMode] of byMode) this.#ask(sameMode, mode)
  }

  /** Delivers a tick to the listeners of its symbol. Never throws. */
  publish(tick: Tick): void {
    const channel = this.#channels.get(symbolKey(tick))
    if (!channel) return
    channel.last = tick
    channel.lastActiveAt = this.#now()
    this.#lastActiveAt = channel.lastActiveAt
    this.#ticks += 1
    for (const { listener } of channel.subscriptions) {
      try {
        listener(tick)
      } catch (error) {
        this.#onListenerError(error, tick)
      }
    }
  }

  /**
   * Calls `listener` with every tick of the symbols until the returned function is called (calling it again
   * does nothing). The feed may send more than the listener's mode asks for.
   * @throws the feed's error if it refuses the symbols; then nothing is subscribed
   */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode, listener: TickListener): () => void {
    const subscription = { mode, listener }
    const channels = [...new Set(refs.map((ref) => this.#channel(ref)))]
    const before = channels.map((channel) => ({ channel, mode: channel.mode }))
    for (const channel of channels) channel.subscriptions.add(subscription)
    const leave = () => {
      const left = channels.filter((channel) => channel.subscriptions.delete(subscription))
      this.#updateFeed(left)
    }
    try {
      this.#updateFeed(channels)
    } catch (error) {
      // A symbol that had a feed keeps the mode that it has there.
      for (const { channel, mode } of before) channel.mode = mode ?? channel.mode
      leave()
      throw error
    }
    return leave
  }

  /** Returns the last tick of a subscribed symbol. */
  last(ref: SymbolRef): Tick | undefined {
    return this.#channels.get(symbolKey(ref))?.last
  }

  /** Returns the mode requested from the feed; undefined while the symbol has no listener. */
  mode(ref: SymbolRef): StreamMode | undefined {
    return this.#channels.get(symbolKey(ref))?.mode
  }

  /**
   * Returns milliseconds since the symbol's last tick (or its subscription), which reveals a dead feed.
   * Undefined while the symbol has no listener.
   */
  ageMs(ref: SymbolRef): number | undefined {
    const channel = this.#channels.get(symbolKey(ref))
    return channel?.mode && this.#now() - channel.lastActiveAt
  }

  /**
   * Returns milliseconds since the last tick of any symbol, or since the first subscription. Undefined while
   * there is no listener.
   */
  silentMs(): number | undefined {
    return this.#channels.size === 0 ? undefined : this.#now() - this.#lastActiveAt
  }

  /** Returns the subscribed symbols without a tick for longer than `limitMs`. */
  stale(limitMs: number): SymbolRef[] {
    const before = this.#now() - limitMs
    const refs: SymbolRef[] = []
    for (const channel of this.#channels.values()) if (channel.lastActiveAt < before) refs.push(channel.ref)
    return refs
  }

  /** Whether no symbol has a listener, and so none has a last tick. */
  get isIdle(): boolean {
    return this.#channels.size === 0
  }

  /** Returns every symbol with a listener. */
  symbols(): SymbolRef[] {
    return [...this.#channels.values()].map((channel) => channel.ref)
  }

  #now(): number {
    return Math.floor(this.#clock.monotonic())
  }

  #channel({ symbol, exchange }: SymbolRef): Channel {
    const key = symbolKey({ symbol, exchange })
    const known = this.#channels.get(key)
    if (known) return known
    if (this.#channels.size === 0) this.#lastActiveAt = this.#now()
    const channel: Channel = {
      ref: { symbol, exchange },
      subscriptions: new Set(),
      mode: undefined,
      last: undefined,
      lastActiveAt: this.#now(),
    }
    this.#channels.set(key, channel)
    return channel
  }

  /**
   * Subscribes many symbols at once. If the feed refuses the request, it subscribes them one by one, so that
   * one bad symbol does not affect the others.
   */
  #ask(refs: readonly SymbolRef[], mode: StreamMode): void {
    try {
      this.#feed?.subscribe(refs, mode)
    } catch (error) {
      const [only] = refs
      if (refs.length === 1 && only) this.#onFeedRefusal?.(error, only)
      else for (const ref of refs) this.#ask([ref], mode)
    }
  }

  /** Subscribes and unsubscribes the feed so that it matches the listeners of these channels. */
  #updateFeed(channels: readonly Channel[]): void {
    const byMode = new Map<StreamMode, SymbolRef[]>()
    const unwanted: SymbolRef[] = []
    for (const channel of channels) {
      const mode = highestMode(channel.subscriptions)
      if (mode === channel.mode) continue
      if (mode === undefined) {
        this.#channels.delete(symbolKey(channel.ref))
        unwanted.push(channel.ref)
      } else if (channel.mode === undefined || mode > channel.mode) {
        byMode.set(mode, [...(byMode.get(mode) ?? []), channel.ref])
      } else {
        // The feed may send more than needed. Requesting a lower mode would only interrupt it.
        continue
      }
      channel.mode = mode
    }
    for (const [mode, refs] of byMode) this.#feed?.subscribe(refs, mode)
    if (unwanted.length > 0) this.#feed?.unsubscribe(unwanted)
  }
}

function highestMode(subscriptions: ReadonlySet<Subscription>): StreamMode | undefined {
  let highest: StreamMode | undefined
  for (const { mode } of subscriptions) if (highest === undefined || mode > highest) highest = mode
  return highest
}
