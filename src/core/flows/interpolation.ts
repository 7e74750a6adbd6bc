import { NodeError } from './nodes/definition.js'

/** What references may name (contract, flow section 3). */
export interface Scope {
  /** The current value of a built-in name; undefined for any other. */
  builtin(name: string): string | undefined
  variables: ReadonlyMap<string, unknown>
  /** The value of a secret, or of an environment variable meant for flows; undefined where there is none. */
  secret(kind: 'env' | 'secret', name: string): string | undefined
}

/** How a reference to a variable, or to a secret, begins. */
const OPENING = /\{\{|\$\{(env|secret):/g
const LONE_REFERENCE = /^\{\{([^}]*)\}\}$/
const SEGMENT = /^(?:\.?([^.[\]]+)|\[(\d+)\])/

/** Fills in the references of a text. Those that cannot be resolved stay as they were written. @throws NodeError for a secret that is not set */
export function interpolate(text: string, scope: Scope): string {
  if (!mayRefer(text)) return text
  let filled = ''
  let place = 0
  for (const { start, end, kind, name } of referencesIn(text)) {
    filled += text.slice(place, start)
    if (kind !== undefined) filled += secretOf(kind, name, scope)
    else filled += textOf(lookUp(name, scope) ?? text.slice(start, end))
    place = end
  }
  return filled + text.slice(place)
}

interface Reference {
  start: number
  end: number
  /** Of a secret; undefined for a variable. */
  kind: 'env' | 'secret' | undefined
  name: string
}

/** The references of a text as saved; what is inserted for them is never looked at. In time linear in its length. */
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
    yield {
      start,
      end,
      kind: kind === 'env' || kind === 'secret' ? kind : undefined,
      name: text.slice(from, close),
    }
  }
}

const mayRefer = (text: string): boolean => text.includes('{{') || text.includes('${')

/** As {@link interpolate} for strings anywhere in a value; a text that is one reference and nothing else gives the value itself. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') {
    const path = LONE_REFERENCE.exec(value.trim())?.[1]
    return (path === undefined ? undefined : lookUp(path, scope)) ?? interpolate(value, scope)
  }
  if (Array.isArray(value)) return value.map((item: unknown) => resolve(item, scope))
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, scope)]))
  }
  return value
}

/** Strings anywhere in a value that keep a reference once interpolated, as they read then. */
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

/** The value of a reference: a built-in, else a walk through the variables; null counts as nothing. */
function lookUp(path: string, scope: Scope): unknown {
  const name = path.trim()
  return scope.builtin(name) ?? walk(name, scope.variables)
}

/** Follows `a.b[0].c` from a variable. Undefined for whatever is not there. */
export function walk(path: string, variables: ReadonlyMap<string, unknown>): unknown {
  const segments = segmentsOf(path)
  const [first, ...rest] = segments ?? []
  if (typeof first !== 'string') return undefined
  return walkInto(variables.get(first), rest)
}

/** The same from a value. */
export function walkInto(value: unknown, segments: readonly (string | number)[]): unknown {
  let current = value
  for (const segment of segments) {
    if (typeof segment === 'number') {
      current = Array.isArray(current) ? current[segment] : undefined
    } else {
      current = isObject(current) && Object.hasOwn(current, segment) ? current[segment] : undefined
    }
    if (current === undefined || current === null) return undefined
  }
  return current ?? undefined
}

/** `a.b[0]` as its parts; undefined when it is no path. */
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

/** How a value reads inside a text: numbers in their shortest form, lists and objects as JSON. */
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
