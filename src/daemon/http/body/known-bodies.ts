import { parseJson } from './bounded-json.js'

/** The most characters of all texts that are kept, about 5,000 symbols, and of one of them. The values take ten times as much. */
const MAX_KEPT_CHARACTERS = 200_000
const MAX_CHARACTERS = 50_000

/**
 * The bodies of an operation that clients send again and again, such as the symbols of a watch list: the same text is
 * parsed and checked once. Only bodies whose key was valid are kept, so that strangers cannot fill the memory; the key is
 * verified again each time.
 */
export class KnownBodies {
  readonly #kept = new Map<string, object>()
  /** The payloads of the kept bodies. */
  readonly #payloads = new WeakMap<object, unknown>()
  /** The texts of bodies that are being checked. */
  readonly #texts = new WeakMap<object, string>()
  #characters = 0

  /** Returns the JSON value of a text, the same object for a text that is kept. @throws like {@link parseJson} */
  readonly parse = (text: string): unknown => {
    const known = this.#kept.get(text)
    if (known) return known
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && text.length <= MAX_CHARACTERS) {
      this.#texts.set(value, text)
    }
    return value
  }

  /** Returns the payload of a body that is kept. It is frozen with all of its members. */
  payloadOf(given: unknown): unknown {
    return typeof given === 'object' && given !== null ? this.#payloads.get(given) : undefined
  }

  /** Keeps a body whose key and fields are valid, and freezes its payload. */
  keep(given: unknown, payload: unknown): void {
    if (typeof given !== 'object' || given === null) return
    const text = this.#texts.get(given)
    if (text === undefined || this.#kept.has(text)) return
    this.#texts.delete(given)
    this.#payloads.set(given, frozen(payload))
    this.#kept.set(text, given)
    this.#characters += text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= MAX_KEPT_CHARACTERS) break
      this.#kept.delete(oldest)
      this.#characters -= oldest.length
    }
  }
}

/** Freezes a value and its members, at any depth. */
function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
