import { isObject, parseJson } from '../../../client/answers/json.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { Io } from '../../io/io.js'
import { readInput } from '../order/request.js'

/** A field of a request: its name, such as `symbol`, `legs[]` or `rules[max]`, and its value. */
export interface Field {
  name: string
  value: unknown
}

/** Splits `name=value`. @throws a usage error */
export function parseField(word: string): { name: string; value: string } {
  const [name, value] = splitAssignment(word, 'name=value')
  return { name, value }
}

/** Returns a typed value: JSON where the text is JSON, the text of `@file`, otherwise the text itself. */
export async function typedValue(text: string, io: Io): Promise<unknown> {
  if (text.startsWith('@')) return readInput(text.slice(1), io)
  const value = parseJson(text)
  // A number keeps its digits only if it reads back the same.
  if (typeof value === 'number' && String(value) !== text.trim()) return text
  return value === undefined || typeof value === 'string' ? text : value
}

type Tree = { [name: string]: unknown }

/** Returns the JSON body of the fields. `a[b]` is a field of an object, `a[]` adds an element to a list. */
export function bodyOf(fields: readonly Field[]): Tree {
  const body: Tree = Object.create(null)
  for (const { name, value } of fields) place(body, name, value)
  return body
}

function place(body: Tree, name: string, value: unknown): void {
  const [, first = name, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? []
  if (inner === undefined) {
    body[first] = value
  } else if (inner === '') {
    const list: readonly unknown[] = Array.isArray(body[first]) ? body[first] : []
    body[first] = [...list, value]
  } else {
    body[first] = { ...(isObject(body[first]) ? body[first] : {}), [inner]: value }
  }
}

/** Returns a path with the fields added to its query. */
export function withQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path
  const url = new URL(path, 'http://daemon')
  for (const { name, value } of fields) {
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return `${url.pathname}${url.search}`
}
