/** A JSON object, not validated: any member may be missing. */
export type Json = Readonly<Record<string, unknown>>

/** Returns the JSON object in a text, or undefined when the text contains anything else. */
export function objectOf(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Returns a value as an object, or undefined when it is not an object. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}
