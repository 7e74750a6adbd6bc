import { DERIVATIVE_EXCHANGES } from '../../../core/instruments/index.js'
import type { DepthLevel, StreamMode, Tick } from '../../../core/market/index.js'

/** The form of a subscription on the wire. */
export interface TickView {
  /** As the client spelled it, a depth suffix included. */
  symbol: string
  mode: StreamMode
  /** Levels of the order book, each side. */
  levels: number
}

/** Returns whether a tick carries any data: a price, or an order book without a price. */
export function isUsable({ ltp, depth }: Tick): boolean {
  return ltp > 0 || (depth !== undefined && depth.buy.length + depth.sell.length > 0)
}

/** The members of a frame that its tick does not give. */
interface FrameFacts {
  broker: string
  /** How long ago the tick came; left out for a new one. */
  ageMs?: number | undefined
}

/** Returns the frame of a tick, as JSON (docs/websocket.md). Times are epoch milliseconds. */
export function tickFrame(
  tick: Tick,
  { symbol, mode, levels }: TickView,
  { ageMs, broker }: FrameFacts,
): string {
  const { exchange } = tick
  const data = {
    symbol,
    exchange,
    mode,
    ltp: tick.ltp,
    ltt: tick.timestamp,
    timestamp: tick.timestamp,
    ...(ageMs !== undefined && { age_ms: ageMs }),
    ...(mode > 1 && quoteFields(tick)),
    ...(mode === 3 && depthFields(tick, levels)),
  }
  return JSON.stringify({ type: 'market_data', symbol, exchange, mode, broker, data })
}

function quoteFields(tick: Tick) {
  const change = tick.prevClose > 0 ? tick.ltp - tick.prevClose : 0
  return {
    open: tick.open,
    high: tick.high,
    low: tick.low,
    close: tick.prevClose,
    volume: tick.volume,
    ...((tick.oi > 0 || DERIVATIVE_EXCHANGES.has(tick.exchange)) && { oi: tick.oi, open_interest: tick.oi }),
    last_trade_quantity: tick.lastQuantity,
    last_quantity: tick.lastQuantity,
    avg_trade_price: tick.averagePrice,
    average_price: tick.averagePrice,
    total_buy_quantity: tick.totalBuyQuantity,
    total_sell_quantity: tick.totalSellQuantity,
    change: rounded(change, 10_000),
    change_percent: tick.prevClose > 0 ? rounded((change / tick.prevClose) * 100, 100) : 0,
    bid_price: tick.bid,
    ask_price: tick.ask,
    bid_size: tick.bidSize,
    ask_size: tick.askSize,
  }
}

function depthFields(tick: Tick, levels: number) {
  const side = (all: readonly DepthLevel[] = []) => all.slice(0, levels)
  return {
    totalbuyqty: tick.totalBuyQuantity,
    totalsellqty: tick.totalSellQuantity,
    depth: { buy: side(tick.depth?.buy), sell: side(tick.depth?.sell) },
  }
}

const rounded = (value: number, unit: number): number => Math.round(value * unit) / unit

/** Returns an error frame. An error frame does not close the connection. */
export function errorFrame(code: string, message: string) {
  return { type: 'error', status: 'error', code, message }
}
