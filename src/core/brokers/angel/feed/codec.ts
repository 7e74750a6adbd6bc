import type { Depth, DepthLevel } from '../../../market/schema.js'
import { FrameReader } from '../../kit/frames/frame-reader.js'
import { type OnUnreadable, packetRead } from '../../kit/frames/unreadable-frames.js'

/*
 * The packets of SmartStream, little-endian. Prices are whole numbers of the smallest part, quantities are what Angel counts.
 */

/** A packet of one instrument. Members that its mode lacks are absent. */
export interface AngelTick {
  /** The exchange as the feed numbers it. */
  exchange: number
  token: string
  /** Epoch milliseconds. */
  exchangeTime: number
  ltp: number
  day?: AngelDay
  full?: AngelFull
}

/** The members of the day, in the modes quote and snap quote. */
export interface AngelDay {
  lastQuantity: number
  averagePrice: number
  volume: number
  totalBuyQuantity: number
  totalSellQuantity: number
  open: number
  high: number
  low: number
  /** The close of the session before. */
  close: number
}

/** The members that only a snap quote has. */
export interface AngelFull {
  oi: number
  depth: Depth
}

/** The bytes of a packet of each mode: last price, quote, snap quote, depth of 20. */
const LENGTHS: Readonly<Record<number, number>> = { 1: 51, 2: 123, 3: 379, 4: 443 }
const QUOTE = 2
const SNAP = 3
const DEPTH_20 = 4

const TOKEN_BYTES = 25
const CURRENCY_EXCHANGE = 13
const BEST_FIVE_AT = 147
const LEVELS = 10
const LEVEL_BYTES = 20

/** Decodes the packets of a message. One that cannot be read, or is cut off at its end, is dropped, and the others count. */
export function decodeTicks(bytes: Uint8Array, onUnreadable: OnUnreadable = () => undefined): AngelTick[] {
  const message = new FrameReader(bytes, 'little')
  const ticks: AngelTick[] = []
  for (let at = 0; message.has(at, 1); ) {
    const mode = message.u8(at)
    const length = LENGTHS[mode]
    if (length === undefined || !message.has(at, length)) break
    const packet = message.part(at, length)
    const tick = mode === DEPTH_20 ? undefined : packetRead(() => tickOf(packet, mode), onUnreadable)
    if (tick) ticks.push(tick)
    at += length
  }
  return ticks
}

function tickOf(packet: FrameReader, mode: number): AngelTick {
  const exchange = packet.u8(1)
  const divisor = exchange === CURRENCY_EXCHANGE ? 10_000_000 : 100
  const price = (offset: number) => packet.i64(offset) / divisor
  const ltp = price(43)
  const tick: AngelTick = {
    exchange,
    token: packet.text(2, TOKEN_BYTES),
    exchangeTime: packet.i64(35),
    ltp,
  }
  if (mode < QUOTE) return tick
  const day: AngelDay = {
    lastQuantity: packet.i64(51),
    averagePrice: price(59),
    volume: packet.i64(67),
    totalBuyQuantity: packet.f64(75),
    totalSellQuantity: packet.f64(83),
    open: price(91),
    high: price(99),
    low: price(107),
    close: price(115),
  }
  if (mode < SNAP) return { ...tick, day }
  const levels = Array.from({ length: LEVELS }, (_, place) => {
    const start = BEST_FIVE_AT + place * LEVEL_BYTES
    return {
      flag: packet.u16(start),
      level: { quantity: packet.i64(start + 2), price: price(start + 10), orders: packet.u16(start + 18) },
    }
  })
  return { ...tick, day, full: { oi: packet.i64(131), depth: depthOf(levels, ltp, day) } }
}

interface FlaggedLevel {
  flag: number
  level: DepthLevel
}

/**
 * Returns the order book of ten levels in two groups. Angel's documentation and its own client disagree on which flag means
 * buyers, so the flag only tells the groups apart: the one with the lower prices is the bid.
 */
function depthOf(levels: readonly FlaggedLevel[], ltp: number, day: AngelDay): Depth {
  const hasFlags = new Set(levels.map(({ flag }) => flag)).size === 2
  const isFirst = ({ flag }: FlaggedLevel, place: number) =>
    hasFlags ? flag === levels[0]?.flag : place < LEVELS / 2
  const priced = (group: readonly FlaggedLevel[]) =>
    group.map(({ level }) => level).filter(({ price }) => price > 0)
  const first = priced(levels.filter(isFirst))
  const second = priced(levels.filter((each, place) => !isFirst(each, place)))
  const isFirstBid =
    first.length > 0 && second.length > 0
      ? highest(first) < highest(second)
      : first.length > 0 === isAloneBid([...first, ...second], ltp, day)
  const [bids, asks] = isFirstBid ? [first, second] : [second, first]
  return {
    buy: bids.sort((a, b) => b.price - a.price),
    sell: asks.sort((a, b) => a.price - b.price),
  }
}

function highest(levels: readonly DepthLevel[]): number {
  return Math.max(...levels.map(({ price }) => price))
}

/** Returns whether the only side of a book is the bid, as at the upper limit of a price, where nobody sells. */
function isAloneBid(
  levels: readonly DepthLevel[],
  ltp: number,
  { totalBuyQuantity, totalSellQuantity }: AngelDay,
): boolean {
  if (totalBuyQuantity > 0 !== totalSellQuantity > 0) return totalBuyQuantity > 0
  return levels.length > 0 && highest(levels) <= ltp
}
