/** A JSON object from a file or a stream, with unchecked members. */
export type JsonObject = { readonly [member: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a member as text: text itself or a number's digits; undefined for anything else. */
export function textMember(object: object, key: string): string | undefined {
  const value: unknown = Reflect.get(object, key)
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** Returns a member as a number, numeric text included; undefined for anything else. */
export function numberMember(object: object, key: string): number | undefined {
  const value: unknown = Reflect.get(object, key)
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '' || Number.isNaN(Number(value))) return undefined
  return Number(value)
}

/** The names of all members in a union of types. */
export type KeyOf<T> = T extends unknown ? Extract<keyof T, string> : never
type At<T, K extends string> = T extends unknown ? (K extends keyof T ? T[K] : undefined) : never

/** Returns a member of an answer with several shapes; undefined in the shapes without it. */
export function member<T extends object, K extends KeyOf<T>>(answer: T, key: K): At<T, K>
export function member(answer: object, key: string): unknown {
  return Reflect.get(answer, key)
}
