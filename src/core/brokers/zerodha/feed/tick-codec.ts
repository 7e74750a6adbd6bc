import type { Depth, DepthLevel } from '../../../market/schema.js'
import { FrameReader } from '../../kit/frames/frame-reader.js'

/*
 * The binary frames of Kite's ticker: big-endian, a count of packets, then each packet after its length. The
 * length of a packet determines its layout. The low byte of its token is the segment, which determines the
 * price divisor.
 */

/** One packet, with prices in rupees, as it was sent: what is below zero cannot be true. Fields that its layout lacks are 0. */
export interface KiteTick {
  token: number
  ltp: number
  lastQuantity: number
  averagePrice: number
  volume: number
  totalBuyQuantity: number
  totalSellQuantity: number
  open: number
  high: number
  low: number
  /** Previous session's close. */
  close: number
  oi: number
  oiDayHigh: number
  oiDayLow: number
  /** Epoch milliseconds; 0 if the layout has none. */
  lastTradeTime: number
  exchangeTime: number
  depth: Depth | undefined
}

type Field = Exclude<keyof KiteTick, 'token' | 'depth'>
/** A count is that of one order, and has a sign; a sum is that of a day or of all orders. */
type Unit = 'price' | 'count' | 'sum' | 'time'

/** The position of each field in a packet, and its unit. */
type Layout = readonly (readonly [field: Field, offset: number, unit: Unit])[]

const LTP: Layout = [['ltp', 4, 'price']]

const INDEX_QUOTE: Layout = [
  ...LTP,
  ['high', 8, 'price'],
  ['low', 12, 'price'],
  ['open', 16, 'price'],
  ['close', 20, 'price'],
]

const INDEX_FULL: Layout = [...INDEX_QUOTE, ['exchangeTime', 28, 'time']]

const QUOTE: Layout = [
  ...LTP,
  ['lastQuantity', 8, 'count'],
  ['averagePrice', 12, 'price'],
  ['volume', 16, 'sum'],
  ['totalBuyQuantity', 20, 'sum'],
  ['totalSellQuantity', 24, 'sum'],
  ['open', 28, 'price'],
  ['high', 32, 'price'],
  ['low', 36, 'price'],
  ['close', 40, 'price'],
]

const FULL: Layout = [
  ...QUOTE,
  ['lastTradeTime', 44, 'time'],
  ['oi', 48, 'sum'],
  ['oiDayHigh', 52, 'sum'],
  ['oiDayLow', 56, 'sum'],
  ['exchangeTime', 60, 'time'],
]

/** Layouts by packet length. */
const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [8, LTP],
  [28, INDEX_QUOTE],
  [32, INDEX_FULL],
  [44, QUOTE],
  [184, FULL],
])

const FULL_LENGTH = 184
const DEPTH_OFFSET = 64
const DEPTH_LEVELS = 5
const LEVEL_BYTES = 12

/** Currencies have seven decimals at NSE and four at BSE; all other prices are in paise. */
const DIVISOR_BY_SEGMENT: ReadonlyMap<number, number> = new Map([
  [3, 10_000_000],
  [6, 10_000],
])

/** Returns the price divisor of a token. Prices are sent as whole numbers of 1/divisor rupees. */
export function divisorOf(token: number): number {
  return DIVISOR_BY_SEGMENT.get(token & 0xff) ?? 100
}

/**
 * Decodes the ticks of one binary frame. A frame of less than two bytes is a heartbeat. A packet of unknown
 * length is skipped. A truncated frame yields the packets before the break.
 */
export function decodeFrame(bytes: Uint8Array): KiteTick[] {
  const frame = new FrameReader(bytes, 'big')
  if (!frame.has(0, 2)) return []
  const ticks: KiteTick[] = []
  let offset = 2
  for (let left = frame.u16(0); left > 0 && frame.has(offset, 2); left--) {
    const length = frame.u16(offset)
    offset += 2
    if (!frame.has(offset, length)) break
    const layout = LAYOUTS.get(length)
    if (layout) ticks.push(decodePacket(frame.part(offset, length), layout))
    offset += length
  }
  return ticks
}

function decodePacket(packet: FrameReader, layout: Layout): KiteTick {
  const token = packet.u32(0)
  const divisor = divisorOf(token)
  const tick: KiteTick = { ...BLANK, token }
  for (const [field, offset, unit] of layout) {
    if (unit === 'price') tick[field] = packet.i32(offset) / divisor
    else if (unit === 'count') tick[field] = packet.i32(offset)
    else if (unit === 'sum') tick[field] = packet.sum32(offset)
    // A time that cannot be is none.
    else tick[field] = Math.max(0, packet.sum32(offset)) * 1000
  }
  if (packet.length === FULL_LENGTH) {
    tick.depth = { buy: levels(packet, 0, divisor), sell: levels(packet, DEPTH_LEVELS, divisor) }
  }
  return tick
}

function levels(packet: FrameReader, first: number, divisor: number): DepthLevel[] {
  return Array.from({ length: DEPTH_LEVELS }, (_, index) => {
    const at = DEPTH_OFFSET + (first + index) * LEVEL_BYTES
    return { quantity: packet.i32(at), price: packet.i32(at + 4) / divisor, orders: packet.u16(at + 8) }
  })
}

const BLANK: KiteTick = {
  token: 0,
  ltp: 0,
  lastQuantity: 0,
  averagePrice: 0,
  volume: 0,
  totalBuyQuantity: 0,
  totalSellQuantity: 0,
  open: 0,
  high: 0,
  low: 0,
  close: 0,
  oi: 0,
  oiDayHigh: 0,
  oiDayLow: 0,
  lastTradeTime: 0,
  exchangeTime: 0,
  depth: undefined,
}

/** Returns the frame that subscribes or unsubscribes tokens. */
export function subscriptionFrame(action: 'subscribe' | 'unsubscribe', tokens: readonly number[]): string {
  return JSON.stringify({ a: action, v: tokens })
}

/** Returns the frame that sets the mode (the amount of data) of subscribed tokens. */
export function modeFrame(mode: 'ltp' | 'quote' | 'full', tokens: readonly number[]): string {
  return JSON.stringify({ a: 'mode', v: [mode, tokens] })
}
