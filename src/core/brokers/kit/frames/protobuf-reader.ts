import { BrokerError } from '../../broker.js'

/** How a value is written: a whole number, eight bytes, bytes after their length, or four bytes. */
const VARINT = 0
const FIXED_64 = 1
const DELIMITED = 2
const FIXED_32 = 5

/** A whole number of 64 bits has at most so many bytes. */
const MOST_VARINT_BYTES = 10
/** So many bytes of a whole number fit exactly into a number. */
const EXACT_BYTES = 7
const LARGEST_LENGTH = 2 ** 31

/**
 * Reads one message of protocol buffers (proto3), field by field, without a schema: the caller knows the numbers of its fields,
 * and skips the others by asking for the next one. A sender leaves out every field whose value is zero. Every read is checked:
 * what is cut off, or written in another way than asked for, is an error and never a value that was not sent.
 */
export class ProtobufReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0
  /** How the value of the present field is written; undefined once it is read. */
  #wire: number | undefined
  #field = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /**
   * Goes to the next field, over the value of the present one if nobody has read it.
   * @returns its number; undefined at the end of the message
   * @throws BrokerError `protocol` if the message is cut off, or is none
   */
  next(): number | undefined {
    if (this.#wire !== undefined) this.#skip(this.#wire)
    this.#wire = undefined
    if (this.#at >= this.#bytes.length) return undefined
    const key = this.#varint()
    this.#field = Math.floor(key / 8)
    this.#wire = key % 8
    if (key < 8 || key >= 2 ** 32) throw unreadable(`a field has the key ${key}`)
    return this.#field
  }

  /** Returns the value of a field of type double. @throws BrokerError `protocol` */
  double(): number {
    this.#begin(FIXED_64)
    return this.#view.getFloat64(this.#take(8), true)
  }

  /**
   * Returns the value of a field of type int64, int32, bool or enum.
   * @throws BrokerError `protocol`, also if a number cannot hold it exactly
   */
  int(): number {
    this.#begin(VARINT)
    return this.#varint()
  }

  /** Returns the value of a field of type string. @throws BrokerError `protocol` */
  text(): string {
    return new TextDecoder().decode(this.#delimited())
  }

  /** Returns a reader of the message that is the value of this field. @throws BrokerError `protocol` */
  message(): ProtobufReader {
    return new ProtobufReader(this.#delimited())
  }

  #delimited(): Uint8Array {
    this.#begin(DELIMITED)
    const length = this.#varint()
    if (length < 0 || length >= LARGEST_LENGTH)
      throw unreadable(`field ${this.#field} has the length ${length}`)
    const start = this.#take(length)
    return this.#bytes.subarray(start, start + length)
  }

  #begin(wire: number): void {
    if (this.#wire !== wire)
      throw unreadable(`field ${this.#field} is not written as a value of type ${wire}`)
    this.#wire = undefined
  }

  #skip(wire: number): void {
    if (wire === VARINT) this.#varintBytes()
    else if (wire === FIXED_64) this.#take(8)
    else if (wire === FIXED_32) this.#take(4)
    else if (wire === DELIMITED) this.#delimited()
    else throw unreadable(`field ${this.#field} has a value of type ${wire}`)
  }

  /** Returns where so many bytes begin, and goes behind them. */
  #take(length: number): number {
    const start = this.#at
    if (start + length > this.#bytes.length) throw unreadable(`it ends within field ${this.#field}`)
    this.#at = start + length
    return start
  }

  #varint(): number {
    const bytes = this.#varintBytes()
    if (bytes.length <= EXACT_BYTES) {
      return bytes.reduce((sum, byte, place) => sum + (byte & 0x7f) * 2 ** (7 * place), 0)
    }
    const whole = bytes.reduce((sum, byte, place) => sum | (BigInt(byte & 0x7f) << BigInt(7 * place)), 0n)
    const value = Number(BigInt.asIntN(64, whole))
    if (!Number.isSafeInteger(value)) throw unreadable(`the number of field ${this.#field} is too large`)
    return value
  }

  /** Returns the bytes of a whole number: of all but the last the highest bit is set. */
  #varintBytes(): Uint8Array {
    const start = this.#at
    while (this.#at - start < MOST_VARINT_BYTES) {
      if (((this.#bytes[this.#take(1)] ?? 0) & 0x80) === 0) return this.#bytes.subarray(start, this.#at)
    }
    throw unreadable(`a whole number of field ${this.#field} has no end`)
  }
}

function unreadable(what: string): BrokerError {
  return new BrokerError('protocol', `A message of the feed cannot be read: ${what}.`, { sent: 'yes' })
}
