import { BrokerError } from '../../broker.js'

/** In India no share and no contract has had so much of a day's volume, of open interest or of waiting orders. */
const LARGEST_SUM = 4_000_000_000

/**
 * Reads numbers and texts of a binary frame at given offsets. Every read is checked: a frame that is too short is an error,
 * never a number that was not sent.
 */
export class FrameReader {
  readonly length: number
  readonly #view: DataView
  readonly #isLittle: boolean

  constructor(bytes: Uint8Array, order: 'big' | 'little') {
    this.length = bytes.byteLength
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#isLittle = order === 'little'
  }

  /** Returns whether so many bytes lie at an offset. */
  has(offset: number, bytes: number): boolean {
    return offset >= 0 && bytes >= 0 && offset + bytes <= this.length
  }

  /** Returns a reader of a part of the frame. @throws BrokerError `protocol` if the part does not lie in it */
  part(offset: number, bytes: number): FrameReader {
    const start = this.#view.byteOffset + this.#at(offset, bytes)
    return new FrameReader(new Uint8Array(this.#view.buffer, start, bytes), this.#isLittle ? 'little' : 'big')
  }

  u8(offset: number): number {
    return this.#view.getUint8(this.#at(offset, 1))
  }

  u16(offset: number): number {
    return this.#view.getUint16(this.#at(offset, 2), this.#isLittle)
  }

  u32(offset: number): number {
    return this.#view.getUint32(this.#at(offset, 4), this.#isLittle)
  }

  /**
   * Returns a sum of quantities, which has no sign: that of a cheap share passes 31 bits. A sum that no exchange reaches in a day
   * is a number below zero that the sender wrote with one, such as -1 for none, and is returned as that.
   */
  sum32(offset: number): number {
    const value = this.u32(offset)
    return value > LARGEST_SUM ? value - 2 ** 32 : value
  }

  i32(offset: number): number {
    return this.#view.getInt32(this.#at(offset, 4), this.#isLittle)
  }

  /** Returns a whole number of 64 bits. @throws BrokerError `protocol` also if a number cannot hold it exactly */
  i64(offset: number): number {
    const value = Number(this.#view.getBigInt64(this.#at(offset, 8), this.#isLittle))
    if (!Number.isSafeInteger(value)) throw unreadableFrame(`the number at ${offset} is too large`)
    return value
  }

  /** @throws BrokerError `protocol` also if it is no number, or infinite */
  f32(offset: number): number {
    return finite(this.#view.getFloat32(this.#at(offset, 4), this.#isLittle), offset)
  }

  /** @throws BrokerError `protocol` also if it is no number, or infinite */
  f64(offset: number): number {
    return finite(this.#view.getFloat64(this.#at(offset, 8), this.#isLittle), offset)
  }

  /** Returns the text of a field of so many bytes; a zero byte ends it. */
  text(offset: number, bytes: number): string {
    const field = new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#at(offset, bytes), bytes)
    const end = field.indexOf(0)
    return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
  }

  #at(offset: number, bytes: number): number {
    if (!this.has(offset, bytes)) throw unreadableFrame(`it has no ${bytes} bytes at ${offset}`)
    return offset
  }
}

/** An infinite price is above every limit, so it would fire stops and fill orders. */
function finite(value: number, offset: number): number {
  if (Number.isFinite(value)) return value
  throw unreadableFrame(`the value at ${offset} is no number`)
}

function unreadableFrame(what: string): BrokerError {
  return new BrokerError('protocol', `A frame of the price feed cannot be read: ${what}.`, { sent: 'yes' })
}
