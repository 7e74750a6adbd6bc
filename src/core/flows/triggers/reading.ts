import { isBlank } from '../graph/graph.js'
import { parseNumber } from '../language/numbers.js'
import type { FieldProblem } from '../nodes/definition.js'
import { savedFlag } from '../nodes/form.js'

/** The result of reading settings of a trigger: a value, or all problems. */
export type Parsed<T> = { value: T; problems?: undefined } | { problems: FieldProblem[]; value?: undefined }

export function invalid(...problems: FieldProblem[]): Parsed<never> {
  return { problems }
}

/** Returns a stored value as trimmed text; an empty text for undefined and null. */
export function trimmed(value: unknown): string {
  if (value === undefined || value === null) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).trim()
}

export function lower(value: unknown): string {
  return trimmed(value).toLowerCase()
}

export function upper(value: unknown): string {
  return trimmed(value).toUpperCase()
}

/** Returns a positive number; undefined for anything else, booleans included. */
export function positive(value: unknown): number | undefined {
  const number = typeof value === 'boolean' ? undefined : parseNumber(value)
  return number !== undefined && number > 0 ? number : undefined
}

/** Returns the choice a stored value names, ignoring case; the first choice if the value is blank. */
export function choice<const C extends string>(
  field: string,
  value: unknown,
  choices: readonly [C, ...C[]],
): Parsed<C> {
  const askedChoice = lower(value) || choices[0]
  const found = choices.find((one) => one === askedChoice)
  if (found !== undefined) return { value: found }
  const message = `${field} must be one of ${choices.join(', ')}, got '${trimmed(value)}'`
  return invalid({ field, code: 'invalid_field', message, expected: choices, received: value })
}

/** Returns the flag that a stored value means; false if the value is blank. */
export function flag(field: string, value: unknown): Parsed<boolean> {
  const found = isBlank(value) ? false : savedFlag(value)
  if (found !== undefined) return { value: found }
  const message = `${field} must be true or false, got '${trimmed(value)}'`
  return invalid({ field, code: 'invalid_field', message, received: value })
}
