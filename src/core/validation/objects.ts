/** Returns whether a value is an object with members, as JSON knows it: not a list, not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a copy of an object; undefined for any other value. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? { ...value } : undefined
}
