import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { withoutByteOrderMark } from '../csv/index.js'
import type { DocumentCode, FilePosition, Finding, ReadResult } from './finding.js'
import { missingColon } from './missing-colon.js'
import { type Path, pointerOf } from './pointer.js'

/** Largest file, in bytes of UTF-8. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024
const MAX_DEPTH = 64
/** Most aliases that are followed, nested ones included. */
const MAX_ALIASES = 100
/** Most characters of all scalars after aliases are expanded. */
const MAX_CHARACTERS = 2 * MAX_FILE_BYTES
/** Most findings about values. */
const MAX_REPORTED = 10
/** Replacements for parser messages that are meant for programmers. */
const PARSER_MESSAGES: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTION: 'This is nested too deeply.',
  MULTILINE_IMPLICIT_KEY: 'A colon is missing after this key.',
  MULTIPLE_DOCS: 'A file must contain one document: nothing may follow `---`.',
}
const LEADING_ZERO = /^[-+]?0\d/

/** A YAML or JSON document with the position of each value. */
export class Source {
  readonly file: string
  readonly value: unknown
  readonly #text: string
  readonly #document: Document
  readonly #lines: LineCounter

  constructor(
    file: string,
    value: unknown,
    { text, document, lines }: { text: string; document: Document; lines: LineCounter },
  ) {
    this.file = file
    this.value = value
    this.#text = text
    this.#document = document
    this.#lines = lines
  }

