import { isObject } from '../validation/index.js'
/** One difference between two documents. */
export interface Change {
  kind: 'added' | 'removed' | 'changed'
  /** A path such as `name`, `nodes.range`, `nodes.range.with.rightValue`, `nodes.range.yes`, `legs[0].lots`. */
  path: string
  before?: unknown
  after?: unknown
}

/** Returns a change as text: `~ nodes.range.with.rightValue: "0.45" -> "0.5"`. */
export function changeText({ kind, path, before, after }: Change): string {
  const text = (value: unknown) => (value === undefined ? '' : JSON.stringify(value))
  if (kind === 'changed') return `~ ${path}: ${text(before)} -> ${text(after)}`
  const value = text(kind === 'added' ? after : before)
  return `${kind === 'added' ? '+' : '-'} ${path}${value === '' ? '' : `: ${value}`}`
}

/** Compares objects member by member, lists of objects item by item, and everything else as a whole. */
export function changesWithin(path: string, before: unknown, after: unknown): Change[] {
  if (isListOfObjects(before) && isListOfObjects(after)) return changesOfItems(path, before, after)
  if (!isObject(before) || !isObject(after)) return changesBetween(path, before, after)
  const keys = Object.keys({ ...before, ...after })
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  return keys.flatMap((key) => changesWithin(at(key), own(before, key), own(after, key)))
}

type Items = readonly Record<string, unknown>[]

function isListOfObjects(value: unknown): value is Items {
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

/** Compares what lies between the items that are the same at both ends. Places are those of the list that has the item. */
function changesOfItems(path: string, before: Items, after: Items): Change[] {
  const [old, now] = [before.map(canonicalJson), after.map(canonicalJson)]
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const [from, to] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return Array.from({ length: Math.max(from.length, to.length) }, (_, place) =>
    changesWithin(`${path}[${start + place}]`, from[place], to[place]),
  ).flat()
}

/** Compares two values as a whole. Null is a value that is absent. */
export function changesBetween(path: string, before: unknown, after: unknown): Change[] {
  if (canonicalJson(before) === canonicalJson(after)) return []
  if (before === undefined || before === null) return [{ kind: 'added', path, after }]
  if (after === undefined || after === null) return [{ kind: 'removed', path, before }]
  return [{ kind: 'changed', path, before, after }]
}

/** Returns JSON with sorted keys; those that are whole numbers come first. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value)) ?? 'undefined'
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, withSortedKeys(value[key])]),
  )
}

/** Returns a value without the members that are null. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNulls(member)]))
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
