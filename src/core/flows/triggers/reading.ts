import { parseNumber } from '../language/numbers.js'
import type { FieldProblem } from '../nodes/definition.js'

/** What came of reading settings of a trigger: a value, or everything that is wrong with them. */
export type Read<T> = { value: T; problems?: undefined } | { problems: FieldProblem[]; value?: undefined }

export function refused(...problems: FieldProblem[]): Read<never> {
  return { problems }
}

/** A saved value as trimmed text; nothing gives the empty text. */
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

/** A positive number; undefined for anything else. Yes and no are not numbers here. */
export function positive(value: unknown): number | undefined {
  const number = typeof value === 'boolean' ? undefined : parseNumber(value)
  return number !== undefined && number > 0 ? number : undefined
}

/** The choice a saved value means, compared without regard to case; the first one when it is blank. */
export function choice<const C extends string>(
  field: string,
  value: unknown,
  choices: readonly [C, ...C[]],
): Read<C> {
  const wanted = lower(value) || choices[0]
  const found = choices.find((one) => one === wanted)
  if (found !== undefined) return { value: found }
  const message = `${field} must be one of ${choices.join(', ')}, got '${trimmed(value)}'`
  return refused({ field, code: 'invalid_field', message, expected: choices, received: value })
}
