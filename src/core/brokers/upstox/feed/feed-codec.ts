import type { Depth, DepthLevel } from '../../../market/schema.js'
import { ProtobufReader } from '../../kit/frames/protobuf-reader.js'
import { type OnUnreadable, packetRead } from '../../kit/frames/unreadable-frames.js'
import type { WireMode } from '../mappings.js'

/*
 * The frames of Upstox's price feed, version 3: protocol buffers of the package
 * com.upstox.marketdatafeederv3udapi.rpc.proto. The numbers are those of its fields. A frame has the instruments that changed,
 * each whole; a value that is left out is 0.
 */

/** What a frame tells of one instrument, in the broker's count. */
export interface UpstoxTick {
  key: string
  ltp: number
  /** Epoch milliseconds. */
  lastTradeTime: number
  lastQuantity: number
  /** Of the previous session. */
  close: number
  open: number
  high: number
  low: number
  averagePrice: number
  volume: number
  oi: number
  totalBuyQuantity: number
  totalSellQuantity: number
  /** Undefined where the mode has none. */
  depth: Depth | undefined
}

/** The bar in a feed that has the prices of the day. */
const DAY_BAR = '1d'

/**
 * Yields the instruments of a frame. One with a status of markets has none. An instrument that cannot be read is left out.
 * @throws BrokerError `protocol` where the frame itself cannot be read; what was before it has been yielded
 */
export function* ticksIn(
  bytes: Uint8Array,
  onUnreadable: OnUnreadable = () => undefined,
): Generator<UpstoxTick> {
  const frame = new ProtobufReader(bytes)
  for (let field = frame.next(); field !== undefined; field = frame.next()) {
    if (field !== 2) continue
    const entry = frame.message()
    const tick = packetRead(() => entryIn(entry), onUnreadable)
    if (tick && tick.key !== '' && tick.ltp > 0) yield tick
  }
}

/** Returns a frame of the client: JSON, sent as bytes. */
export function requestFrame(
  guid: string,
  method: 'sub' | 'unsub' | 'change_mode',
  data: { mode: WireMode; instrumentKeys: readonly string[] },
): Uint8Array {
  return Buffer.from(JSON.stringify({ guid, method, data }))
}

/** An entry of `feeds`: 1 the key, 2 the feed. */
function entryIn(entry: ProtobufReader): UpstoxTick {
  const tick: UpstoxTick = {
    ...{ key: '', ltp: 0, lastTradeTime: 0, lastQuantity: 0, close: 0, open: 0, high: 0, low: 0 },
    ...{ averagePrice: 0, volume: 0, oi: 0, totalBuyQuantity: 0, totalSellQuantity: 0 },
    depth: undefined,
  }
  for (let field = entry.next(); field !== undefined; field = entry.next()) {
    if (field === 1) tick.key = entry.text()
    else if (field === 2) readFeed(entry.message(), tick)
  }
  return tick
}

/** Feed: 1 LTPC, 2 FullFeed. */
function readFeed(feed: ProtobufReader, tick: UpstoxTick): void {
  for (let field = feed.next(); field !== undefined; field = feed.next()) {
    if (field === 1) readLastPrice(feed.message(), tick)
    else if (field === 2) readFullFeed(feed.message(), tick)
  }
}

/** FullFeed: 1 MarketFullFeed, 2 IndexFullFeed. */
function readFullFeed(full: ProtobufReader, tick: UpstoxTick): void {
  for (let field = full.next(); field !== undefined; field = full.next()) {
    if (field === 1) readMarket(full.message(), tick)
    else if (field === 2) readIndex(full.message(), tick)
  }
}

/** LTPC: 1 last price, 2 time, 3 quantity, 4 previous close. */
function readLastPrice(ltpc: ProtobufReader, tick: UpstoxTick): void {
  for (let field = ltpc.next(); field !== undefined; field = ltpc.next()) {
    if (field === 1) tick.ltp = ltpc.double()
    else if (field === 2) tick.lastTradeTime = ltpc.int()
    else if (field === 3) tick.lastQuantity = ltpc.int()
    else if (field === 4) tick.close = ltpc.double()
  }
}

/** MarketFullFeed: 1 LTPC, 2 depth, 4 bars, 5 average price, 6 volume, 7 open interest, 9 and 10 totals. */
function readMarket(market: ProtobufReader, tick: UpstoxTick): void {
  for (let field = market.next(); field !== undefined; field = market.next()) {
    if (field === 1) readLastPrice(market.message(), tick)
    else if (field === 2) tick.depth = depthIn(market.message())
    else if (field === 4) readBars(market.message(), tick)
    else if (field === 5) tick.averagePrice = market.double()
    else if (field === 6) tick.volume = market.int()
    else if (field === 7) tick.oi = market.double()
    else if (field === 9) tick.totalBuyQuantity = market.double()
    else if (field === 10) tick.totalSellQuantity = market.double()
  }
}

/** IndexFullFeed: 1 LTPC, 2 bars. */
function readIndex(index: ProtobufReader, tick: UpstoxTick): void {
  for (let field = index.next(); field !== undefined; field = index.next()) {
    if (field === 1) readLastPrice(index.message(), tick)
    else if (field === 2) readBars(index.message(), tick)
  }
}

/** MarketLevel: 1 the levels, each with both sides, without the numbers of orders. Empty ones fill it up. */
function depthIn(market: ProtobufReader): Depth {
  const buy: DepthLevel[] = []
  const sell: DepthLevel[] = []
  for (let field = market.next(); field !== undefined; field = market.next()) {
    if (field !== 1) continue
    const { ask, askQuantity, bid, bidQuantity } = levelIn(market.message())
    if (bid > 0) buy.push({ price: bid, quantity: bidQuantity, orders: 0 })
    if (ask > 0) sell.push({ price: ask, quantity: askQuantity, orders: 0 })
  }
  return { buy, sell }
}

/** Quote: 1 and 2 quantity and price of the bid, 3 and 4 of the ask. */
function levelIn(quote: ProtobufReader) {
  const level = { bidQuantity: 0, bid: 0, askQuantity: 0, ask: 0 }
  for (let field = quote.next(); field !== undefined; field = quote.next()) {
    if (field === 1) level.bidQuantity = quote.int()
    else if (field === 2) level.bid = quote.double()
    else if (field === 3) level.askQuantity = quote.int()
    else if (field === 4) level.ask = quote.double()
  }
  return level
}

/** MarketOHLC: 1 the bars, of which the one of the day counts. */
function readBars(bars: ProtobufReader, tick: UpstoxTick): void {
  for (let field = bars.next(); field !== undefined; field = bars.next()) {
    if (field !== 1) continue
    const { interval, ...prices } = barIn(bars.message())
    if (interval === DAY_BAR) Object.assign(tick, prices)
  }
}

/** OHLC: 1 interval, 2 open, 3 high, 4 low. */
function barIn(bar: ProtobufReader) {
  const read = { interval: '', open: 0, high: 0, low: 0 }
  for (let field = bar.next(); field !== undefined; field = bar.next()) {
    if (field === 1) read.interval = bar.text()
    else if (field === 2) read.open = bar.double()
    else if (field === 3) read.high = bar.double()
    else if (field === 4) read.low = bar.double()
  }
  return read
}
