import type { WebSocket } from 'ws'
import { StreamError } from './errors.js'
import type { Trust } from './transport/agents.js'
import { asObject, type Json } from './transport/json.js'
import { messagesOf } from './transport/socket.js'

/** The data of each tick: the last price, the quote, or the order book as well. */
export type TickMode = 'ltp' | 'quote' | 'depth'

/** A symbol of an exchange, as the market stream names it. */
export interface StreamSymbol {
  symbol: string
  exchange: string
}

/** Chooses the symbols of a connection. */
export interface MarketFollowing {
  follow(symbols: readonly StreamSymbol[], mode: TickMode): void
  /** Ends the ticks of symbols in one mode; those in other modes go on. */
  unfollow(symbols: readonly StreamSymbol[], mode: TickMode): void
}

export interface MarketOptions {
  /** The symbols from the start. */
  symbols?: readonly StreamSymbol[]
  /** The data of their ticks; by default the quote. */
  mode?: TickMode
  /** Called when the connection is open, with the way to follow more symbols. */
  onOpen?(following: MarketFollowing): void
  /** Called for each symbol without prices, with the reason. Without it, such a symbol ends the stream. */
  onRefused?(symbol: StreamSymbol, reason: string): void
  signal?: AbortSignal
  /** How the daemon must prove who it is. */
  trust?: Trust | undefined
}

/** A price frame. `data` has the members of its mode. */
export interface MarketFrame extends StreamSymbol {
  mode: number
  /** The broker whose price it is. */
  broker: string
  data: Json
}

const MODES: Readonly<Record<TickMode, number>> = { ltp: 1, quote: 2, depth: 3 }
const UNAUTHENTICATED = 4401
const REFUSALS = new Map([
  [UNAUTHENTICATED, 'The daemon closed the market stream: the API key is no longer valid.'],
])

/**
 * Yields the live prices of one connection, until it ends.
 * @throws StreamError when the key is refused, or a symbol without `onRefused`; else as {@link messagesOf}
 */
export async function* followMarket(
  base: string,
  apikey: string,
  { symbols = [], mode = 'quote', onOpen, onRefused, signal, trust }: MarketOptions,
): AsyncGenerator<MarketFrame> {
  const url = new URL('/ws', base.replace(/^http/, 'ws'))
  const messages = messagesOf(url, {
    signal,
    trust,
    refusals: REFUSALS,
    onOpen: (socket) => {
      socket.send(JSON.stringify({ action: 'authenticate', api_key: apikey }))
      const following = followingOn(socket)
      following.follow(symbols, mode)
      onOpen?.(following)
    },
  })
  for await (const message of messages) {
    if (message.type === 'market_data') yield priceOf(message)
    else refuse(message, onRefused ?? endStream)
  }
}

function followingOn(socket: WebSocket): MarketFollowing {
  const send = (action: string) => (symbols: readonly StreamSymbol[], mode: TickMode) => {
    if (symbols.length > 0) socket.send(JSON.stringify({ action, symbols, mode: MODES[mode] }))
  }
  return { follow: send('subscribe'), unfollow: send('unsubscribe') }
}

function priceOf({ broker, symbol, exchange, mode, data }: Json): MarketFrame {
  return {
    symbol: String(symbol),
    exchange: String(exchange),
    mode: Number(mode),
    broker: String(broker),
    data: asObject(data) ?? {},
  }
}

/** Throws for a refused key: no prices will arrive, so the caller must not wait for them. */
function refuse(message: Json, onRefused: NonNullable<MarketOptions['onRefused']>): void {
  if (message.type === 'error') {
    throw new StreamError(
      String(message.message),
      message.code === 'AUTHENTICATION_ERROR' ? UNAUTHENTICATED : 400,
    )
  }
  if (message.type !== 'subscribe' || !Array.isArray(message.subscriptions)) return
  for (const entry of message.subscriptions) {
    if (entry?.status !== 'error') continue
    onRefused({ symbol: String(entry.symbol), exchange: String(entry.exchange) }, String(entry.message))
  }
}

function endStream(_symbol: StreamSymbol, reason: string): never {
  throw new StreamError(reason, 404)
}
