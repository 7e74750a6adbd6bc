import type { InstrumentTable } from '../table/instrument-table.js'
import { SEPARATOR } from './grams.js'

/** Rows processed before the generator yields to other work. */
const SLICE = 4096

/**
 * The texts of a master in the order results are shown: shorter symbols first, then alphabetically. A
 * document number is a row's position in that order.
 */
export class Documents {
  readonly count: number
  /** Row number in the master, by document. */
  readonly rows: Uint32Array
  /** Symbols in upper case. Document `d` has the bytes from `symbolAt[d]` to `symbolAt[d + 1]`. */
  readonly symbols: Uint8Array
  readonly symbolAt: Uint32Array
  /** Broker symbol (if it differs from ours) and token, separated, in upper case. */
  readonly others: Uint8Array
  readonly otherAt: Uint32Array
  /** The first document of each symbol length; the last entry is one past the last document. */
  readonly #lengthAt: Uint32Array

  private constructor(rows: Uint32Array, symbols: Texts, others: Texts, lengthAt: Uint32Array) {
    this.count = rows.length
    this.rows = rows
    this.symbols = symbols.bytes
    this.symbolAt = symbols.at
    this.others = others.bytes
    this.otherAt = others.at
    this.#lengthAt = lengthAt
  }

  /** Builds the texts in steps, and yields after each step so that other work can run. */
  static *building(table: InstrumentTable): Generator<void, Documents> {
    const inMasterOrder = new Uint32Array(table.count)
    for (let row = 0; row < table.count; row++) inMasterOrder[row] = row
    const unordered = yield* gather(table, inMasterOrder)
    const { rows, lengthAt } = yield* ordered(unordered)
    const symbols = yield* gather(table, rows)
    const others = yield* gatherOthers(table, rows)
    return new Documents(rows, symbols, others, lengthAt)
  }

  get longest(): number {
    return this.#lengthAt.length - 2
  }

