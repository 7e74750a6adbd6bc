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
  readonly #view: DataView
  /** Where the next value begins, and where the message ends, in the bytes that it is a part of. */
  #at: number
  readonly #end: number
  /** How the value of the present field is written; undefined once it is read. */
  #wire: number | undefined
  #field = 0

  /** @param from where the message begins in the bytes, and `to` where it ends: a message within another is not copied */
  constructor(bytes: Uint8Array | DataView, from = 0, to: number = bytes.byteLength) {
    this.#view =
      bytes instanceof DataView ? bytes : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = from
    this.#end = to
  }

  /**
   * Goes to the next field, over the value of the present one if nobody has read it.
   * @returns its number; undefined at the end of the message
   * @throws BrokerError `protocol` if the message is cut off, or is none
   */
  next(): number | undefined {
    if (this.#wire !== undefined) this.#skip(this.#wire)
    this.#wire = undefined
    if (this.#at >= this.#end) return undefined
    const key = this.#varint()
    this.#field = Math.floor(key / 8)
    this.#wire = key % 8
    if (key < 8 || key >= 2 ** 32) throw unreadable(`a field has the key ${key}`)
    return this.#field
  }

  /** Returns the value of a field of type double. @throws BrokerError `protocol`, also if it is no number, or infinite */
  double(): number {
    this.#begin(FIXED_64)
    const value = this.#view.getFloat64(this.#take(8), true)
    if (!Number.isFinite(value)) throw unreadable(`the value of field ${this.#field} is no number`)
    return value
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
    const start = this.#delimited()
    const { buffer, byteOffset } = this.#view
    return new TextDecoder().decode(new Uint8Array(buffer, byteOffset + start, this.#at - start))
  }

  /** Returns a reader of the message that is the value of this field. @throws BrokerError `protocol` */
  message(): ProtobufReader {
    const start = this.#delimited()
    return new ProtobufReader(this.#view, start, this.#at)
  }

  /** Returns where a value begins that has its length before it, and goes behind it. */
  #delimited(): number {
    this.#begin(DELIMITED)
    const length = this.#varint()
    if (length < 0 || length >= LARGEST_LENGTH)
      throw unreadable(`field ${this.#field} has the length ${length}`)
    return this.#take(length)
  }

  #begin(wire: number): void {
    if (this.#wire !== wire)
      throw unreadable(`field ${this.#field} is not written as a value of type ${wire}`)
    this.#wire = undefined
  }

  #skip(wire: number): void {
    if (wire === VARINT) this.#passVarint()
    else if (wire === FIXED_64) this.#take(8)
    else if (wire === FIXED_32) this.#take(4)
    else if (wire === DELIMITED) this.#delimited()
    else throw unreadable(`field ${this.#field} has a value of type ${wire}`)
  }

  /** Returns where so many bytes begin, and goes behind them. */
  #take(length: number): number {
    const start = this.#at
    if (start + length > this.#end) throw unreadable(`it ends within field ${this.#field}`)
    this.#at = start + length
    return start
  }

  #varint(): number {
    const start = this.#at
    this.#passVarint()
    return this.#at - start <= EXACT_BYTES ? this.#exact(start) : this.#large(start)
  }

  #exact(start: number): number {
    let sum = 0
    for (let at = this.#at - 1; at >= start; at--) sum = sum * 128 + (this.#view.getUint8(at) & 0x7f)
    return sum
  }

  #large(start: number): number {
    let whole = 0n
    for (let at = this.#at - 1; at >= start; at--)
      whole = (whole << 7n) | BigInt(this.#view.getUint8(at) & 0x7f)
    const value = Number(BigInt.asIntN(64, whole))
    if (!Number.isSafeInteger(value)) throw unreadable(`the number of field ${this.#field} is too large`)
    return value
  }

  /** Goes behind a whole number: of all its bytes but the last the highest bit is set. */
  #passVarint(): void {
    for (let bytes = 0; bytes < MOST_VARINT_BYTES; bytes++) {
      if ((this.#view.getUint8(this.#take(1)) & 0x80) === 0) return
    }
    throw unreadable(`a whole number of field ${this.#field} has no end`)
  }
}

function unreadable(what: string): BrokerError {
  return new BrokerError('protocol', `A message of the feed cannot be read: ${what}.`, { sent: 'yes' })
}
