/**
 * Keeps secrets out of everything that is written or shown. Two ways in: by the name of a member, and by the
 * look of a text. Both apply at any depth, within bounds, so that a hostile value cannot make logging slow.
 */

/** What stands in place of a secret. */
export const MASK = '[redacted]'

const MAX_DEPTH = 8
const MAX_ITEMS = 1000
/** Members and items of one value, over all its levels. */
const MAX_NODES = 5000
const MAX_TEXT = 16_384
/** No secret that a pattern below knows is shorter. */
const SHORTEST_SECRET = 8
const MAX_KNOWN_KEYS = 2000
const MAX_PUBLIC_DEPTH = 2
const MAX_PUBLIC_MEMBERS = 50
/** A member that may hold six digits off somebody's phone. */
const ONE_TIME_CODE = 'code'
const PLAIN_TYPES: ReadonlySet<string> = new Set(['number', 'boolean', 'undefined'])

/** Member names (letters and digits only, lower case) that always hold a secret. */
const SECRET_NAMES = new Set([
  'auth',
  'cookies',
  'credential',
  'credentials',
  'csrf',
  'fernetsalt',
  'jwt',
  'mfacode',
  'otp',
  'otpcode',
  'pepper',
  'pin',
  'qr',
  'qrcode',
  'sessionid',
  'sessionkey',
  'setcookie',
  'totp',
  'totpcode',
  'verificationcode',
])

/** Parts of member names that make them secret. */
const SECRET_PARTS = [
  'apikey',
  'appkey',
  'authcode',
  'authorization',
  'cookie',
  'csrftoken',
  'encryptionkey',
  'otpauth',
  'passphrase',
  'passwd',
  'password',
  'pepper',
  'privatekey',
  'provisioninguri',
  'recoverycode',
  'secret',
  'token',
]

/** Names that contain a secret's word and hold none. */
const HARMLESS_NAMES = new Set(['tokentype', 'instrumenttoken', 'apikeyid', 'tokenid'])

/** Names of secrets as they stand in query strings, JSON and headers. Bounded, so that no text is slow to search. */
const SECRET_WORD =
  '\\b(?:[a-z0-9_-]{0,32}(?:api[_-]?key|token|secret|passw(?:or)?d|pepper)|totp(?:[_-]code)?|otp|auth[_-]?code)'

/** How secrets look inside a text. The first group, where there is one, is kept. */
const SECRET_TEXTS: readonly RegExp[] = [
  /svc_[a-z]{2,8}_[A-Za-z0-9_-]{20,}/g,
  /[0-9a-f]{64,}/gi,
  /eyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
  /otpauth:\/\/\S+/gi,
  /(bearer\s{1,4})[A-Za-z0-9._~+/:=-]{8,}/gi,
  /(\b(?:basic|token)\s{1,4})[A-Za-z0-9._~+/:=-]{16,}/gi,
  /(\/\/[^\s/:@]{1,256}:)[^\s/@]{1,256}(?=@)/g,
  /(\/webhook\/)[^\s/?"']{8,}/gi,
  new RegExp(`(${SECRET_WORD}\\s{0,4}=\\s{0,4}["']?)[^\\s"'&,;}]{4,}`, 'gi'),
  new RegExp(`(${SECRET_WORD}["']\\s{0,4}:\\s{0,4}["'])[^"']+`, 'gi'),
  new RegExp(`(${SECRET_WORD}\\s{0,4}:\\s{0,4})[^\\s"',;}]{16,}`, 'gi'),
]

/** What every text above has in common; most texts have none of it and need no further look. */
const SUSPECT = /[0-9a-f]{64}|svc_|eyJ|otp|bearer|basic|token|\/\/|webhook|key|secret|passw|pepper|auth/i
/** Member names too short to be a secret themselves, with nothing to escape. */
const PLAIN_NAME = /^[\w.-]{1,24}$/

/** C0, DEL, C1, line separators and bidirectional overrides: what could forge a line or steer a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are exactly the characters to escape
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const UNSAFE_ALL = new RegExp(UNSAFE, 'g')
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const knownNames = new Map<string, boolean>()
const publicNames = new Map<string, boolean>()

/** Whether a member of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const secret =
    SECRET_NAMES.has(bare) || (!HARMLESS_NAMES.has(bare) && SECRET_PARTS.some((part) => bare.includes(part)))
  if (knownNames.size < MAX_KNOWN_KEYS) knownNames.set(name, secret)
  return secret
}

/** A text with everything that looks like a secret masked. */
export function maskText(text: string): string {
  if (text.length < SHORTEST_SECRET || !SUSPECT.test(text)) return text
  let masked = text
  for (const pattern of SECRET_TEXTS) {
    masked = masked.replace(pattern, (_all, kept: unknown) => (typeof kept === 'string' ? kept : '') + MASK)
  }
  return masked
}

/** A text in which control characters are shown (`\n`, `\u001b`) instead of acting. */
export function escapeControls(text: string): string {
  if (!UNSAFE.test(text)) return text
  return text.replace(
    UNSAFE_ALL,
    (char) => SHORT_ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Whether `value` is plain data in which nothing is secret, so that {@link redact} would only copy it. Made for
 * the small flat objects that orders are; whatever is larger or stranger is answered with false.
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

/** Whether what a member of this name holds can be told by its value alone. */
function isPublicName(name: string): boolean {
  const known = publicNames.get(name)
  if (known !== undefined) return known
  const isTold = PLAIN_NAME.test(name) && !isSecretName(name) && name.toLowerCase() !== ONE_TIME_CODE
  if (publicNames.size < MAX_KNOWN_KEYS) publicNames.set(name, isTold)
  return isTold
}

function isPlainData(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype
}

export interface RedactOptions {
  /** Texts that are secret in themselves (the keys of this installation). */
  secrets?: readonly string[]
  /** Leaves secret members out instead of masking them, and texts unescaped: for rows and clients. */
  omit?: boolean
}

/**
 * A copy of `value` without secrets, fit for `JSON.stringify`: errors, dates, big integers, cycles and throwing
 * getters included. Past the bounds it is cut, and says so.
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
      const name =
        typeof key === 'string' && PLAIN_NAME.test(key) ? key : this.#text(String(key).slice(0, 256))
      if (this.#spent()) {
        copy['…'] = '[cut]'
        break
      }
      if (isSecretName(name) && !isPlain(name, member)) {
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

  #text(text: string): string {
    let safe = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…[${text.length - MAX_TEXT} more]` : text
    for (const secret of this.#secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, MASK)
    safe = maskText(safe)
    return this.#omit ? safe : escapeControls(safe)
  }

  #spent(): boolean {
    this.#nodes += 1
    return this.#nodes > MAX_NODES
  }
}

/** Values under a secret's name that cannot be one: absent, yes or no, and the short numbers brokers call tokens. */
function isPlain(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean' || value === '') return true
  return name.toLowerCase() === 'token' && /^\d{1,9}$/.test(String(value))
}

/** `code` holds the name of an error, a close code of a socket, or six digits off somebody's phone. */
function isOneTimeCode(name: string, value: unknown): boolean {
  if (typeof value === 'object' || name.toLowerCase() !== ONE_TIME_CODE) return false
  return /^\d{6,8}$/.test(String(value))
}