  /**
   * Returns the range `[from, to)` of documents whose symbols have `length` bytes and start with `prefix`.
   */
  withPrefix(prefix: Uint8Array, length: number): [from: number, to: number] {
    const from = this.#lengthAt[length] ?? 0
    const to = this.#lengthAt[length + 1] ?? 0
    return [this.#bound(prefix, from, to, false), this.#bound(prefix, from, to, true)]
  }

  symbolStartsWith(document: number, prefix: Uint8Array): boolean {
    const start = this.symbolAt[document] ?? 0
    if ((this.symbolAt[document + 1] ?? 0) - start < prefix.length) return false
    for (let at = 0; at < prefix.length; at++) if (this.symbols[start + at] !== prefix[at]) return false
    return true
  }

  symbolEndsWith(document: number, ending: Uint8Array): boolean {
    const start = (this.symbolAt[document + 1] ?? 0) - ending.length
    if (start < (this.symbolAt[document] ?? 0)) return false
    for (let at = 0; at < ending.length; at++) if (this.symbols[start + at] !== ending[at]) return false
    return true
  }

  symbolIs(document: number, text: Uint8Array): boolean {
    const length = (this.symbolAt[document + 1] ?? 0) - (this.symbolAt[document] ?? 0)
    return length === text.length && this.symbolStartsWith(document, text)
  }

  symbolHas(document: number, text: Uint8Array): boolean {
    return contains(this.symbols, this.symbolAt[document] ?? 0, this.symbolAt[document + 1] ?? 0, text)
  }

  /** Returns whether the text occurs in the token, or in the broker symbol if it differs from ours. */
  othersHave(document: number, text: Uint8Array): boolean {
    return contains(this.others, this.otherAt[document] ?? 0, this.otherAt[document + 1] ?? 0, text)
  }

  symbol(document: number): string {
    const bytes = this.symbols.subarray(this.symbolAt[document], this.symbolAt[document + 1])
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }

  #bound(prefix: Uint8Array, from: number, to: number, past: boolean): number {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.#compare(middle, prefix)
      if (order < 0 || (past && order === 0)) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(document: number, prefix: Uint8Array): number {
    const start = this.symbolAt[document] ?? 0
    for (let at = 0; at < prefix.length; at++) {
      const difference = (this.symbols[start + at] ?? 0) - (prefix[at] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }
}

interface Texts {
  bytes: Uint8Array
  at: Uint32Array
}

function* gather(table: InstrumentTable, rows: Uint32Array): Generator<void, Texts> {
  const at = new Uint32Array(rows.length + 1)
  for (const [from, to] of slices(rows.length)) {
    for (let document = from; document < to; document++) {
      at[document + 1] = (at[document] ?? 0) + table.textLength('symbol', rows[document] ?? 0)
    }
    yield
  }
  const bytes = new Uint8Array(at[rows.length] ?? 0)
  for (const [from, to] of slices(rows.length)) {
    copySymbols(table, rows, from, to, { bytes, at })
    yield
  }
  return { bytes, at }
}

function copySymbols(
  table: InstrumentTable,
  rows: Uint32Array,
  from: number,
  to: number,
  texts: Texts,
): void {
  const { bytes, at } = texts
  for (let document = from; document < to; document++) {
    table.copyText('symbol', rows[document] ?? 0, bytes, at[document] ?? 0)
  }
  toUpperCase(bytes, at[from] ?? 0, at[to] ?? 0)
}

function* gatherOthers(table: InstrumentTable, rows: Uint32Array): Generator<void, Texts> {
  const at = new Uint32Array(rows.length + 1)
  let room = 0
  for (const [from, to] of slices(rows.length)) {
    for (let document = from; document < to; document++) {
      const row = rows[document] ?? 0
      room += table.textLength('brokerSymbol', row) + table.textLength('token', row) + 1
    }
    yield
  }
  const bytes = new Uint8Array(room)
  const symbol = new Uint8Array(0x10000)
  for (const [from, to] of slices(rows.length)) {
    for (let document = from; document < to; document++) {
      at[document + 1] = copyOthers(table, rows[document] ?? 0, bytes, at[document] ?? 0, symbol)
    }
    yield
  }
  return { bytes: bytes.slice(0, at[rows.length]), at }
}

/** Writes a row's broker symbol (if it differs from ours) and token. @returns the position after them */
function copyOthers(
  table: InstrumentTable,
  row: number,
  bytes: Uint8Array,
  start: number,
  symbol: Uint8Array,
): number {
  const symbolEnd = table.copyText('symbol', row, symbol, 0)
  let end = table.copyText('brokerSymbol', row, bytes, start)
  if (end - start === symbolEnd && isSame(bytes, start, symbol, symbolEnd)) end = start
  else bytes[end++] = SEPARATOR
  end = table.copyText('token', row, bytes, end)
  toUpperCase(bytes, start, end)
  return end
}

/**
 * Sorts rows by symbol length, then by the symbol's bytes, then by the master's order. For each length, a
 * counting sort runs on every byte position, from the last to the first.
 */
function* ordered(texts: Texts): Generator<void, { rows: Uint32Array; lengthAt: Uint32Array }> {
  const { rows, lengthAt } = byLength(texts.at)
  yield
  for (let length = 1; length < lengthAt.length - 1; length++) {
    const group = rows.subarray(lengthAt[length], lengthAt[length + 1])
    if (group.length < 2) continue
    const spare = new Uint32Array(group.length)
    for (let place = length - 1; place >= 0; place--) {
      sortByByte(group, spare, texts, place)
      yield
    }
  }
  return { rows, lengthAt }
}

function byLength(at: Uint32Array): { rows: Uint32Array; lengthAt: Uint32Array } {
  const count = at.length - 1
  let longest = 0
  for (let row = 0; row < count; row++) longest = Math.max(longest, (at[row + 1] ?? 0) - (at[row] ?? 0))
  const lengthAt = new Uint32Array(longest + 2)
  for (let row = 0; row < count; row++) {
    const next = (at[row + 1] ?? 0) - (at[row] ?? 0) + 1
    lengthAt[next] = (lengthAt[next] ?? 0) + 1
  }
  for (let length = 1; length < lengthAt.length; length++) {
    lengthAt[length] = (lengthAt[length] ?? 0) + (lengthAt[length - 1] ?? 0)
  }
  const rows = new Uint32Array(count)
  const next = lengthAt.slice()
  for (let row = 0; row < count; row++) {
    const length = (at[row + 1] ?? 0) - (at[row] ?? 0)
    const place = next[length] ?? 0
    rows[place] = row
    next[length] = place + 1
  }
  return { rows, lengthAt }
}

function sortByByte(group: Uint32Array, spare: Uint32Array, { bytes, at }: Texts, place: number): void {
  const starts = new Uint32Array(257)
  for (let index = 0; index < group.length; index++) {
    const after = (bytes[(at[group[index] ?? 0] ?? 0) + place] ?? 0) + 1
    starts[after] = (starts[after] ?? 0) + 1
  }
  for (let byte = 1; byte < 257; byte++) starts[byte] = (starts[byte] ?? 0) + (starts[byte - 1] ?? 0)
  for (let index = 0; index < group.length; index++) {
    const row = group[index] ?? 0
    const byte = bytes[(at[row] ?? 0) + place] ?? 0
    const to = starts[byte] ?? 0
    spare[to] = row
    starts[byte] = to + 1
  }
  group.set(spare)
}

function* slices(count: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < count; from += SLICE) yield [from, Math.min(from + SLICE, count)]
}

function toUpperCase(bytes: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte >= 0x61 && byte <= 0x7a) bytes[at] = byte - 0x20
  }
}

function isSame(bytes: Uint8Array, start: number, other: Uint8Array, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[start + at] !== other[at]) return false
  return true
}

function contains(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  const first = text[0]
  const last = end - text.length
  if (text.length === 0) return true
  search: for (let at = start; at <= last; at++) {
    if (bytes[at] !== first) continue
    for (let next = 1; next < text.length; next++) if (bytes[at + next] !== text[next]) continue search
    return true
  }
  return false
}
