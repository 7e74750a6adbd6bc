import { z } from 'zod'

/** The characters that separate addresses or comments in a mail header are refused, so an address is always one. */
const ADDRESS = /^[^\s@\p{C}<>()[\]\\,;:"]+@[^\s@\p{C}<>()[\]\\,;:"]+\.[a-z]{2,}$/iu

/** Returns whether a text is one e-mail address, `local@domain.tld`. */
export function isEmailAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/**
 * Field types of the public API. They accept the values existing clients send (numbers as text, lower-case
 * sides) and use the error texts these clients know. Schemas are strict: see {@link parseWith} for unknown
 * fields.
 */
const MISSING = 'Missing data for required field.'
const NULL = 'Field may not be null.'

/** Picks the error text for an absent value, a null, or a value of the wrong type. */
const typed = (text: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? MISSING : issue.input === null ? NULL : text

const NUMERIC_TEXT = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Parses a number or numeric text. Booleans, NaN and infinities are refused. */
function toNumber(value: unknown, ctx: z.RefinementCtx): number {
  const fail = (message: string): never => {
    ctx.addIssue({ code: 'custom', message, input: value })
    return z.NEVER
  }
  if (value === undefined) return fail(MISSING)
  if (value === null) return fail(NULL)
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? value
      : fail('Special numeric values (nan or infinity) are not permitted.')
  }
  if (typeof value !== 'string') return fail('Not a valid number.')
  const text = value.trim()
  if (/^[+-]?(nan|inf(inity)?)$/i.test(text)) {
    return fail('Special numeric values (nan or infinity) are not permitted.')
  }
  if (!NUMERIC_TEXT.test(text)) return fail('Not a valid number.')
  const parsed = Number(text)
  return Number.isFinite(parsed) ? parsed : fail('Number too large.')
}

/** A JSON string with a maximum length. */
export const text = (maxLength = 255) =>
  z.string({ error: typed('Not a valid string.') }).max(maxLength, `Longer than maximum length ${maxLength}.`)

/** Control characters, and those that have no shape or turn the direction of a text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** The name of an instrument. Terminals and pages show it before an order is confirmed: nothing in it may hide or move a text. */
export const symbol = (maxLength = 100) =>
  text(maxLength).refine((name) => !UNSEEN.test(name), 'Must not contain control characters.')

/** A service API key. */
export const apiKeyField = () =>
  z
    .string({ error: typed('Not a valid string.') })
    .refine((key) => key.length >= 1 && key.length <= 256, 'Length must be between 1 and 256.')
    .meta({ minLength: 1, maxLength: 256 })

/** One of the listed texts, matched exactly. `shown` are those that the error text names. */
export const oneOf = <const T extends readonly [string, ...string[]]>(
  values: T,
  shown: readonly string[] = values,
) => z.enum(values, { error: typed(`Must be one of: ${shown.join(', ')}.`) })

/**
 * A number or numeric text. The JSON Schema type is given here, because Zod cannot derive it from a
 * transform.
 */
export const number = () =>
  z
    .unknown()
    .transform(toNumber)
    .meta({ type: ['number', 'string'], description: 'A number, or the same as text.' })

/** A number of zero or more, with an error text. */
export const nonNegative = (message: string) =>
  number()
    .refine((value) => value >= 0, message)
    .meta({ minimum: 0 })

/** A list of items. */
export const list = <S extends z.ZodType>(item: S) => z.array(item, { error: typed('Not a valid list.') })

/** A whole number; fractions are refused, not truncated. */
export const integer = () =>
  number()
    .refine((value) => Number.isSafeInteger(value), 'Not a valid integer.')
    .meta({ type: ['integer', 'string'], description: 'A whole number, or the same as text.' })

/** true/false, 1/0 and the usual words for them. */
export const boolean = () =>
  z
    .unknown()
    .transform(toBoolean)
    .meta({
      type: ['boolean', 'integer', 'string'],
      description: 'true or false; also 1, 0, yes, no, on, off.',
    })

/** Returns the flag that a value or a word means; undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  if ([true, 1, 'true', 't', 'yes', 'y', 'on', '1'].includes(word as string)) return true
  if ([false, 0, 'false', 'f', 'no', 'n', 'off', '0'].includes(word as string)) return false
  return undefined
}

function toBoolean(value: unknown, ctx: z.RefinementCtx): boolean {
  const flag = flagOf(value)
  if (flag !== undefined) return flag
  ctx.addIssue({
    code: 'custom',
    message: value === undefined ? MISSING : value === null ? NULL : 'Not a valid boolean.',
    input: value,
  })
  return z.NEVER
}
