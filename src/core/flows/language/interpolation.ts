import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'

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
}

/** The beginning of a reference to a variable or to a secret. */
const OPENING = /\{\{|\$\{(env|secret):/g
const LONE_REFERENCE = /^\{\{[^}]*\}\}$/
const SEGMENT = /^(?:\.?([^.[\]]+)|\[(\d+)\])/

/** Limits values, because one that doubles in every node would take all memory. */
export const TOO_LONG = `A value is longer than ${LIMITS.valueLength} characters`

/** The parsed references of texts, cached because each run reads the same texts. */
const known = new Map<string, readonly Reference[]>()
const KNOWN = { texts: 4096, length: 4096 } as const

/**
 * Replaces the references of a text by their values. Unresolved references stay as written. @throws NodeError
 * for a secret that is not set
 */
export function interpolate(text: string, scope: Scope): string {
  if (!mayRefer(text)) return text
  let filled = ''
  let place = 0
  for (const reference of referencesOf(text)) {
    const { start, end, kind, name } = reference
    filled += text.slice(place, start)
    if (kind !== undefined) filled += secretOf(kind, name, scope)
    else filled += textOf(lookUp(reference, scope) ?? text.slice(start, end))
    place = end
  }
  filled += text.slice(place)
  if (filled.length > LIMITS.valueLength) throw new NodeError(TOO_LONG)
  return filled
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
  const references = [...referencesIn(text)]
  if (known.size >= KNOWN.texts) known.clear()
  if (text.length <= KNOWN.length) known.set(text, references)
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
 * itself, with its type.
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') {
    const [lone] = LONE_REFERENCE.test(value.trim()) ? referencesOf(value.trim()) : []
    return (lone && lookUp(lone, scope)) ?? interpolate(value, scope)
  }
  if (Array.isArray(value)) return value.map((item: unknown) => resolve(item, scope))
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, scope)]))
  }
  return value
}

/** Returns the strings in a value that still contain a reference after interpolation. */
export function unresolvedIn(value: unknown, scope: Scope): string[] {
  if (typeof value === 'string') {
    if (!mayRefer(value)) return []
    const text = interpolate(value, scope)
    return text.includes('{{') ? [text] : []
  }
  if (Array.isArray(value)) return value.flatMap((item: unknown) => unresolvedIn(item, scope))
  if (isObject(value)) return Object.values(value).flatMap((item) => unresolvedIn(item, scope))
  return []
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
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '')
}

function secretOf(kind: 'env' | 'secret', name: string, scope: Scope): string {
  const value = scope.secret(kind, name.trim())
  if (value !== undefined) return value
  const what = kind === 'env' ? 'The environment variable' : 'The secret'
  throw new NodeError(`${what} '${name.trim()}' is not set`)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
