import { isObject } from '../../../core/validation/index.js'
import { parseUniqueJson } from '../../http/body/unique-json.js'
import type { JsonSchema } from '../../openapi/json-schema.js'
import type { Arguments } from '../tools/tool.js'

/**
 * Returns the arguments of a call as its tool wants them. Models write lists as JSON text, `null` for an option that they
 * leave out, and names in any case. Whatever else is wrong stays as it is, so that the tool refuses it by name.
 * @throws ServiceError `validation` for JSON text that gives a member twice or is nested too deeply, as for the message
 */
export function leniently(given: Arguments, schema: JsonSchema): Arguments {
  return object(given, schema)
}

function object(given: Arguments, { properties = {} }: JsonSchema): Arguments {
  const members = Object.entries(given).flatMap(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!schema) return [[name, value] as const]
    if (value === null && !takes(schema, 'null')) return []
    return [[name, read(value, schema)] as const]
  })
  return Object.fromEntries(members)
}

function read(value: unknown, schema: JsonSchema): unknown {
  if (typeof value === 'string') return text(value, schema)
  if (Array.isArray(value)) return schema.items ? list(value, schema.items) : value
  return isObject(value) ? object(value, schema) : value
}

function list(values: readonly unknown[], items: JsonSchema): unknown[] {
  return values.map((value) => read(value, items))
}

function text(value: string, schema: JsonSchema): unknown {
  if (takes(schema, 'string')) return inCaseOf(wordsOf(schema), value)
  if (!takes(schema, 'array') && !takes(schema, 'object')) return value
  try {
    const parsed = parseUniqueJson(value)
    return typeof parsed === 'object' && parsed !== null ? read(parsed, schema) : value
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}

/** Returns the words of a list, which may stand in one of several forms. */
function wordsOf({ anyOf = [], enum: words = [] }: JsonSchema): readonly unknown[] {
  return [...words, ...anyOf.flatMap(wordsOf)]
}

/** Returns the word of a list that a text is, or is in another case; the text if there is none. */
function inCaseOf(words: readonly unknown[], value: string): string {
  if (words.includes(value)) return value
  const lowered = value.trim().toLowerCase()
  const found = words.find((word) => typeof word === 'string' && word.toLowerCase() === lowered)
  return typeof found === 'string' ? found : value
}

function takes({ anyOf, enum: words, type }: JsonSchema, typeName: string): boolean {
  if (anyOf) return anyOf.some((one) => takes(one, typeName))
  if (type === undefined) return typeName === 'string' && words !== undefined
  return Array.isArray(type) ? type.includes(typeName) : type === typeName
}
