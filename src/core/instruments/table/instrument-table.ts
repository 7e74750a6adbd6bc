import { crc32 } from 'node:zlib'
import type { Instrument } from '../schema.js'
import {
  aligned,
  CHECKED_FROM,
  type Header,
  hashOf,
  headerSchema,
  INDEXES,
  MAGIC,
  type NameField,
  type NumberField,
  PREAMBLE_BYTES,
  type TextField,
} from './format.js'

interface Texts {
  starts: Uint32Array
  lengths: Uint16Array
}

/**
 * A packed master read in place. It needs about 120 bytes per row, all outside the JavaScript heap. Row
 * numbers start at 0, in the master's order. A row becomes an object only on request.
 */
export class InstrumentTable {
  readonly count: number
  /** CRC-32 of the packed content. Equal masters have equal checksums. */
  readonly checksum: number
  readonly #header: Header
  readonly #bytes: Buffer
  readonly #texts: Readonly<Record<TextField, Texts>>
  readonly #codes: Readonly<Record<NameField | NumberField, Uint32Array>>
  readonly #slots: Readonly<Record<TextField, Uint32Array>>

  private constructor(header: Header, checksum: number, sections: Sections) {
    this.#header = header
    this.count = header.count
    this.checksum = checksum
    this.#bytes = sections.bytes('text')
    const texts = (field: TextField): Texts => ({
      starts: sections.uint32(`${field}.start`),
      lengths: sections.uint16(`${field}.length`),
    })
    this.#texts = { symbol: texts('symbol'), brokerSymbol: texts('brokerSymbol'), token: texts('token') }
    this.#codes = {
      name: sections.uint32('name'),
      exchange: sections.uint32('exchange'),
      brokerExchange: sections.uint32('brokerExchange'),
      expiry: sections.uint32('expiry'),
      instrumentType: sections.uint32('instrumentType'),
      strike: sections.uint32('strike'),
      lotSize: sections.uint32('lotSize'),
      tickSize: sections.uint32('tickSize'),
      contractValue: sections.uint32('contractValue'),
    }
    this.#slots = {
      symbol: sections.uint32('index.symbol'),
      brokerSymbol: sections.uint32('index.brokerSymbol'),
      token: sections.uint32('index.token'),
    }
  }

  /**
   * Opens a packed master. Returns undefined if it is damaged, truncated, of another version, or written on a
   * machine with another byte order.
   */
  static decode(packed: Buffer): InstrumentTable | undefined {
    if (packed.byteLength < PREAMBLE_BYTES) return undefined
    // Views of 4 bytes need aligned memory, which a buffer from a pool may lack.
    const buffer = packed.byteOffset % 8 === 0 ? packed : Buffer.from(new Uint8Array(packed).buffer)
    const [magic, checksum = 0, headerLength = 0] = new Uint32Array(buffer.buffer, buffer.byteOffset, 3)
    if (magic !== MAGIC || crc32(buffer.subarray(CHECKED_FROM)) !== checksum) return undefined
    const header = headerSchema.safeParse(
      JSON.parse(buffer.toString('utf8', PREAMBLE_BYTES, PREAMBLE_BYTES + headerLength)),
    )
    if (!header.success) return undefined
    const sections = new Sections(buffer, aligned(PREAMBLE_BYTES + headerLength), header.data)
    return new InstrumentTable(header.data, checksum, sections)
  }

  /**
   * Finds the row with this text on this exchange (ours for `symbol`, the broker's otherwise); -1 if there is
   * none.
   */
  find(field: TextField, text: string, exchange: string): number {
    const group = INDEXES.find((index) => index.text === field)?.group ?? 'exchange'
    const code = this.codeOf(group, exchange)
    if (code < 0) return -1
    const slots = this.#slots[field]
    const codes = this.#codes[group]
    const mask = slots.length - 1
    let slot = hashOf(text, code) & mask
    for (let taken = slots[slot] ?? 0; taken !== 0; taken = slots[slot] ?? 0) {
      if (codes[taken - 1] === code && this.#isText(field, taken - 1, text)) return taken - 1
      slot = (slot + 1) & mask
    }
    return -1
  }

  /** Returns the code of a value in its column's dictionary; -1 if no row has it. */
  codeOf(field: NameField, value: string): number {
    const known: readonly string[] = this.#header.names[field]
    return known.indexOf(value)
  }

  /** Returns the code of a row's value. Two rows have equal values if their codes are equal. */
  code(field: NameField, row: number): number {
    return this.#codes[field][row] ?? -1
  }

  valueOf(field: NameField, code: number): string {
    return this.#header.names[field][code] ?? ''
  }

  name(field: NameField, row: number): string {
    return this.valueOf(field, this.code(field, row))
  }

  /** Returns the strike of a row; 0 if it has none. */
  strike(row: number): number {
    return this.#number('strike', row) ?? 0
  }

  /** Returns the length of a row's text in bytes. */
  textLength(field: TextField, row: number): number {
    return this.#texts[field].lengths[row] ?? 0
  }

  /** Copies a row's text to `into`, starting at `at`. @returns the position after it */
  copyText(field: TextField, row: number, into: Uint8Array, at: number): number {
    const { starts, lengths } = this.#texts[field]
    const start = starts[row] ?? 0
    const length = lengths[row] ?? 0
    for (let index = 0; index < length; index++) into[at + index] = this.#bytes[start + index] ?? 0
    return at + length
  }

  /** Returns the distinct values of a column, by code. */
  values(field: NameField): readonly string[] {
    return this.#header.names[field]
  }

  instrument(row: number): Instrument {
    const { exchange } = this.#header.names
    const listedOn = exchange[this.code('exchange', row)]
    if (listedOn === undefined) throw new RangeError(`the master has no row ${row}`)
    const contractValue = this.#number('contractValue', row)
    return {
      symbol: this.#text('symbol', row),
      brokerSymbol: this.#text('brokerSymbol', row),
      name: this.name('name', row),
      exchange: listedOn,
      brokerExchange: this.name('brokerExchange', row),
      token: this.#text('token', row),
      expiry: this.name('expiry', row),
      strike: this.#number('strike', row) ?? 0,
      lotSize: this.#number('lotSize', row) ?? 0,
      instrumentType: this.name('instrumentType', row),
      tickSize: this.#number('tickSize', row) ?? 0,
      ...(contractValue === null ? {} : { contractValue }),
    }
  }

  #number(field: NumberField, row: number): number | null {
    return this.#header.numbers[field][this.#codes[field][row] ?? -1] ?? null
  }

  #text(field: TextField, row: number): string {
    const { starts, lengths } = this.#texts[field]
    const start = starts[row] ?? 0
    return this.#bytes.toString('latin1', start, start + (lengths[row] ?? 0))
  }

  #isText(field: TextField, row: number, text: string): boolean {
    const { starts, lengths } = this.#texts[field]
    if (lengths[row] !== text.length) return false
    const start = starts[row] ?? 0
    for (let at = 0; at < text.length; at++) {
      if (this.#bytes[start + at] !== text.charCodeAt(at)) return false
    }
    return true
  }
}

/** Finds the sections of a packed master by name. */
class Sections {
  readonly #buffer: Buffer
  readonly #places = new Map<string, { at: number; length: number }>()

  constructor(buffer: Buffer, bodyStart: number, header: Header) {
    this.#buffer = buffer
    let at = bodyStart
    for (const [name, length] of header.sections) {
      this.#places.set(name, { at, length })
      at += aligned(length)
    }
  }

  bytes(name: string): Buffer {
    const { at, length } = this.#place(name)
    return this.#buffer.subarray(at, at + length)
  }

  uint32(name: string): Uint32Array {
    const { at, length } = this.#place(name)
    return new Uint32Array(this.#buffer.buffer, this.#buffer.byteOffset + at, length / 4)
  }

  uint16(name: string): Uint16Array {
    const { at, length } = this.#place(name)
    return new Uint16Array(this.#buffer.buffer, this.#buffer.byteOffset + at, length / 2)
  }

  #place(name: string): { at: number; length: number } {
    const place = this.#places.get(name)
    if (!place) throw new Error(`the packed master has no section "${name}"`)
    return place
  }
}
