/** An object as it came: members are read by name, and none is taken for granted. */
export type Json = Readonly<Record<string, unknown>>

/** The JSON object in a text; undefined when it holds anything else. */
export function objectOf(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** A value as an object; undefined when it is none. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}
