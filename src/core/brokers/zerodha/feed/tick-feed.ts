import type { Instrument } from '../../../instruments/schema.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from '../../../market/schema.js'
import type { BrokerContext, BrokerOrder, OrderFeed, TickFeed } from '../../broker.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { tickOf } from '../../kit/feed/tick.js'
import { notSent } from '../../kit/http/outcomes.js'
import { jsonOf } from '../../kit/http/response.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import { SocketPool } from '../../kit/socket/socket-pool.js'
import type { KiteCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS, TICKER_CONNECTIONS, TICKER_LIMIT } from '../manifest.js'
import { STREAM_MODE_TO_KITE } from '../mappings.js'
import { UNITS } from '../master/lots.js'
import { type KiteOrder, orderRow, tickerText } from '../wire.js'
import { decodeFrame, type KiteTick, modeFrame, subscriptionFrame } from './tick-codec.js'

/** Kite sends a heartbeat about every second, and its own client gives up a connection after this time. */
const SILENCE_LIMIT_MS = 5000

const MODES: readonly StreamMode[] = [1, 2, 3]

interface Subscription {
  token: number
  instrument: Instrument
  mode: StreamMode
}

/**
 * Prices and order updates, over up to three connections. Kite sends order updates over each, so only those of the first
 * count. Whichever feed opens first connects it.
 */
export class KiteTicker {
  readonly prices: TickFeed
  readonly orderUpdates: OrderFeed
  readonly #context: BrokerContext
  readonly #sockets: SocketPool<number>
  readonly #redact: (text: string) => string
  readonly #byToken = new Map<number, Subscription>()
  readonly #bySymbol = new Map<string, Subscription>()
  #onTick: ((tick: Tick) => void) | undefined
  /** Prices were opened before, so the connection exists or is reconnecting. */
  #pricesOpened = false
  #onUpdate: ((order: BrokerOrder) => void) | undefined

  /** @param orderOf converts a row of the socket to an order */
  constructor(
    context: BrokerContext,
    credentials: KiteCredentials,
    redact: (text: string) => string,
    private readonly orderOf: (row: KiteOrder) => BrokerOrder,
  ) {
    this.#context = context
    this.#redact = redact
    this.#sockets = new SocketPool({
      connect: (place) => this.#connection(place, credentials),
      sockets: TICKER_CONNECTIONS,
      keysEach: TICKER_LIMIT,
    })
    this.prices = {
      open: (onTick) => this.#openPrices(onTick),
      silentMs: () => this.#sockets.silentMs(),
      refused: () => this.#sockets.refused,
      subscribe: (refs, mode) => this.#subscribe(refs, mode),
      unsubscribe: (refs) => this.#unsubscribe(refs),
    }
    this.orderUpdates = {
      open: (onUpdate) => {
        this.#onUpdate = onUpdate
        return this.#sockets.open()
      },
      state: () => this.#sockets.first.state(),
    }
  }

  close(): void {
    this.#sockets.close()
  }

  #connection(place: number, { accessToken, apiKey }: KiteCredentials): BrokerSocket {
    const { clock, endpoints, log, sessionRefused } = this.#context
    const query = new URLSearchParams({ api_key: apiKey, access_token: accessToken })
    const socket: BrokerSocket = new BrokerSocket(
      {
        clock,
        log,
        name: 'ticker',
        address: () => `${endpoints.ticker ?? DEFAULT_ENDPOINTS.ticker}/?${query}`,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: sessionRefused,
      },
      {
        onOpen: () => this.#request(socket, [...this.#sockets.keysAt(place)]),
        onBinary: (bytes) => this.#onBinary(bytes),
        onText: (text) => {
          if (place === 0) this.#onText(text)
        },
      },
    )
    return socket
  }

  async #openPrices(onTick: (tick: Tick) => void): Promise<void> {
    this.#onTick = onTick
    await (this.#pricesOpened ? this.#sockets.reopen() : this.#sockets.open())
    this.#pricesOpened = true
  }

  /**
   * Subscribes symbols. On an error nothing changes.
   * @throws BrokerError `validation` for an unknown symbol, `unsupported` above Kite's limit
   */
  #subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    const requested = refs.map((ref): Subscription => {
      const instrument = instrumentOf(this.#context, ref)
      return { token: Number(instrument.token), instrument, mode }
    })
    const tokens = requested.map(({ token }) => token)
    const added = new Set(tokens.filter((token) => !this.#byToken.has(token)))
    if (this.#byToken.size + added.size > this.#sockets.limit) {
      throw notSent('unsupported', `Zerodha streams at most ${this.#sockets.limit} instruments.`)
    }
    for (const subscription of requested) {
      this.#byToken.set(subscription.token, subscription)
      this.#bySymbol.set(symbolKey(subscription.instrument), subscription)
    }
    for (const [socket, each] of this.#sockets.add(new Set(tokens))) this.#request(socket, each)
  }

  #unsubscribe(refs: readonly SymbolRef[]): void {
    const tokens: number[] = []
    for (const ref of refs) {
      const subscription = this.#bySymbol.get(symbolKey(ref))
      if (!subscription) continue
      this.#bySymbol.delete(symbolKey(ref))
      this.#byToken.delete(subscription.token)
      tokens.push(subscription.token)
    }
    for (const [socket, each] of this.#sockets.delete(tokens)) {
      socket.send(subscriptionFrame('unsubscribe', each))
    }
  }

  /** Sends subscriptions: one frame for all tokens, then one for each mode in use. */
  #request(socket: BrokerSocket, tokens: readonly number[]): void {
    if (tokens.length === 0) return
    socket.send(subscriptionFrame('subscribe', tokens))
    for (const mode of MODES) {
      const inMode = tokens.filter((token) => this.#byToken.get(token)?.mode === mode)
      if (inMode.length > 0) socket.send(modeFrame(STREAM_MODE_TO_KITE[mode], inMode))
    }
  }

  #onBinary(bytes: Uint8Array): void {
    const receivedAt = this.#context.clock.now()
    for (const tick of decodeFrame(bytes)) {
      const subscription = this.#byToken.get(tick.token)
      if (subscription) this.#onTick?.(toTick(tick, subscription.instrument, receivedAt))
    }
  }

  #onText(text: string): void {
    const message = tickerText.safeParse(jsonOf(text))
    if (message.data?.type === 'order') this.#onOrder(message.data.data)
    else if (message.data?.type === 'error') {
      this.#context.log.warn('zerodha.ticker_error', { message: this.#redact(String(message.data.data)) })
    }
  }

  #onOrder(data: unknown): void {
    const row = orderRow.safeParse(data)
    if (row.success) this.#onUpdate?.(this.orderOf(row.data))
    else this.#context.log.warn('zerodha.unreadable_order_update')
  }
}

/** Converts a decoded packet to a tick. A layout without a time gets the time of arrival. */
export function toTick(tick: KiteTick, instrument: SymbolRef & { name: string }, receivedAt: number): Tick {
  const timestamp = tick.lastTradeTime || tick.exchangeTime || receivedAt
  return tickOf(UNITS, instrument, { ...tick, prevClose: tick.close }, timestamp)
}
