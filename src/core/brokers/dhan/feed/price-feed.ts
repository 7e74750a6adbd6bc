import type { Instrument } from '../../../instruments/schema.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from '../../../market/schema.js'
import { type BrokerContext, BrokerError, type TickFeed } from '../../broker.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { TickMerger } from '../../kit/feed/tick-merger.js'
import { UnreadableFrames } from '../../kit/frames/unreadable-frames.js'
import { notSent } from '../../kit/http/outcomes.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import { SocketPool } from '../../kit/socket/socket-pool.js'
import type { DhanCredentials } from '../api.js'
import { OUTCOMES } from '../errors.js'
import { DEFAULT_ENDPOINTS, FEED_CONNECTIONS, FEED_LIMIT, SUBSCRIPTION_LIMIT } from '../manifest.js'
import { REQUEST_CODE, SEGMENT_OF_NUMBER } from '../words.js'
import { decoded, type FeedPacket, subscriptionFrame } from './codec.js'
import { TradeTimes, toTick } from './ticks.js'

/** Dhan pings every ten seconds, too rarely to notice a dead connection soon. */
const PING = { everyMs: 1500, frame: 'protocol' } as const
const SILENCE_LIMIT_MS = 15_000
const MODES: readonly StreamMode[] = [1, 2, 3]

interface Subscription {
  key: string
  instrument: Instrument
  mode: StreamMode
}

/** Prices, over up to five connections. They come in parts. */
export class DhanPriceFeed implements TickFeed {
  readonly #sockets: SocketPool<string>
  readonly #byKey = new Map<string, Subscription>()
  readonly #merger = new TickMerger<string>()
  readonly #times = new TradeTimes()
  readonly #unreadable: UnreadableFrames
  #onTick: ((tick: Tick) => void) | undefined
  #isOpen = false

