import type { Instrument } from '../../../instruments/schema.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from '../../../market/schema.js'
import type { BrokerContext, BrokerOrder, OrderFeed, TickFeed } from '../../broker.js'
import { jsonOf } from '../../kit/http/response.js'
import type { KiteCredentials } from '../api.js'
import { notSent } from '../errors.js'
import { depthInUnits, unitsOf } from '../lots.js'
import { TICKER_LIMIT } from '../manifest.js'
import { STREAM_MODE_TO_KITE } from '../mappings.js'
import { instrumentOf } from '../symbols.js'
import { type KiteOrder, orderRow, tickerText } from '../wire.js'
import { decodeFrame, type KiteTick, modeFrame, subscriptionFrame } from './tick-codec.js'
import { TickerSocket } from './ticker-socket.js'

const MODES: readonly StreamMode[] = [1, 2, 3]

interface Subscription {
  token: number
  instrument: Instrument
  mode: StreamMode
}

/** Prices and order updates, which Kite sends over one socket. Whichever feed opens first connects it. */
export class KiteTicker {
  readonly prices: TickFeed
  readonly orderUpdates: OrderFeed
  readonly #context: BrokerContext
  readonly #socket: TickerSocket
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
    this.#socket = new TickerSocket(context, credentials, {
      onOpen: () => this.#request([...this.#byToken.values()]),
      onBinary: (bytes) => this.#onBinary(bytes),
      onText: (text) => this.#onText(text),
    })
    this.prices = {
      open: (onTick) => this.#openPrices(onTick),
      silentMs: () => this.#socket.silentMs(),
      refused: () => this.#socket.refused,
      subscribe: (refs, mode) => this.#subscribe(refs, mode),
      unsubscribe: (refs) => this.#unsubscribe(refs),
    }
    this.orderUpdates = {
      open: (onUpdate) => {
        this.#onUpdate = onUpdate
        return this.#socket.open()
      },
      state: () => this.#socket.state(),
    }
  }

  close(): void {
    this.#socket.close()
  }

  async #openPrices(onTick: (tick: Tick) => void): Promise<void> {
    this.#onTick = onTick
    await (this.#pricesOpened ? this.#socket.reopen() : this.#socket.open())
    this.#pricesOpened = true
  }

  /**
   * Subscribes symbols. On an error nothing changes.
   * @throws BrokerError `validation` for an unknown symbol, `unsupported` above Kite's limit
   */
  #subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    const wanted = refs.map((ref): Subscription => {
      const instrument = instrumentOf(this.#context, ref)
      return { token: Number(instrument.token), instrument, mode }
    })
    const added = new Set(wanted.map(({ token }) => token).filter((token) => !this.#byToken.has(token)))
    if (this.#byToken.size + added.size > TICKER_LIMIT) {
      throw notSent('unsupported', `Zerodha streams at most ${TICKER_LIMIT} instruments on one connection.`)
    }
    for (const subscription of wanted) {
      this.#byToken.set(subscription.token, subscription)
      this.#bySymbol.set(symbolKey(subscription.instrument), subscription)
    }
    this.#request(wanted)
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
    if (tokens.length > 0) this.#socket.send(subscriptionFrame('unsubscribe', tokens))
  }

  /** Sends subscriptions: one frame for all tokens, then one for each mode in use. */
  #request(subscriptions: readonly Subscription[]): void {
    if (subscriptions.length === 0) return
    const tokens = subscriptions.map(({ token }) => token)
    this.#socket.send(subscriptionFrame('subscribe', tokens))
    for (const mode of MODES) {
      const inMode = subscriptions
        .filter((subscription) => subscription.mode === mode)
        .map(({ token }) => token)
      if (inMode.length > 0) this.#socket.send(modeFrame(STREAM_MODE_TO_KITE[mode], inMode))
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
  const units = (count: number) => unitsOf(instrument, count)
  const depth = tick.depth && depthInUnits(instrument, tick.depth)
  const bid = depth?.buy[0]
  const ask = depth?.sell[0]
  return {
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    ltp: tick.ltp,
    bid: bid?.price ?? 0,
    ask: ask?.price ?? 0,
    bidSize: bid?.quantity ?? 0,
    askSize: ask?.quantity ?? 0,
    open: tick.open,
    high: tick.high,
    low: tick.low,
    prevClose: tick.close,
    volume: units(tick.volume),
    oi: units(tick.oi),
    timestamp: tick.lastTradeTime || tick.exchangeTime || receivedAt,
    lastQuantity: units(tick.lastQuantity),
    averagePrice: tick.averagePrice,
    totalBuyQuantity: units(tick.totalBuyQuantity),
    totalSellQuantity: units(tick.totalSellQuantity),
    ...(depth && { depth }),
  }
}