  /** Returns the keys of a map in file order, which a JavaScript object does not keep for numeric keys. */
  keys(path: Path): string[] {
    const node = path.reduce<unknown>((at, part) => step(at, part, this.#document), this.#document.contents)
    const map = followed(node, this.#document)
    return isMap(map) ? map.items.map((pair) => keyText(pair.key)) : []
  }

  /**
   * Returns the position of a value: a scalar itself, a map or list by its key, a missing value by its
   * parent. A number is an index in the text of the value.
   */
  place(path: Path, what: 'value' | 'key' | number = 'value'): FilePosition {
    if (typeof what === 'number') return at(this.#lines, this.#offsetIn(path, what))
    let node: unknown = this.#document.contents
    let offset = offsetOf(node) ?? 0
    for (const [index, part] of path.entries()) {
      const next = step(node, part, this.#document)
      if (next === undefined) break
      const wantsKey = what === 'key' && index === path.length - 1
      const own = isScalar(next) && next.value === null ? undefined : offsetOf(next)
      const key = keyOffset(node, part, this.#document)
      const isLarge = isMap(next) || isSeq(next)
      offset = (wantsKey || isLarge ? (key ?? own) : (own ?? key)) ?? offset
      node = next
    }
    return at(this.#lines, offset)
  }

  /** Returns the paths of the keys that are written without a value. `null` and `~` are values: somebody wrote them. */
  blanks(): Path[] {
    return blanksIn(this.#document.contents, [])
  }

  /** Returns the offset in the file of an index in the text of a value. */
  #offsetIn(path: Path, index: number): number {
    const node = path.reduce<unknown>((one, part) => step(one, part, this.#document), this.#document.contents)
    const scalar = followed(node, this.#document)
    if (!isScalar(scalar) || typeof scalar.value !== 'string' || !scalar.range) return offsetOf(node) ?? 0
    const [start, end] = scalar.range
    const raw = this.#text.slice(start, end)
    return start + rawIndex(raw, scalar.value, index)
  }

  finding<Code extends string>(
    path: Path,
    code: Code,
    message: string,
    what: 'value' | 'key' | number = 'value',
  ): Finding<Code> {
    return {
      file: this.file,
      ...this.place(path, what),
      severity: 'error',
      code,
      path: pointerOf(path),
      message,
    }
  }
}

/**
 * Reads YAML 1.2 (core schema: `yes`, `on` and `09:15` are text) or JSON. Refuses duplicate keys, unknown
 * tags, values that JSON lacks, and documents that aliases make too large.
 *
 * @param keys the names of fields after which a missing colon is recognised
 */
export function parseSource(text: string, file: string, keys: ReadonlySet<string>): ReadResult<Source> {
  const lines = new LineCounter()
  const refuse = (offset: number, code: DocumentCode, message: string): Finding => ({
    file,
    ...at(lines, offset),
    severity: 'error',
    code,
    path: '',
    message,
  })
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    return { ok: false, findings: [refuse(0, 'file_too_large', tooLarge())] }
  }
  const document = parseDocument(text, {
    schema: 'core',
    version: '1.2',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  const mistakes = [...document.errors, ...document.warnings].map((one) =>
    refuse(one.pos[0], 'syntax', parserMessage(one)),
  )
  if (mistakes.length === 0 && file.endsWith('.json') && !isJson(text)) {
    mistakes.push(refuse(0, 'syntax', 'This is YAML, not JSON: name the file .yaml.'))
  }
  const colon = mistakes.length === 0 ? missingColon(document, keys) : undefined
  if (colon !== undefined) {
    mistakes.push(refuse(colon.offset, 'syntax', `A colon is missing after "${colon.key}".`))
  }
  // Only the first: the parser reads on from a broken place, and its later errors mostly follow from it.
  const [first] = mistakes.sort((a, b) => a.line - b.line || a.column - b.column)
  if (first !== undefined) return { ok: false, findings: [first] }
  const reader = new ValueReader(document)
  const value = reader.read(document.contents, [])
  if (reader.mistakes.length > 0) {
    const findings = reader.mistakes.map(({ offset, code, message, path }) => ({
      ...refuse(offset, code, message),
      path: pointerOf(path),
    }))
    return { ok: false, findings: findings.slice(0, MAX_REPORTED) }
  }
  return { ok: true, value: new Source(file, value, { text, document, lines }) }
}

export function tooLarge(): string {
  return `The file is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`
}

interface Mistake {
  offset: number
  code: DocumentCode
  message: string
  path: Path
}

/** Converts YAML nodes to plain values within the limits. */
class ValueReader {
  readonly mistakes: Mistake[] = []
  readonly #document: Document
  #aliases = 0
  #characters = 0

  constructor(document: Document) {
    this.#document = document
  }

  read(node: unknown, path: Path): unknown {
    this.#characters += 1
    if (this.#isOver()) return this.#tooLarge(node, path)
    if (path.length > MAX_DEPTH) return this.#refuse(node, path, 'syntax', 'This is nested too deeply.')
    if (isAlias(node)) return this.#alias(node, path)
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, index]))
    if (isMap(node)) return this.#map(node.items, path)
    return isScalar(node) ? this.#scalar(node, path) : null
  }

  #alias(node: unknown, path: Path): unknown {
    this.#aliases += 1
    if (this.#isOver()) return this.#tooLarge(node, path)
    const target = followed(node, this.#document)
    if (target === undefined)
      return this.#refuse(node, path, 'syntax', 'There is no anchor with this name above.')
    return this.read(target, path)
  }

  #map(pairs: readonly { key: unknown; value: unknown }[], path: Path): unknown {
    const entries = new Map<string, unknown>()
    for (const { key, value } of pairs) {
      if (!isScalar(key) || keyText(key) === '__proto__') {
        this.#refuse(key, path, 'syntax', 'A key must be plain text, and not __proto__.')
        continue
      }
      const name = keyText(key)
      this.#characters += name.length
      if (entries.has(name)) {
        this.#refuse(key, [...path, name], 'duplicate_key', `The key "${name}" is given twice.`)
      }
      entries.set(name, this.read(value, [...path, name]))
    }
    return Object.fromEntries(entries)
  }

  #scalar(node: { value: unknown; source?: string | undefined }, path: Path): unknown {
    const { value, source = '' } = node
    this.#characters += source.length
    if (typeof value !== 'number') return value ?? null
    if (!Number.isFinite(value)) {
      return this.#refuse(node, path, 'ambiguous_number', `${source} is not a valid number.`)
    }
    if (LEADING_ZERO.test(source) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      return this.#refuse(
        node,
        path,
        'ambiguous_number',
        `The number ${source} would lose digits. Write it as text: "${source}".`,
      )
    }
    return value
  }

  #isOver(): boolean {
    return this.#aliases > MAX_ALIASES || this.#characters > MAX_CHARACTERS
  }

  /** Reports the excess once and stops reading. */
  #tooLarge(node: unknown, path: Path): null {
    if (this.mistakes.some((mistake) => mistake.code === 'too_many_aliases')) return null
    return this.#refuse(node, path, 'too_many_aliases', 'Aliases make this document too large.')
  }

  #refuse(node: unknown, path: Path, code: DocumentCode, message: string): null {
    this.mistakes.push({ offset: offsetOf(node) ?? 0, code, message, path })
    return null
  }
}

/**
 * Returns the index in the source of a YAML text (quoted, folded or plain) for an index in its value. YAML changes only
 * white space and adds quotes and backslashes, so the characters of the value follow each other in the source.
 */
function rawIndex(raw: string, value: string, index: number): number {
  // The first line of a block text (`>-`) has only its indicators.
  let place = /^[|>]/.test(raw) ? raw.indexOf('\n') + 1 : 0
  let last = place
  for (const character of value.slice(0, index + 1)) {
    if (/\s/.test(character)) continue
    const found = raw.indexOf(character, place)
    if (found < 0) return last
    last = found
    place = found + character.length
  }
  // The end of the value, and white space in it, are behind the last character.
  return index >= value.length || /\s/.test(value.charAt(index)) ? place : last
}

function blanksIn(node: unknown, path: Path): Path[] {
  if (isSeq(node)) return node.items.flatMap((item, index) => blanksIn(item, [...path, index]))
  if (!isMap(node)) return []
  return node.items.flatMap(({ key, value }) => {
    const own = [...path, keyText(key)]
    const isBlank = value === null || (isScalar(value) && value.value === null && value.source === '')
    return isBlank ? [own] : blanksIn(value, own)
  })
}

function step(node: unknown, part: string | number, document: Document): unknown {
  const holder = followed(node, document)
  if (isSeq(holder)) return holder.items[Number(part)]
  return isMap(holder) ? holder.items.find((pair) => keyText(pair.key) === String(part))?.value : undefined
}

function keyOffset(node: unknown, part: string | number, document: Document): number | undefined {
  const holder = followed(node, document)
  if (!isMap(holder)) return undefined
  return offsetOf(holder.items.find((pair) => keyText(pair.key) === String(part))?.key)
}

function followed(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node
}

/** Returns a key as written: `1`, `01` and `true` are names like any other. */
function keyText(key: unknown): string {
  if (!isScalar(key)) return ''
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function offsetOf(node: unknown): number | undefined {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return undefined
  return node.range?.[0]
}

function at(lines: LineCounter, offset: number): FilePosition {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(withoutByteOrderMark(text))
    return true
  } catch {
    return false
  }
}

function parserMessage({ code, message }: { code: string; message: string }): string {
  const [first = ''] = message.split('\n')
  if (first.startsWith('Implicit map keys need')) return 'A colon is missing after this key.'
  const ours = PARSER_MESSAGES[code]
  if (ours !== undefined) return ours
  return /[.!?]$/.test(first) ? first : `${first}.`
}
