import { parseNumber } from '../../../../src/core/flows/language/numbers.js'
import type { Output, Outputs } from '../../../../src/core/flows/nodes/output.js'
import { isObject } from '../../../../src/core/validation/index.js'

/** Returns the paths at which a value differs from its type. */
function misfits(value: unknown, output: Output, path = ''): string[] {
  // A value that is not known is null.
  if (value === null) return []
  switch (output.type) {
    case 'any':
      return []
    case 'text':
      return typeof value === 'string' ? [] : [`${path} is no text`]
    case 'number':
      return typeof value !== 'boolean' && parseNumber(value) !== undefined ? [] : [`${path} is no number`]
    case 'flag':
      return typeof value === 'boolean' ? [] : [`${path} is no flag`]
    case 'list':
      if (!Array.isArray(value)) return [`${path} is no list`]
      return value.flatMap((item: unknown, index) => misfits(item, output.item, `${path}[${index}]`))
    case 'object':
      return isObject(value) ? memberMisfits(value, output.members, path) : [`${path} is no object`]
  }
}

/** Returns the paths at which the members of an object differ from their types, are missing or are unknown. */
export function memberMisfits(
  value: Readonly<Record<string, unknown>>,
  members: Outputs,
  path = '',
): string[] {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(members, name))
  return [
    ...unknown.map((name) => `${path}.${name} is unknown`),
    ...Object.entries(members).flatMap(([name, output]) => {
      if (Object.hasOwn(value, name)) return misfits(value[name], output, `${path}.${name}`)
      return output.optional ? [] : [`${path}.${name} is missing`]
    }),
  ]
}
