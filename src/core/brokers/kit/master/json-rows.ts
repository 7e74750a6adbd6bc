import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { BrokerError } from '../../broker.js'
import { jsonOf, LARGEST_FILE_BYTES, TooLarge } from '../http/response.js'

const GZIP_MARK = [0x1f, 0x8b]
/** So much of the unpacked text is read at once: a millisecond of work. */
const PART_BYTES = 64 * 1024
/** No row of a master is nearly that long. */
const LONGEST_ROW = 1024 * 1024

// Single constants: the scanner compares every character of the file with them.
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d]
const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d]

/**
 * Reads a file that is one JSON list, a part at a time, so that a master of many megabytes holds nobody up: neither its whole
 * text nor its whole list is ever in memory.
 * @param call names the request in errors
 * @param bytes the file, which may be packed with gzip
 * @returns the members of the list in order, as many at once as the part has
 * @throws BrokerError `protocol` if the file is no such list or ends within it
 */
export async function* rowsOfJsonFile(call: string, bytes: Uint8Array): AsyncGenerator<unknown[]> {
  const list = new ListScanner(call)
  for await (const part of textIn(call, bytes)) yield list.read(part)
  list.end()
}

async function* textIn(call: string, bytes: Uint8Array): AsyncGenerator<string> {
  const isPacked = GZIP_MARK.every((value, place) => bytes[place] === value)
  const decoder = new TextDecoder()
  for await (const part of isPacked ? unpacked(call, bytes) : partsOf(bytes)) {
    yield decoder.decode(part, { stream: true })
    await setImmediate()
  }
  yield decoder.decode()
}

async function* partsOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
}

async function* unpacked(call: string, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  // Parts of the packed file, so that the stream never has all of the unpacked one ready.
  const file = Readable.from(partsOf(bytes)).pipe(createGunzip({ chunkSize: PART_BYTES }))
  try {
    let length = 0
    for await (const part of file) {
      length += part.byteLength
      if (length > LARGEST_FILE_BYTES) throw new TooLarge(LARGEST_FILE_BYTES)
      yield part
    }
  } catch (error) {
    if (error instanceof BrokerError) throw error
    const why = error instanceof TooLarge ? `: ${error.message}` : ''
    throw new BrokerError('protocol', `${call}: the file cannot be unpacked${why}`, { sent: 'yes' })
  }
}

/** Cuts the text of a list into the texts of its members. */
class ListScanner {
  readonly #call: string
  /** The text of the member that has begun and has not ended. */
  #begun = ''
  /** Whether the bracket of the list was there. */
  #hasBegun = false
  #depth = 0
  #isInText = false
  #isEscaped = false

  constructor(call: string) {
    this.#call = call
  }

  /** Returns the members that end in the next part of the text. */
  read(part: string): unknown[] {
    const rows: unknown[] = []
    let start = 0
    for (let at = 0; at < part.length; at++) {
      const code = part.charCodeAt(at)
      if (this.#isInText) this.#readText(code)
      else if (code === QUOTE) this.#isInText = true
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#depth += 1
        if (this.#depth === 1) start = this.#openList(part.slice(start, at + 1), at)
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET || (code === COMMA && this.#depth === 1)) {
        if (this.#depth === 1) {
          this.#add(rows, part.slice(start, at))
          start = at + 1
        }
        if (code !== COMMA) this.#depth -= 1
        if (this.#depth < 0) throw this.#unreadable('it goes on after its end')
      }
    }
    this.#begun += part.slice(start)
    if (this.#begun.length > LONGEST_ROW) throw this.#unreadable('it has no list of rows')
    return rows
  }

  /** @throws BrokerError `protocol` if the list has not ended */
  end(): void {
    if (this.#hasBegun && this.#depth === 0 && this.#begun.trim() === '') return
    throw this.#unreadable(this.#hasBegun ? 'it is cut off' : 'it is no JSON list')
  }

  #readText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === BACKSLASH) this.#isEscaped = true
    else if (code === QUOTE) this.#isInText = false
  }

  /** Notes the bracket that opens the list. @returns where its first member begins */
  #openList(text: string, at: number): number {
    if (this.#hasBegun || `${this.#begun}${text}`.trim() !== '[') throw this.#unreadable('it is no JSON list')
    this.#hasBegun = true
    this.#begun = ''
    return at + 1
  }

  #add(rows: unknown[], rest: string): void {
    const text = `${this.#begun}${rest}`
    this.#begun = ''
    if (text.trim() === '') return
    const row = jsonOf(text)
    if (row === undefined) throw this.#unreadable('a row of it is no JSON')
    rows.push(row)
  }

  #unreadable(what: string): BrokerError {
    return new BrokerError('protocol', `${this.#call}: the file cannot be read: ${what}`, { sent: 'yes' })
  }
}
