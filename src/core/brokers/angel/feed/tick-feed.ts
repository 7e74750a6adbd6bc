import type { Instrument } from '../../../instruments/schema.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from '../../../market/schema.js'
import type { BrokerContext, TickFeed } from '../../broker.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { tickOf } from '../../kit/feed/tick.js'
import { UnreadableFrames } from '../../kit/frames/unreadable-frames.js'
import { addressAt } from '../../kit/http/addresses.js'
import { notSent } from '../../kit/http/outcomes.js'
import { jsonOf } from '../../kit/http/response.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import { SocketPool } from '../../kit/socket/socket-pool.js'
import type { AngelCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS, FEED_CONNECTIONS, FEED_LIMIT } from '../manifest.js'
import { UNITS } from '../units.js'
import { FEED_EXCHANGE, FEED_MODE } from '../words.js'
import { type AngelTick, decodeTicks } from './codec.js'

const PATH = '/smart-stream'
/** Angel answers each ping, so a connection that is silent for two of them and a half is dead. */
export const PING = { everyMs: 10_000, frame: 'ping' } as const
export const SILENCE_LIMIT_MS = 25_000

const MODES: readonly StreamMode[] = [1, 2, 3]
const SUBSCRIBE = 1
const UNSUBSCRIBE = 0

interface Subscription {
  /** The exchange as the feed numbers it, and the token. */
  exchange: number
  token: string
  instrument: Instrument
  mode: StreamMode
}

/** Prices over SmartStream, over up to three connections. Each packet is whole. */
export class AngelTicks implements TickFeed {
  readonly #context: BrokerContext
  readonly #redact: (text: string) => string
  readonly #sockets: SocketPool<string>
  readonly #byKey = new Map<string, Subscription>()
  readonly #unreadable: UnreadableFrames
  #onTick: ((tick: Tick) => void) | undefined
  #isOpen = false
  #requests = 0

  constructor(context: BrokerContext, credentials: AngelCredentials, redact: (text: string) => string) {
    this.#context = context
    this.#redact = redact
    this.#unreadable = new UnreadableFrames(context.clock, context.log, 'angel.unreadable_frame')
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
   * @throws BrokerError `validation` for an unknown symbol, `unsupported` above Angel's limit
   */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    const wanted = refs.map((ref) => this.#subscriptionOf(ref, mode))
    const keys = new Set([...this.#byKey.keys(), ...wanted.map(keyOf)])
    if (keys.size > this.#sockets.limit)
      throw notSent('unsupported', `Angel One streams at most ${this.#sockets.limit} instruments.`)
    // A subscription belongs to its mode, so the old one ends.
    const changed = wanted.flatMap((each) => {
      const before = this.#byKey.get(keyOf(each))
      return before && before.mode !== mode ? [before] : []
    })
    for (const [socket, each] of this.#sockets.add(changed.map(keyOf))) this.#send(socket, UNSUBSCRIBE, each)
    for (const each of wanted) this.#byKey.set(keyOf(each), each)
    for (const [socket, each] of this.#sockets.add(wanted.map(keyOf))) this.#send(socket, SUBSCRIBE, each)
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    const gone = new Set(refs.map(symbolKey))
    const keys = [...this.#byKey].filter(([, { instrument }]) => gone.has(symbolKey(instrument)))
    for (const [socket, each] of this.#sockets.delete(keys.map(([key]) => key)))
      this.#send(socket, UNSUBSCRIBE, each)
    for (const [key] of keys) this.#byKey.delete(key)
  }

  close(): void {
    this.#sockets.close()
  }

  #subscriptionOf(ref: SymbolRef, mode: StreamMode): Subscription {
    const instrument = instrumentOf(this.#context, ref)
    const exchange = FEED_EXCHANGE[instrument.brokerExchange]
    if (exchange === undefined)
      throw notSent('unsupported', `Angel One streams no prices of ${instrument.brokerExchange}.`)
    return { exchange, token: instrument.token, instrument, mode }
  }

  #connection(place: number, { apiKey, clientCode, feedToken, jwt }: AngelCredentials): BrokerSocket {
    const { clock, endpoints, log, sessionRefused } = this.#context
    const socket: BrokerSocket = new BrokerSocket(
      {
        clock,
        log,
        name: 'price feed',
        address: () => addressAt(endpoints.feed ?? DEFAULT_ENDPOINTS.feed, PATH),
        headers: {
          Authorization: `Bearer ${jwt}`,
          'x-api-key': apiKey,
          'x-client-code': clientCode,
          'x-feed-token': feedToken ?? '',
        },
        ping: PING,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: sessionRefused,
      },
      {
        onOpen: () => this.#send(socket, SUBSCRIBE, [...this.#sockets.keysAt(place)]),
        onBinary: (bytes) => this.#onBinary(bytes),
        onText: (text) => this.#onText(text),
      },
    )
    return socket
  }

  /** Sends one request for each mode that the keys have. */
  #send(socket: BrokerSocket, action: number, keys: readonly string[]): void {
    for (const mode of MODES) {
      const tokens = new Map<number, string[]>()
      for (const key of keys) {
        const subscription = this.#byKey.get(key)
        if (subscription?.mode !== mode) continue
        const { exchange, token } = subscription
        tokens.set(exchange, [...(tokens.get(exchange) ?? []), token])
      }
      if (tokens.size === 0) continue
      this.#requests += 1
      const tokenList = [...tokens].map(([exchangeType, each]) => ({ exchangeType, tokens: each }))
      const params = { mode: FEED_MODE[mode], tokenList }
      socket.send(JSON.stringify({ correlationID: `svc${this.#requests}`, action, params }))
    }
  }

  #onBinary(bytes: Uint8Array): void {
    for (const tick of decodeTicks(bytes, (reason) => this.#unreadable.note(reason))) {
      const subscription = this.#byKey.get(keyOf(tick))
      if (subscription) this.#onTick?.(toTick(tick, subscription.instrument, this.#context.clock.now()))
    }
  }

  /** Texts are answers to pings, and errors. */
  #onText(text: string): void {
    if (jsonOf(text) === undefined) return
    this.#context.log.warn('angel.feed_error', { message: this.#redact(text) })
  }
}

function keyOf({ exchange, token }: { exchange: number; token: string }): string {
  return `${exchange}:${token}`
}

/** Converts a packet to a tick. */
export function toTick(tick: AngelTick, instrument: Instrument, receivedAt: number): Tick {
  const { day, exchangeTime, full, ltp } = tick
  const told = { ...day, ...full, ltp, prevClose: day?.close }
  return tickOf(UNITS, instrument, told, exchangeTime || receivedAt)
}
