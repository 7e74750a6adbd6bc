import { asObject, type Json } from './json.js'
import { messagesOf, StreamError } from './socket.js'

/** The data of each tick: the last price, the quote, or the order book as well. */
export type TickMode = 'ltp' | 'quote' | 'depth'

export interface MarketOptions {
  symbols: readonly { symbol: string; exchange: string }[]
  mode?: TickMode
  signal?: AbortSignal
}

/** A price frame. `data` has the members of its mode. */
export interface MarketFrame {
  symbol: string
  exchange: string
  mode: number
  data: Json
}

const MODES: Readonly<Record<TickMode, number>> = { ltp: 1, quote: 2, depth: 3 }
const UNAUTHENTICATED = 4401
const REFUSALS = new Map([
  [UNAUTHENTICATED, 'The daemon closed the market stream: the API key is no longer valid.'],
])

/**
 * Yields the live prices of one connection, until it ends.
 * @throws StreamError when the key or a symbol is refused; else as {@link messagesOf}
 */
export async function* followMarket(
  base: string,
  apikey: string,
  { symbols, mode = 'quote', signal }: MarketOptions,
): AsyncGenerator<MarketFrame> {
  const url = new URL('/ws', base.replace(/^http/, 'ws'))
  const messages = messagesOf(url, {
    signal,
    refusals: REFUSALS,
    onOpen: (socket) => {
      socket.send(JSON.stringify({ action: 'authenticate', api_key: apikey }))
      socket.send(JSON.stringify({ action: 'subscribe', symbols, mode: MODES[mode] }))
    },
  })
  for await (const message of messages) {
    if (message.type === 'market_data') yield priceOf(message)
    else refuse(message)
  }
}

function priceOf({ symbol, exchange, mode, data }: Json): MarketFrame {
  return {
    symbol: String(symbol),
    exchange: String(exchange),
    mode: Number(mode),
    data: asObject(data) ?? {},
  }
}

/** Throws for a refused key or symbol: no prices will arrive, so the caller must not wait for them. */
function refuse(message: Json): void {
  if (message.type === 'error') {
    throw new StreamError(
      String(message.message),
      message.code === 'AUTHENTICATION_ERROR' ? UNAUTHENTICATED : 400,
    )
  }
  if (message.type !== 'subscribe' || !Array.isArray(message.subscriptions)) return
  for (const entry of message.subscriptions) {
    if (entry?.status === 'error') throw new StreamError(String(entry.message), 404)
  }
}
