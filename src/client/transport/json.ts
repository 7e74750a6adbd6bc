import { isObject, type JsonObject } from '../answers/json.js'

export type { JsonObject as Json } from '../answers/json.js'

/** Returns the JSON object in a text, or undefined when the text contains anything else. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Returns a value as an object, or undefined when it is not an object. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? { ...value } : undefined
}