  constructor(
    private readonly context: BrokerContext,
    credentials: DhanCredentials,
  ) {
    this.#unreadable = new UnreadableFrames(context.clock, context.log, 'dhan.unreadable_frame')
    this.#sockets = new SocketPool({
      connect: (place) => this.#connection(place, credentials),
      sockets: FEED_CONNECTIONS,
      keysEach: FEED_LIMIT,
    })
  }

  async open(onTick: (tick: Tick) => void): Promise<void> {
    this.#onTick = onTick
    await (this.#isOpen ? this.#sockets.reopen() : this.#sockets.open())
    this.#isOpen = true
  }

  silentMs(): number {
    return this.#sockets.silentMs()
  }

  refused(): boolean {
    return this.#sockets.refused
  }

  /**
   * Subscribes symbols. On an error nothing changes.
   * @throws BrokerError `validation` for an unknown symbol, `unsupported` above Dhan's limit
   */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    const wanted = refs.map((ref): Subscription => {
      const instrument = instrumentOf(this.context, ref)
      return { key: keyOf(instrument), instrument, mode }
    })
    const all = new Set([...this.#byKey.keys(), ...wanted.map(({ key }) => key)])
    if (all.size > this.#sockets.limit)
      throw notSent('unsupported', `Dhan streams at most ${this.#sockets.limit} instruments.`)
    const changed = wanted.flatMap(({ key }) => {
      const before = this.#byKey.get(key)
      return before && before.mode !== mode ? [before] : []
    })
    this.#end(changed)
    for (const each of wanted) this.#byKey.set(each.key, each)
    for (const [socket, keys] of this.#sockets.add(new Set(wanted.map(({ key }) => key))))
      this.#request(socket, keys)
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    const symbols = new Set(refs.map(symbolKey))
    const gone = [...this.#byKey.values()].filter(({ instrument }) => symbols.has(symbolKey(instrument)))
    this.#end(gone)
    for (const { key } of gone) this.#byKey.delete(key)
    this.#sockets.delete(gone.map(({ key }) => key))
  }

  close(): void {
    this.#sockets.close()
  }

  #connection(place: number, { accessToken, clientId }: DhanCredentials): BrokerSocket {
    const { clock, endpoints, log, sessionRefused } = this.context
    const address = new URL(endpoints.feed ?? DEFAULT_ENDPOINTS.feed)
    const query = { version: '2', token: accessToken, clientId, authType: '2' }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    const socket: BrokerSocket = new BrokerSocket(
      {
        clock,
        log,
        name: 'price feed',
        address: () => address.href,
        ping: PING,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: sessionRefused,
      },
      {
        onOpen: () => {
          const keys = [...this.#sockets.keysAt(place)]
          // The server sends again what it sends once.
          for (const key of keys) this.#merger.forget(key)
          this.#request(socket, keys)
        },
        onBinary: (bytes) => this.#onBinary(socket, bytes),
        onText: () => undefined,
      },
    )
    return socket
  }

  /** Sends subscriptions, by mode. */
  #request(socket: BrokerSocket, keys: readonly string[]): void {
    const subscriptions = keys.flatMap((key) => this.#byKey.get(key) ?? [])
    for (const frame of framesOf(subscriptions, 'on')) socket.send(frame)
  }

  /** Ends subscriptions in their mode. What is known of them is forgotten: another mode may tell less. */
  #end(subscriptions: readonly Subscription[]): void {
    for (const { key } of subscriptions) this.#merger.forget(key)
    for (const [socket, keys] of this.#sockets.add(subscriptions.map(({ key }) => key))) {
      const each = keys.flatMap((key) => this.#byKey.get(key) ?? [])
      for (const frame of framesOf(each, 'off')) socket.send(frame)
    }
  }

  #onBinary(socket: BrokerSocket, bytes: Uint8Array): void {
    for (const packet of decoded(bytes, (reason) => this.#unreadable.note(reason)))
      this.#onPacket(socket, packet)
  }

  #onPacket(socket: BrokerSocket, packet: FeedPacket): void {
    if (packet.kind === 'disconnect') {
      this.#onDisconnect(socket, packet.reason)
      return
    }
    const { part, securityId, segment } = packet
    const key = `${SEGMENT_OF_NUMBER[segment] ?? segment}:${securityId}`
    const subscription = this.#byKey.get(key)
    const known = subscription && this.#merger.merge(key, part)
    if (!known) return
    const now = this.context.clock.now()
    const tradedAt = known.timestamp === undefined ? now : this.#times.of(known.timestamp, now)
    this.#onTick?.(toTick(subscription.instrument, known, tradedAt))
  }

  /** The server says why it ends a connection, then does so. Without a session or a right to prices, another dial is useless. */
  #onDisconnect(socket: BrokerSocket, reason: number): void {
    const { kind } = OUTCOMES[reason] ?? { kind: 'network' }
    if (kind !== 'auth' && kind !== 'permission') {
      this.context.log.warn('dhan.feed_disconnected', { reason })
      return
    }
    socket.refuse(
      new BrokerError(kind, `The price feed refused the connection (${reason}).`, {
        brokerCode: String(reason),
        sent: 'yes',
      }),
    )
  }
}

function keyOf({ brokerExchange, token }: Instrument): string {
  return `${brokerExchange}:${token}`
}

function framesOf(subscriptions: readonly Subscription[], way: 'on' | 'off'): string[] {
  return MODES.flatMap((mode) => {
    const instruments = subscriptions
      .filter((each) => each.mode === mode)
      .map(({ instrument }) => ({
        ExchangeSegment: instrument.brokerExchange,
        SecurityId: instrument.token,
      }))
    const starts = Array.from(
      { length: Math.ceil(instruments.length / SUBSCRIPTION_LIMIT) },
      (_, part) => part,
    )
    return starts.map((part) => {
      const from = part * SUBSCRIPTION_LIMIT
      return subscriptionFrame(REQUEST_CODE[mode][way], instruments.slice(from, from + SUBSCRIPTION_LIMIT))
    })
  })
}
