import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Instrument } from '../schema.js'
import {
  aligned,
  CHECKED_FROM,
  type Header,
  hashOf,
  INDEXES,
  MAGIC,
  PREAMBLE_BYTES,
  TEXT_FIELDS,
  type TextField,
} from './format.js'

type Section = readonly [name: string, data: Uint8Array]

/** Work that yields after each step and returns its result. */
type Steps<T> = Generator<undefined, T, undefined>

/** A column stored as a list of distinct values and one code per row. */
interface Column<T> {
  values: T[]
  codes: Uint32Array
}

/** Rows packed in one step: a few milliseconds of work. */
const ROWS_PER_STEP = 10_000

/**
 * Packs a master. Texts must be ASCII and each (symbol, exchange) pair unique. If rows share a broker symbol
 * or a token, look-ups find the first one. The same rows always give the same bytes.
 */
export function encodeInstruments(rows: readonly Instrument[]): Buffer {
  const steps = encoding(rows)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Like {@link encodeInstruments}, and lets other work run between its steps. */
export async function encodeInSteps(rows: readonly Instrument[]): Promise<Buffer> {
  const steps = encoding(rows)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await setImmediate()
  }
}

/** Packs a master. Yields after each step. */
function* encoding(rows: readonly Instrument[]): Steps<Buffer> {
  const names = {
    name: yield* column(rows, (row) => row.name),
    exchange: yield* column(rows, (row) => row.exchange),
    brokerExchange: yield* column(rows, (row) => row.brokerExchange),
    expiry: yield* column(rows, (row) => row.expiry),
    instrumentType: yield* column(rows, (row) => row.instrumentType),
  }
  const numbers = {
    strike: yield* column(rows, (row) => row.strike),
    lotSize: yield* column(rows, (row) => row.lotSize),
    tickSize: yield* column(rows, (row) => row.tickSize),
    contractValue: yield* column(rows, (row) => row.contractValue ?? null),
  }
  const sections: Section[] = yield* textSections(rows)
  for (const [field, { codes }] of Object.entries({ ...names, ...numbers })) {
    sections.push([field, bytesOf(codes)])
  }
  for (const { text, group } of INDEXES) {
    sections.push([`index.${text}`, bytesOf(yield* indexSlots(rows, text, names[group].codes))])
  }
  return assemble(sections, {
    version: 1,
    count: rows.length,
    names: {
      name: names.name.values,
      exchange: names.exchange.values,
      brokerExchange: names.brokerExchange.values,
      expiry: names.expiry.values,
      instrumentType: names.instrumentType.values,
    },
    numbers: {
      strike: numbers.strike.values,
      lotSize: numbers.lotSize.values,
      tickSize: numbers.tickSize.values,
      contractValue: numbers.contractValue.values,
    },
  })
}

function* column<T>(rows: readonly Instrument[], read: (row: Instrument) => T): Steps<Column<T>> {
  const values: T[] = []
  const known = new Map<T, number>()
  const codes = new Uint32Array(rows.length)
  let at = 0
  for (const row of rows) {
    const value = read(row)
    let code = known.get(value)
    if (code === undefined) {
      code = values.push(value) - 1
      known.set(value, code)
    }
    codes[at++] = code
    if (at % ROWS_PER_STEP === 0) yield
  }
  return { values, codes }
}

/** Stores all distinct texts in one array of bytes. A broker symbol equal to ours shares its bytes. */
function* textSections(rows: readonly Instrument[]): Steps<Section[]> {
  const places = TEXT_FIELDS.map((field) => ({
    field,
    starts: new Uint32Array(rows.length),
    lengths: new Uint16Array(rows.length),
  }))
  const bytes = Buffer.alloc(rows.reduce((sum, row) => sum + ownText(row), 0))
  let end = 0
  for (const [at, row] of rows.entries()) {
    const symbolStart = end
    for (const { field, starts, lengths } of places) {
      const text = row[field]
      const shared = field === 'brokerSymbol' && text === row.symbol
      starts[at] = shared ? symbolStart : end
      lengths[at] = text.length
      if (!shared) end += bytes.write(text, end, 'latin1')
    }
    if (at % ROWS_PER_STEP === 0) yield
  }
  return [
    ['text', bytes],
    ...places.flatMap(({ field, starts, lengths }): Section[] => [
      [`${field}.start`, bytesOf(starts)],
      [`${field}.length`, bytesOf(lengths)],
    ]),
  ]
}

/** Returns the number of bytes a row adds to the texts. */
function ownText({ symbol, brokerSymbol, token }: Instrument): number {
  return symbol.length + token.length + (brokerSymbol === symbol ? 0 : brokerSymbol.length)
}

/**
 * Builds a hash table whose capacity is a power of two, at most half full. Each slot has row + 1, or 0 if
 * empty.
 */
function* indexSlots(rows: readonly Instrument[], field: TextField, groups: Uint32Array): Steps<Uint32Array> {
  let capacity = 16
  while (capacity < rows.length * 2) capacity *= 2
  const slots = new Uint32Array(capacity)
  const isSame = (a: number, b: number) => rows[a]?.[field] === rows[b]?.[field] && groups[a] === groups[b]
  for (const [at, row] of rows.entries()) {
    let slot = hashOf(row[field], groups[at] ?? 0) & (capacity - 1)
    let taken = slots[slot] ?? 0
    while (taken !== 0 && !isSame(taken - 1, at)) {
      slot = (slot + 1) & (capacity - 1)
      taken = slots[slot] ?? 0
    }
    if (taken === 0) slots[slot] = at + 1
    if (at % ROWS_PER_STEP === 0) yield
  }
  return slots
}

function assemble(sections: readonly Section[], content: Omit<Header, 'sections'>): Buffer {
  const header: Header = { ...content, sections: sections.map(([name, data]) => [name, data.byteLength]) }
  const headerBytes = Buffer.from(JSON.stringify(header), 'utf8')
  const bodyStart = aligned(PREAMBLE_BYTES + headerBytes.byteLength)
  const total = sections.reduce((sum, [, data]) => sum + aligned(data.byteLength), bodyStart)
  const buffer = Buffer.alloc(total)
  headerBytes.copy(buffer, PREAMBLE_BYTES)
  let at = bodyStart
  for (const [, data] of sections) {
    buffer.set(data, at)
    at += aligned(data.byteLength)
  }
  const preamble = new Uint32Array(buffer.buffer, buffer.byteOffset, 3)
  preamble.set([MAGIC, 0, headerBytes.byteLength])
  preamble[1] = crc32(buffer.subarray(CHECKED_FROM))
  return buffer
}

function bytesOf(array: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
