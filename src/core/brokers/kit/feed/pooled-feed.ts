import type { Instrument } from '../../../instruments/schema.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from '../../../market/schema.js'
import type { BrokerContext, TickFeed } from '../../broker.js'
import { instrumentOf } from '../books/symbols.js'
import { notSent } from '../http/outcomes.js'
import type { BrokerSocket } from '../socket/broker-socket.js'
import { SocketPool } from '../socket/socket-pool.js'

/** An instrument whose prices are wanted, and how much of them. */
export interface Subscription {
  readonly instrument: Instrument
  readonly mode: StreamMode
}

/** Why a subscription ends: nobody wants it any more, or it begins again at once in another mode. */
export type EndReason = 'gone' | 'other_mode'

interface PooledFeedOptions<Key> {
  /** Names the broker in errors. */
  broker: string
  /** The most connections, and the most instruments of each. */
  sockets: number
  keysEach: number
  /** Names an instrument as frames do. @throws BrokerError `unsupported` if the broker streams no such */
  keyOf: (instrument: Instrument) => Key
  /** Makes the connection of a place. When it opens it begins {@link PooledFeed.at} again. */
  connect: (place: number) => BrokerSocket
  begin: (socket: BrokerSocket, subscriptions: readonly Subscription[]) => void
  end: (socket: BrokerSocket, subscriptions: readonly Subscription[], why: EndReason) => void
}

/** The subscriptions of a price feed, over as many connections as they need. What its frames say is the plugin's. */
export class PooledFeed<Key> implements TickFeed {
  readonly #sockets: SocketPool<Key>
  readonly #byKey = new Map<Key, Subscription>()
  readonly #keyBySymbol = new Map<string, Key>()
  #onTick: ((tick: Tick) => void) | undefined
  /** Prices were opened before, so the connection exists or is reconnecting. */
  #isOpen = false

  constructor(
    private readonly context: Pick<BrokerContext, 'instruments'>,
    private readonly options: PooledFeedOptions<Key>,
  ) {
    this.#sockets = new SocketPool(options)
  }

  async open(onTick: (tick: Tick) => void): Promise<void> {
    this.#onTick = onTick
    await (this.#isOpen ? this.#sockets.reopen() : this.connected())
    this.#isOpen = true
  }

  /** Connects, for what comes over the first connection beside prices. @throws BrokerError as {@link BrokerSocket.open} */
  connected(): Promise<void> {
    return this.#sockets.open()
  }

  /** The connection that is always there. */
  get first(): BrokerSocket {
    return this.#sockets.first
  }

  silentMs(): number {
    return this.#sockets.silentMs()
  }

  refused(): boolean {
    return this.#sockets.refused
  }

  /**
   * Subscribes symbols. On an error nothing changes.
   * @throws BrokerError `validation` for an unknown symbol, `unsupported` above the limit of the broker
   */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    const { begin, broker, end, keyOf } = this.options
    const wanted = new Map<Key, Subscription>()
    for (const ref of refs) {
      const instrument = instrumentOf(this.context, ref)
      wanted.set(keyOf(instrument), { instrument, mode })
    }
    const added = [...wanted.keys()].filter((key) => !this.#byKey.has(key))
    const { limit } = this.#sockets
    if (this.#byKey.size + added.length > limit)
      throw notSent('unsupported', `${broker} streams at most ${limit} instruments.`)
    const changed = [...wanted.keys()].filter((key) => (this.#byKey.get(key)?.mode ?? mode) !== mode)
    for (const [socket, keys] of this.#sockets.add(changed)) end(socket, this.#of(keys), 'other_mode')
    for (const [key, subscription] of wanted) {
      this.#byKey.set(key, subscription)
      this.#keyBySymbol.set(symbolKey(subscription.instrument), key)
    }
    for (const [socket, keys] of this.#sockets.add(wanted.keys())) begin(socket, this.#of(keys))
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    const keys = new Set(refs.flatMap((ref) => this.#keyBySymbol.get(symbolKey(ref)) ?? []))
    for (const [socket, each] of this.#sockets.delete(keys)) this.options.end(socket, this.#of(each), 'gone')
    for (const key of keys) this.#byKey.delete(key)
    for (const ref of refs) this.#keyBySymbol.delete(symbolKey(ref))
  }

  /** Returns the subscription of a key in a frame; undefined for one that has ended. */
  subscription(key: Key): Subscription | undefined {
    return this.#byKey.get(key)
  }

  /** Returns the subscriptions of a connection. */
  at(place: number): Subscription[] {
    return this.#of([...this.#sockets.keysAt(place)])
  }

  /** Tells of a price. */
  tell(tick: Tick): void {
    this.#onTick?.(tick)
  }

  close(): void {
    this.#sockets.close()
  }

  #of(keys: readonly Key[]): Subscription[] {
    return keys.flatMap((key) => this.#byKey.get(key) ?? [])
  }
}
