import type { Clock } from '../time/index.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from './schema.js'

/** What the hub asks of the feed above it. Called for a symbol only when the answer of all listeners changes. */
export interface UpstreamFeed {
  /** The first listener came, or one that wants a higher mode than any before. */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void
  /** The last listener left. */
  unsubscribe(refs: readonly SymbolRef[]): void
}

export interface TickHubOptions {
  clock: Clock
  /** Told of a listener that threw; the others were served all the same. */
  onListenerError: (error: unknown, tick: Tick) => void
  /** Told of a symbol that a newly connected feed does not take; the others are followed all the same. */
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
  /** The highest mode asked of the feed; undefined while nobody listens. */
  mode: StreamMode | undefined
  last: Tick | undefined
  /** When the last tick came, or the feed was asked for it, on the monotonic clock: a clock step makes nothing old. */
  heardAt: number
}

/**
 * Where every price passes: feeds publish, whoever needs prices subscribes. A tick costs its own listeners and
 * nothing else; the feed is asked for a symbol once, however many listen.
 */
export class TickHub {
  readonly #clock: Clock
  readonly #onListenerError: TickHubOptions['onListenerError']
  readonly #onFeedRefusal: TickHubOptions['onFeedRefusal']
  readonly #channels = new Map<string, Channel>()
  #feed: UpstreamFeed | undefined
  #heardAt = 0
  #ticks = 0

  constructor(options: TickHubOptions) {
    this.#clock = options.clock
    this.#onListenerError = options.onListenerError
    this.#onFeedRefusal = options.onFeedRefusal
  }

  /** Ticks of listened symbols since the start. */
  get ticks(): number {
    return this.#ticks
  }

  /** Connects a feed (or none) and asks it for everything that is listened to; after a reconnect too. */
  attach(feed: UpstreamFeed | undefined): void {
    this.#feed = feed
    this.resubscribe(this.symbols())
  }

  /** Asks the feed again for symbols that are listened to: a request may have been lost on the way. */
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

  /** Hands a tick to the listeners of its symbol. Never throws. */
  publish(tick: Tick): void {
    const channel = this.#channels.get(symbolKey(tick))
    if (!channel) return
    channel.last = tick
    channel.heardAt = this.#now()
    this.#heardAt = channel.heardAt
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
   * Calls `listener` with every tick of the symbols, until the returned function is called (more than once does
   * no harm). A listener gets whatever the feed sends, which may be more than its mode asks for.
   * @throws what the feed refuses the symbols with; nothing is listened to then
   */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode, listener: TickListener): () => void {
    const subscription = { mode, listener }
    const channels = [...new Set(refs.map((ref) => this.#channel(ref)))]
    for (const channel of channels) channel.subscriptions.add(subscription)
    const leave = () => {
      const left = channels.filter((channel) => channel.subscriptions.delete(subscription))
      this.#tellFeed(left)
    }
    try {
      this.#tellFeed(channels)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  /** The last tick of a symbol that is listened to. */
  last(ref: SymbolRef): Tick | undefined {
    return this.#channels.get(symbolKey(ref))?.last
  }

  /** The mode the feed was asked for; undefined while nobody listens to the symbol. */
  mode(ref: SymbolRef): StreamMode | undefined {
    return this.#channels.get(symbolKey(ref))?.mode
  }

  /**
   * Milliseconds since the symbol was last heard of (or first asked for): a feed that has died is seen by its
   * symbols growing old. Undefined while nobody listens to it.
   */
  ageMs(ref: SymbolRef): number | undefined {
    const channel = this.#channels.get(symbolKey(ref))
    return channel?.mode && this.#now() - channel.heardAt
  }

  /**
   * Milliseconds since any symbol was heard of, or since the first one was asked for. Undefined while nobody
   * listens to anything.
   */
  silentMs(): number | undefined {
    return this.#channels.size === 0 ? undefined : this.#now() - this.#heardAt
  }

  /** Symbols that are listened to and have not been heard of for longer than `limitMs`. */
  stale(limitMs: number): SymbolRef[] {
    const before = this.#now() - limitMs
    const refs: SymbolRef[] = []
    for (const channel of this.#channels.values()) if (channel.heardAt < before) refs.push(channel.ref)
    return refs
  }

  /** Every symbol that is listened to. */
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
    if (this.#channels.size === 0) this.#heardAt = this.#now()
    const channel: Channel = {
      ref: { symbol, exchange },
      subscriptions: new Set(),
      mode: undefined,
      last: undefined,
      heardAt: this.#now(),
    }
    this.#channels.set(key, channel)
    return channel
  }

  /** Asks for many at once; when the feed refuses them together, one by one, so that one bad symbol costs only itself. */
  #ask(refs: readonly SymbolRef[], mode: StreamMode): void {
    try {
      this.#feed?.subscribe(refs, mode)
    } catch (error) {
      const [only] = refs
      if (refs.length === 1 && only) this.#onFeedRefusal?.(error, only)
      else for (const ref of refs) this.#ask([ref], mode)
    }
  }

  /** Brings the feed to what the listeners of these channels want now. */
  #tellFeed(channels: readonly Channel[]): void {
    const wanted = new Map<StreamMode, SymbolRef[]>()
    const unwanted: SymbolRef[] = []
    for (const channel of channels) {
      const mode = highestMode(channel.subscriptions)
      if (mode === channel.mode) continue
      if (mode === undefined) {
        this.#channels.delete(symbolKey(channel.ref))
        unwanted.push(channel.ref)
      } else if (channel.mode === undefined || mode > channel.mode) {
        wanted.set(mode, [...(wanted.get(mode) ?? []), channel.ref])
      } else {
        // A feed that sends too much does no harm; asking for less would only interrupt it.
        continue
      }
      channel.mode = mode
    }
    for (const [mode, refs] of wanted) this.#feed?.subscribe(refs, mode)
    if (unwanted.length > 0) this.#feed?.unsubscribe(unwanted)
  }
}

function highestMode(subscriptions: ReadonlySet<Subscription>): StreamMode | undefined {
  let highest: StreamMode | undefined
  for (const { mode } of subscriptions) if (highest === undefined || mode > highest) highest = mode
  return highest
}
