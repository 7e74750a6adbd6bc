type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const schemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isObject) : [])

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

/** A validator for the part of JSON Schema that this project uses. An unknown keyword is an error. */
export function mistakes(value: unknown, schema: Schema, root: Schema = schema, at = ''): string[] {
  const go = (one: unknown, sub: unknown, where = at) =>
    isObject(sub) ? mistakes(one, sub, root, where) : sub === false ? [`${where}: not allowed`] : []
  const fits = (sub: unknown) => go(value, sub).length === 0
  const unless = (ok: boolean, what: string) => (ok ? [] : [`${at}: ${what}`])
  const keywords: Readonly<Record<string, (argument: unknown) => string[]>> = {
    $ref: (ref) => {
      const name = String(ref).replace('#/$defs/', '')
      const target = isObject(root.$defs) ? root.$defs[name] : undefined
      return target === undefined ? [`${at}: no ${name}`] : go(value, target)
    },
    type: (types) =>
      unless(
        [types].flat().some((type) => KINDS[String(type)]?.(value)),
        `type ${String(types)}`,
      ),
    enum: (choices) => unless(Array.isArray(choices) && choices.includes(value), 'enum'),
    const: (only) => unless(only === value, `const ${String(only)}`),
    pattern: (text) =>
      unless(
        typeof value !== 'string' || new RegExp(String(text), 'u').test(value),
        `pattern ${String(text)}`,
      ),
    minLength: (least) => unless(typeof value !== 'string' || value.length >= Number(least), 'minLength'),
    minimum: (least) => unless(typeof value !== 'number' || value >= Number(least), 'minimum'),
    maximum: (most) => unless(typeof value !== 'number' || value <= Number(most), 'maximum'),
    required: (names) =>
      isObject(value) && Array.isArray(names)
        ? names.filter((name) => !Object.hasOwn(value, String(name))).map((name) => `${at}: needs ${name}`)
        : [],
    properties: (known) =>
      isObject(value) && isObject(known)
        ? Object.entries(known).flatMap(([key, sub]) =>
            Object.hasOwn(value, key) ? go(value[key], sub, `${at}/${key}`) : [],
          )
        : [],
    additionalProperties: (sub) =>
      isObject(value)
        ? Object.entries(value)
            .filter(([key]) => !(isObject(schema.properties) && Object.hasOwn(schema.properties, key)))
            .flatMap(([key, one]) => go(one, sub, `${at}/${key}`))
        : [],
    items: (sub) =>
      Array.isArray(value) ? value.flatMap((one, index) => go(one, sub, `${at}/${index}`)) : [],
    allOf: (all) => schemas(all).flatMap((sub) => go(value, sub)),
    anyOf: (any) => unless(schemas(any).some(fits), 'anyOf'),
    oneOf: (one) => unless(schemas(one).filter(fits).length === 1, 'oneOf'),
    if: (sub) => go(value, fits(sub) ? schema.then : schema.else),
  }
  const silent = ['$schema', '$defs', 'title', 'description', 'default', 'deprecated', 'then', 'else']
  return Object.entries(schema)
    .filter(([keyword]) => !silent.includes(keyword))
    .flatMap(([keyword, argument]) => keywords[keyword]?.(argument) ?? [`${at}: unknown keyword ${keyword}`])
}
