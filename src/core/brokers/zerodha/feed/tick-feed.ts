import type { StreamMode, SymbolRef, Tick } from '../../../market/schema.js'
import type { BrokerContext, BrokerOrder, OrderFeed, TickFeed } from '../../broker.js'
import { PooledFeed, type Subscription } from '../../kit/feed/pooled-feed.js'
import { tickOf } from '../../kit/feed/tick.js'
import { jsonOf } from '../../kit/http/response.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { KiteCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS, manifest, TICKER_CONNECTIONS, TICKER_LIMIT } from '../manifest.js'
import { STREAM_MODE_TO_KITE } from '../mappings.js'
import { UNITS } from '../master/lots.js'
import { type KiteOrder, orderRow, tickerText } from '../wire.js'
import { decodeFrame, type KiteTick, modeFrame, subscriptionFrame } from './tick-codec.js'

/** Kite sends a heartbeat about every second, and its own client gives up a connection after this time. */
const SILENCE_LIMIT_MS = 5000

const MODES: readonly StreamMode[] = [1, 2, 3]

/**
 * Prices and order updates, over up to three connections. Kite sends order updates over each, so only those of the first
 * count. Whichever feed opens first connects it.
 */
export class KiteTicker {
  readonly prices: TickFeed
  readonly orderUpdates: OrderFeed
  readonly #context: BrokerContext
  readonly #feed: PooledFeed<number>
  readonly #redact: (text: string) => string
  #onUpdate: ((order: BrokerOrder) => void) | undefined
  #onUnreadable: (() => void) | undefined

  /** @param orderOf converts a row of the socket to an order */
  constructor(
    context: BrokerContext,
    credentials: KiteCredentials,
    redact: (text: string) => string,
    private readonly orderOf: (row: KiteOrder) => BrokerOrder,
  ) {
    this.#context = context
    this.#redact = redact
    this.#feed = new PooledFeed<number>(context, {
      broker: manifest.displayName,
      sockets: TICKER_CONNECTIONS,
      keysEach: TICKER_LIMIT,
      keyOf: ({ token }) => Number(token),
      connect: (place) => this.#connection(place, credentials),
      begin: request,
      end(socket, subscriptions, why) {
        // A request in another mode replaces the one before.
        if (why === 'gone') socket.send(subscriptionFrame('unsubscribe', tokensOf(subscriptions)))
      },
    })
    this.prices = this.#feed
    this.orderUpdates = {
      open: (onUpdate, onUnreadable) => {
        this.#onUpdate = onUpdate
        this.#onUnreadable = onUnreadable
        return this.#feed.connected()
      },
      state: () => this.#feed.first.state(),
    }
  }

  close(): void {
    this.#feed.close()
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
        onOpen: () => request(socket, this.#feed.at(place)),
        onBinary: (bytes) => this.#onBinary(bytes),
        onText: (text) => {
          if (place === 0) this.#onText(text)
        },
      },
    )
    return socket
  }

  #onBinary(bytes: Uint8Array): void {
    const receivedAt = this.#context.clock.now()
    for (const tick of decodeFrame(bytes)) {
      const subscription = this.#feed.subscription(tick.token)
      if (subscription) this.#feed.tell(toTick(tick, subscription.instrument, receivedAt))
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
    else {
      this.#context.log.warn('zerodha.unreadable_order_update')
      this.#onUnreadable?.()
    }
  }
}

const tokensOf = (subscriptions: readonly Subscription[]) =>
  subscriptions.map(({ instrument }) => Number(instrument.token))

/** Sends subscriptions: one frame for all tokens, then one for each mode in use. */
function request(socket: BrokerSocket, subscriptions: readonly Subscription[]): void {
  if (subscriptions.length === 0) return
  socket.send(subscriptionFrame('subscribe', tokensOf(subscriptions)))
  for (const mode of MODES) {
    const inMode = subscriptions.filter((each) => each.mode === mode)
    if (inMode.length > 0) socket.send(modeFrame(STREAM_MODE_TO_KITE[mode], tokensOf(inMode)))
  }
}

/** Converts a decoded packet to a tick. A layout without a time gets the time of arrival. */
export function toTick(tick: KiteTick, instrument: SymbolRef & { name: string }, receivedAt: number): Tick {
  const timestamp = tick.lastTradeTime || tick.exchangeTime || receivedAt
  return tickOf(UNITS, instrument, { ...tick, prevClose: tick.close }, timestamp)
}
