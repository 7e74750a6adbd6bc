import { isObject } from '../../validation/index.js'
import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'
import { lengthOf, TOO_LONG } from './size.js'

/** The values that references can name. See docs/flows.md. */
export interface Scope {
  /** Returns the current value of a built-in; undefined for any other name. */
  builtin(name: string): string | undefined
  variables: ReadonlyMap<string, unknown>
  /**
   * Returns the value of a secret or of an environment variable with the flow prefix; undefined if it does
   * not exist.
   */
  secret(kind: 'env' | 'secret', name: string): string | undefined
  /** Counts the characters of texts that are filled in. */
  spend?(characters: number): void
}

/** The beginning of a reference to a variable or to a secret. */
const OPENING = /\{\{|\$\{(env|secret):/g
const LONE_REFERENCE = /^\{\{[^}]*\}\}$/
const TOO_MANY = `A text has more than ${LIMITS.references} references`
const SEGMENT = /^(?:\.?([^.[\]]+)|\[(\d+)\])/

/** The parsed references of texts, cached because each run reads the same texts. */
const known = new Map<string, readonly Reference[]>()
const KNOWN = { texts: 4096, length: 4096 } as const

/**
 * Replaces the references of a text by their values. Unresolved references stay as written. @throws NodeError
 * for a secret that is not set, and for a text that becomes too long
 */
export function interpolate(text: string, scope: Scope): string {
  return mayRefer(text) ? new Filling(scope).text(text) : text
}

/** Interpolates all strings in a value, at any depth. Each of them stays a string. @throws like {@link interpolate} */
export function interpolateAll(value: unknown, scope: Scope): unknown {
  const filling = new Filling(scope)
  return withStrings(value, (text) => filling.text(text))
}

/**
 * The texts of one value that are filled in. The value of each reference becomes a text once, and the length is limited while
 * the text grows: a text of 20,000 references must not take the memory of 20,000 values first.
 */
class Filling {
  readonly #scope: Scope
  readonly #texts = new Map<string, string>()
  readonly #lengths = new Map<string, number>()
  #left: number = LIMITS.valueLength

  constructor(scope: Scope) {
    this.#scope = scope
  }

  text(text: string): string {
    if (!mayRefer(text)) {
      this.#take(text.length)
      return text
    }
    let filled = ''
    let place = 0
    for (const reference of referencesOf(text)) {
      const value = this.#textOf(reference, text)
      this.#take(reference.start - place + value.length)
      filled += text.slice(place, reference.start)
      filled += value
      place = reference.end
    }
    this.#take(text.length - place)
    return filled + text.slice(place)
  }

  /** Returns a string with its references filled in, or the value itself if the string is exactly one reference. */
  value(text: string): unknown {
    const [lone] = LONE_REFERENCE.test(text.trim()) ? referencesOf(text.trim()) : []
    const found = lone && lookUp(lone, this.#scope)
    if (lone === undefined || found === undefined) return this.text(text)
    const length = this.#lengths.get(lone.name) ?? lengthOf(found, this.#left)
    this.#lengths.set(lone.name, length)
    this.#take(length)
    return found
  }

  #textOf(reference: Reference, text: string): string {
    const written = text.slice(reference.start, reference.end)
    const made = this.#texts.get(written)
    if (made !== undefined) return made
    const { kind, name } = reference
    const value =
      kind === undefined
        ? interpolatedText(lookUp(reference, this.#scope) ?? written)
        : secretOf(kind, name, this.#scope)
    this.#texts.set(written, value)
    return value
  }

  #take(length: number): void {
    this.#left -= length
    if (this.#left < 0) throw new NodeError(TOO_LONG)
    this.#scope.spend?.(length)
  }
}

interface Reference {
  start: number
  end: number
  /** The kind of secret; undefined for a variable. */
  kind: 'env' | 'secret' | undefined
  name: string
  /** The path to a variable; undefined if the name is not a path. */
  path: readonly (string | number)[] | undefined
}

function referencesOf(text: string): readonly Reference[] {
  const found = known.get(text)
  if (found) return found
  const references = boundedReferences(text)
  if (known.size >= KNOWN.texts) known.clear()
  if (text.length <= KNOWN.length) known.set(text, references)
  return references
}

function boundedReferences(text: string): Reference[] {
  const references: Reference[] = []
  for (const reference of referencesIn(text)) {
    if (references.push(reference) > LIMITS.references) throw new NodeError(TOO_MANY)
  }
  return references
}

/**
 * Yields the references of a text as saved, in linear time. Inserted values are never searched for
 * references.
 */
function* referencesIn(text: string): Generator<Reference> {
  let free = 0
  let close = -1
  for (const { index: start, 0: opening, 1: kind } of text.matchAll(OPENING)) {
    const from = start + opening.length
    if (start < free) continue
    if (close < from) close = text.indexOf('}', from)
    if (close < 0) return
    const end = close + (kind === undefined ? 2 : 1)
    if (text[end - 1] !== '}') continue
    free = end
    const name = text.slice(from, close).trim()
    const secret = kind === 'env' || kind === 'secret' ? kind : undefined
    yield { start, end, kind: secret, name, path: secret ? undefined : segmentsOf(name) }
  }
}

const mayRefer = (text: string): boolean => text.includes('{{') || text.includes('${')

/**
 * Interpolates all strings in a value, at any depth. A string that is exactly one reference becomes the value
 * itself, with its type. @throws like {@link interpolate}
 */
export function resolve(value: unknown, scope: Scope): unknown {
  const filling = new Filling(scope)
  return withStrings(value, (text) => filling.value(text))
}

/** Returns a value with all of its strings changed, at any depth. */
function withStrings(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item: unknown) => withStrings(item, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withStrings(item, change)]))
}

/** Returns the strings in a value that still contain a reference after interpolation. */
export function unresolvedIn(value: unknown, scope: Scope): string[] {
  const filling = new Filling(scope)
  const open: string[] = []
  withStrings(value, (text) => {
    const filled = mayRefer(text) ? filling.text(text) : ''
    if (filled.includes('{{')) open.push(filled)
    return text
  })
  return open
}

/** Returns the value of a reference: a built-in or a path into the variables. A null counts as undefined. */
function lookUp({ name, path }: Reference, { builtin, variables }: Scope): unknown {
  return builtin(name) ?? (path && walkPath(path, variables))
}

/** Returns the value at a path such as `a.b[0].c`; undefined if it does not exist. */
export function walk(path: string, variables: ReadonlyMap<string, unknown>): unknown {
  const segments = segmentsOf(path)
  return segments && walkPath(segments, variables)
}

function walkPath(path: readonly (string | number)[], variables: ReadonlyMap<string, unknown>): unknown {
  const [first] = path
  return typeof first === 'string' ? walkInto(variables.get(first), path, 1) : undefined
}

/** Returns the value at a path inside a value, from segment `from` on; undefined if it does not exist. */
export function walkInto(value: unknown, path: readonly (string | number)[], from = 0): unknown {
  let current = value
  for (let place = from; place < path.length; place++) {
    const segment = path[place] ?? ''
    if (typeof segment === 'number') {
      current = Array.isArray(current) ? current[segment] : undefined
    } else {
      current = isObject(current) && Object.hasOwn(current, segment) ? current[segment] : undefined
    }
    if (current === undefined || current === null) return undefined
  }
  return current ?? undefined
}

/** Splits `a.b[0]` into its segments; undefined if it is not a path. */
export function segmentsOf(path: string): (string | number)[] | undefined {
  const segments: (string | number)[] = []
  let rest = path
  while (rest !== '') {
    const [matched, key, index] = SEGMENT.exec(rest) ?? []
    if (matched === undefined) return undefined
    segments.push(index === undefined ? (key ?? '') : Number(index))
    rest = rest.slice(matched.length)
  }
  return segments.length > 0 ? segments : undefined
}

/** Returns a value as text: numbers in their shortest form, lists and objects as JSON. */
export function interpolatedText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '')
}

function secretOf(kind: 'env' | 'secret', name: string, scope: Scope): string {
  const value = scope.secret(kind, name.trim())
  if (value !== undefined) return value
  const what = kind === 'env' ? 'The environment variable' : 'The secret'
  throw new NodeError(`${what} '${name.trim()}' is not set`)
}
