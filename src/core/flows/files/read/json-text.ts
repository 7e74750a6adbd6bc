import { isObject } from '../../../validation/index.js'
import type { NodeDefinition } from '../../nodes/definition.js'

type Data = Readonly<Record<string, unknown>>

/*
 * The graph stores some objects as JSON text, because other systems expect text there. Files show a mapping instead. The
 * fields are those with `jsonText` in the table of node types.
 */

/** Returns the data of a node for a graph: mappings of such fields become JSON text. */
export function withText(data: Data, definition: NodeDefinition | undefined): Record<string, unknown> {
  return changed(data, definition, (value) => (isObject(value) ? jsonText(value) : value))
}

/** Returns the data of a node for a file: JSON text of such fields becomes a mapping, if a file can hold it. */
export function withMappings(data: Data, definition: NodeDefinition | undefined): Record<string, unknown> {
  return changed(data, definition, (value) => mappingIn(value) ?? value)
}

/** Returns the data with all such fields in one spelling of their JSON, for comparisons. */
export function withOneSpelling(data: Data, definition: NodeDefinition | undefined): Record<string, unknown> {
  return withText(withMappings(data, definition), definition)
}

function changed(
  data: Data,
  definition: NodeDefinition | undefined,
  change: (value: unknown) => unknown,
): Record<string, unknown> {
  const entries = Object.entries(data)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isJsonText(definition, name) ? change(value) : value]),
  )
}

function isJsonText(definition: NodeDefinition | undefined, name: string): boolean {
  const fields = definition?.fields ?? {}
  return Object.hasOwn(fields, name) && fields[name]?.jsonText === true
}

/** Returns JSON with a space after each colon and comma, as the public system writes it. */
function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item)}`)
  return `{${members.join(', ')}}`
}

/** Nesting that a file surely can hold below a field. */
const MAX_LEVELS = 32

function mappingIn(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && fitsFile(value, MAX_LEVELS) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns whether a file gives the value back unchanged: no lost digits, no `__proto__`, not nested deeply. */
function fitsFile(value: unknown, levels: number): boolean {
  if (typeof value === 'number') {
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  }
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((item) => fitsFile(item, levels - 1))
}
