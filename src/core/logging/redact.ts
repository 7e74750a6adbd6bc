/**
 * Masks secrets in everything that is written or shown. A secret is recognised by the name of its field or by
 * the pattern of its text, at any depth. Limits on depth, items and length keep a hostile value from making
 * the log slow.
 */
import { isPlainValue, isSecretName } from './secret-names.js'
import { MASK, maskText } from './secret-texts.js'

const MAX_DEPTH = 8
const MAX_ITEMS = 1000
/** Maximum number of fields and items of one value, over all levels. */
const MAX_NODES = 5000
const MAX_TEXT = 16_384
/**
 * The number of characters read after the length limit of a text. A secret that starts before the limit ends
 * within this distance.
 */
const OVERLAP = 4096
const MAX_NAME = 256
const MAX_KNOWN_KEYS = 2000
const MAX_PUBLIC_DEPTH = 2
const MAX_PUBLIC_MEMBERS = 50
/** A field that may have a six-digit code from an authenticator app. */
const ONE_TIME_CODE = 'code'
const PLAIN_TYPES: ReadonlySet<string> = new Set(['number', 'boolean', 'undefined'])

/** Field names that are too short to be a secret and need no escaping. */
const PLAIN_NAME = /^[\w.-]{1,24}$/

/**
 * C0, DEL, C1, line separators and bidirectional overrides: characters that could forge a line or control a
 * terminal.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are exactly the characters to escape
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const UNSAFE_ALL = new RegExp(UNSAFE, 'g')
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const publicNames = new Map<string, boolean>()

/** Replaces control characters by visible escapes (`\n`, `\u001b`). */
export function escapeControls(text: string): string {
  if (!UNSAFE.test(text)) return text
  return text.replace(
    UNSAFE_ALL,
    (char) => SHORT_ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Returns whether `value` is plain data without any secret, so that {@link redact} would only copy it. It
 * handles small flat objects such as orders; for anything larger or unusual it returns false.
 */
export function isPublic(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.length <= MAX_TEXT && maskText(value) === value
  if (typeof value !== 'object') return PLAIN_TYPES.has(typeof value)
  if (value === null) return true
  if (depth > MAX_PUBLIC_DEPTH || !isPlainData(value)) return false
  let members = 0
  for (const name in value) {
    members += 1
    if (members > MAX_PUBLIC_MEMBERS || !isPublicName(name) || !isPublic(value[name], depth + 1)) return false
  }
  return true
}

/** Returns whether a field with this name is secret only if its value is. */
function isPublicName(name: string): boolean {
  const known = publicNames.get(name)
  if (known !== undefined) return known
  const isPublicByName = PLAIN_NAME.test(name) && !isSecretName(name) && name.toLowerCase() !== ONE_TIME_CODE
  if (publicNames.size < MAX_KNOWN_KEYS) publicNames.set(name, isPublicByName)
  return isPublicByName
}

function isPlainData(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype
}

interface RedactOptions {
  /** Texts that are secret themselves (the keys of this installation). */
  secrets?: readonly string[]
  /** Removes secret fields instead of masking them, and leaves texts unescaped: for rows and clients. */
  omit?: boolean
}

/**
 * Returns a copy of `value` without secrets that `JSON.stringify` can always write, including errors, dates,
 * big integers, cycles and throwing getters. Values above the limits are cut and marked.
 */
export function redact(value: unknown, options: RedactOptions = {}): unknown {
  return new Redaction(options).visit(value, 0)
}

class Redaction {
  readonly #secrets: readonly string[]
  readonly #omit: boolean
  readonly #path = new Set<object>()
  #nodes = 0

  constructor(options: RedactOptions) {
    this.#secrets = options.secrets ?? []
    this.#omit = options.omit ?? false
  }

  visit(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'bigint') return value.toString()
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (this.#path.has(value)) return '[circular]'
    if (depth >= MAX_DEPTH) return '[too deep]'
    this.#path.add(value)
    try {
      return this.#object(value, depth)
    } catch {
      return '[unreadable]'
    } finally {
      this.#path.delete(value)
    }
  }

  #object(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#error(value, depth)
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (value instanceof Map) return this.#members(value.entries(), depth)
    if (Array.isArray(value) || value instanceof Set) return this.#items([...value], depth)
    return this.#members(Object.entries(value), depth)
  }

  #items(items: unknown[], depth: number): unknown[] {
    const kept = items.slice(0, MAX_ITEMS)
    const copy = []
    for (const item of kept) {
      if (this.#spent()) break
      copy.push(this.visit(item, depth + 1))
    }
    if (copy.length < items.length) copy.push(`[${items.length - copy.length} more]`)
    return copy
  }

  #members(entries: Iterable<[unknown, unknown]>, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = Object.create(null)
    for (const [key, member] of entries) {
      const name = typeof key === 'string' && PLAIN_NAME.test(key) ? key : this.#text(String(key), MAX_NAME)
      if (this.#spent()) {
        copy['…'] = '[cut]'
        break
      }
      if (isSecretName(name) && !isPlainValue(name, member)) {
        if (!this.#omit) copy[name] = MASK
      } else {
        copy[name] = isOneTimeCode(name, member) ? MASK : this.visit(member, depth + 1)
      }
    }
    return copy
  }

  #error(error: Error, depth: number): Record<string, unknown> {
    const copy = this.#members(Object.entries(error), depth)
    copy.type = error.name
    copy.message = this.#text(error.message)
    if (error.stack)
      copy.stack = error.stack
        .split('\n')
        .slice(0, 30)
        .map((line) => this.#text(line.trim()))
    if (error.cause !== undefined) copy.cause = this.visit(error.cause, depth + 1)
    return copy
  }

  #text(text: string, bound = MAX_TEXT): string {
    const safe = text.length > bound ? this.#cut(text, bound) : this.#masked(text)
    return this.#omit ? safe : escapeControls(safe)
  }

  /**
   * Masks first and cuts afterwards, because half a secret matches no pattern. For the same reason the last
   * `OVERLAP` characters that were read are dropped. After masking, they may lie before the limit.
   */
  #cut(text: string, bound: number): string {
    const isWhole = text.length <= bound + OVERLAP
    const masked = this.#masked(text.slice(0, bound + OVERLAP))
    if (isWhole && masked.length <= bound) return masked
    const kept = masked.slice(0, isWhole ? bound : Math.min(bound, masked.length - OVERLAP))
    return bound === MAX_NAME ? kept : `${kept}…[${text.length - bound} more]`
  }

  #masked(text: string): string {
    let safe = text
    for (const secret of this.#secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, MASK)
    return maskText(safe)
  }

  #spent(): boolean {
    this.#nodes += 1
    return this.#nodes > MAX_NODES
  }
}

/** `code` may be the name of an error, the close code of a socket, or a six-digit one-time code. */
function isOneTimeCode(name: string, value: unknown): boolean {
  if (typeof value === 'object' || name.toLowerCase() !== ONE_TIME_CODE) return false
  return /^\d{6,8}$/.test(String(value))
}
