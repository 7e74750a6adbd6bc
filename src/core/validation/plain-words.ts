import type { z } from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a group of fields',
  record: 'a group of fields',
  string: 'a text',
}

/**
 * The messages about files that people write, for values whose schema has no message of its own. Pass it as the `error` of a
 * parse: the messages of the validation library name types of the program.
 */
export const inPlainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be ${oneOf(issue.values)}`
    case 'too_small':
      return `must ${hasSize(issue.origin) ? 'have' : 'be'} at least ${issue.minimum}${unitOf(issue.origin, Number(issue.minimum))}`
    case 'too_big':
      return `must ${hasSize(issue.origin) ? 'have' : 'be'} at most ${issue.maximum}${unitOf(issue.origin, Number(issue.maximum))}`
    case 'invalid_format':
      return 'has the wrong form'
    case 'invalid_union':
      return 'has none of the forms that it may have'
    default:
      return 'is not a valid value'
  }
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? String(values[0]) : `one of: ${values.join(', ')}`
}

function hasSize(origin: string): boolean {
  return Object.hasOwn(UNITS, origin)
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function unitOf(origin: string, count: number): string {
  const [one, many] = UNITS[origin] ?? []
  if (one === undefined) return ''
  return ` ${count === 1 ? one : many}`
}
