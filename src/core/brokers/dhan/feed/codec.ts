import type { Depth, DepthLevel } from '../../../market/schema.js'
import type { TickPart } from '../../kit/feed/tick-merger.js'
import { FrameReader } from '../../kit/frames/frame-reader.js'
import { type OnUnreadable, packetRead } from '../../kit/frames/unreadable-frames.js'

/*
 * The binary messages of Dhan's feed, little-endian: packets one after the other, each with its code, its whole length, and the
 * segment and id of its instrument. Prices are floats of 32 bits; quantities are what Dhan counts.
 */

const HEAD_BYTES = 8
const DEPTH_LEVELS = 5
const LEVEL_BYTES = 20
const DISCONNECT = 50

/** What a packet tells: of an instrument, or why the server ends the connection. */
export type FeedPacket =
  | { kind: 'part'; segment: number; securityId: number; part: TickPart }
  | { kind: 'disconnect'; reason: number }

interface Layout {
  /** Counts where the header has no length. */
  bytes: number
  read(packet: FrameReader): TickPart
}

/** Epoch seconds of the last trade become milliseconds; a packet without one has none. */
const timeAt = (packet: FrameReader, at: number) => {
  const seconds = packet.u32(at)
  return seconds === 0 ? {} : { timestamp: seconds * 1000 }
}

/** The values that quote and full packets begin with. */
const traded = (packet: FrameReader): TickPart => ({
  ltp: packet.f32(8),
  lastQuantity: packet.u16(12),
  ...timeAt(packet, 14),
  averagePrice: packet.f32(18),
  volume: packet.sum32(22),
  totalSellQuantity: packet.sum32(26),
  totalBuyQuantity: packet.sum32(30),
})

/**
 * The layout of each code. The close of quote and full packets is that of the day, and 0 before it ends, so it is not read: the
 * previous close has a packet of its own, once after a subscription. Open interest of mode 2 has one, too.
 */
const LAYOUTS: Readonly<Record<number, Layout>> = {
  2: { bytes: 16, read: (packet) => ({ ltp: packet.f32(8), ...timeAt(packet, 12) }) },
  4: {
    bytes: 50,
    read: (packet) => ({
      ...traded(packet),
      open: packet.f32(34),
      high: packet.f32(42),
      low: packet.f32(46),
    }),
  },
  5: { bytes: 12, read: (packet) => ({ oi: packet.sum32(8) }) },
  6: { bytes: 16, read: (packet) => ({ prevClose: packet.f32(8) }) },
  // The state of the market tells nothing of an instrument.
  7: { bytes: 8, read: () => ({}) },
  8: {
    bytes: 162,
    read: (packet) => ({
      ...traded(packet),
      oi: packet.sum32(34),
      open: packet.f32(46),
      high: packet.f32(54),
      low: packet.f32(58),
      depth: depthOf(packet.part(62, DEPTH_LEVELS * LEVEL_BYTES)),
    }),
  },
}
const DISCONNECT_BYTES = 10

/**
 * Decodes the packets of a message. One that cannot be read, or is cut off at its end, is dropped, and the others count. A packet
 * of an unknown code is skipped by its length.
 */
export function decoded(bytes: Uint8Array, onUnreadable: OnUnreadable = () => undefined): FeedPacket[] {
  const frame = new FrameReader(bytes, 'little')
  const packets: FeedPacket[] = []
  for (let at = 0; frame.has(at, HEAD_BYTES); ) {
    const code = frame.u8(at)
    const layout = LAYOUTS[code]
    const expected = layout?.bytes ?? (code === DISCONNECT ? DISCONNECT_BYTES : HEAD_BYTES)
    const length = frame.u16(at + 1) || expected
    if (length < HEAD_BYTES || !frame.has(at, length)) break
    if (length >= expected) {
      const packet = frame.part(at, length)
      if (code === DISCONNECT) packets.push({ kind: 'disconnect', reason: packet.u16(8) })
      else if (layout) {
        const [segment, securityId] = [packet.u8(3), packet.u32(4)]
        const part = packetRead(() => layout.read(packet), onUnreadable)
        if (part) packets.push({ kind: 'part', segment, securityId, part })
      }
    }
    at += length
  }
  return packets
}

/** Each level has both sides: the quantities, the numbers of orders, then the prices. */
function depthOf(levels: FrameReader): Depth {
  const side = (quantity: number, orders: number, price: number): DepthLevel[] =>
    Array.from({ length: DEPTH_LEVELS }, (_, place) => {
      const at = place * LEVEL_BYTES
      return {
        price: levels.f32(at + price),
        quantity: levels.sum32(at + quantity),
        orders: levels.u16(at + orders),
      }
    })
  return { buy: side(0, 8, 12), sell: side(4, 10, 16) }
}

/** Names an instrument in a subscription. */
export interface FeedInstrument {
  ExchangeSegment: string
  SecurityId: string
}

/** Returns the message that begins or ends a subscription. */
export function subscriptionFrame(code: number, instruments: readonly FeedInstrument[]): string {
  return JSON.stringify({
    RequestCode: code,
    InstrumentCount: instruments.length,
    InstrumentList: instruments,
  })
}
