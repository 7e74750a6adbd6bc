/** A JSON object of a file or a stream, whose members nobody has checked yet. */
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

/** A member as text: text itself or a number's digits; undefined for anything else. */
export function textOf(object: object, key: string): string | undefined {
  const value: unknown = Reflect.get(object, key)
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** A member as a number, numeric text included; undefined for anything else. */
export function numberOf(object: object, key: string): number | undefined {
  const value: unknown = Reflect.get(object, key)
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '' || Number.isNaN(Number(value))) return undefined
  return Number(value)
}

/** The names that any member of a union has. */
export type KeyOf<T> = T extends unknown ? Extract<keyof T, string> : never
type At<T, K extends string> = T extends unknown ? (K extends keyof T ? T[K] : undefined) : never

/** A member of an answer that has several shapes; undefined in the shapes without it. */
export function member<T extends object, K extends KeyOf<T>>(answer: T, key: K): At<T, K>
export function member(answer: object, key: string): unknown {
  return Reflect.get(answer, key)
}
