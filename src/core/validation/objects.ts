/** Returns whether a value is an object with members, as JSON knows it: not a list, not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a copy of an object; undefined for any other value. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? { ...value } : undefined
}

type Path = readonly (string | number)[]

/** Returns the keys that a Zod schema knows at a path, from all its alternatives. */
export function keysAt(schema: unknown, path: Path): string[] {
  if (!isSchema(schema)) return []
  const { innerType, in: input, options, shape, element, valueType, catchall } = schema.def
  if (innerType ?? input) return keysAt(innerType ?? input, path)
  if (Array.isArray(options)) return options.flatMap((one) => keysAt(one, path))
  const [part, ...rest] = path
  if (part === undefined) return isObject(shape) ? Object.keys(shape) : []
  const member = isObject(shape) && Object.hasOwn(shape, String(part)) ? shape[String(part)] : undefined
  return keysAt(member ?? element ?? valueType ?? catchall, rest)
}

function isSchema(value: unknown): value is { def: Record<string, unknown> } {
  return isObject(value) && isObject(value.def)
}
