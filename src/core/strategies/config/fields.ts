import { z } from 'zod'
import { parseTimeOfDay } from '../../time/index.js'

/**
 * Fields of a strategy. The error of a field is the end of a sentence that begins with its name: `legs[0].lots`
 * `must be a whole number from 1 to 50`.
 */
const NUMERIC_TEXT = /^[+-]?(\d{1,15}(\.\d{0,10})?|\.\d{1,10})$/
const CONTROL = /\p{C}/u
/** Amounts stay far below the largest that the ledger stores. */
const MAX_AMOUNT = 100_000_000_000
const MAX_PRICE = 100_000_000

/** The text of a missing field, or of one with a wrong value. */
const because = (rule: string) => (issue: { input?: unknown }) =>
  issue.input === undefined || issue.input === null ? 'is required' : rule

/** Builds a field whose `read` returns undefined for a value that the rule refuses. */
function field<T>(rule: string, json: Record<string, unknown>, read: (value: unknown) => T | undefined) {
  return z
    .unknown()
    .transform((value, ctx): T => {
      const result = read(value)
      if (result !== undefined) return result
      ctx.addIssue({ code: 'custom', message: because(rule)({ input: value }), input: value })
      return z.NEVER
    })
    .meta(json)
}

function numberIn(value: unknown): number | undefined {
  const parsed = typeof value === 'string' && NUMERIC_TEXT.test(value.trim()) ? Number(value) : value
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined
}

/** Returns whether a number has at most this many decimals. */
function hasDecimals(value: number, most: number): boolean {
  return Number(value.toFixed(most)) === value
}

/** A text without control characters; spaces around it are dropped. */
export const words = (most: number) =>
  field(
    `must be a text of 1 to ${most} characters without control characters`,
    { type: 'string', minLength: 1, maxLength: most },
    (value) => {
      if (typeof value !== 'string') return undefined
      const text = value.trim()
      return text.length > 0 && text.length <= most && !CONTROL.test(text) ? text : undefined
    },
  )

/** A symbol: upper case, without spaces. */
export const symbol = (most: number) =>
  field(
    `must be a symbol of 1 to ${most} characters without spaces`,
    { type: 'string', minLength: 1, maxLength: most },
    (value) => {
      if (typeof value !== 'string') return undefined
      const text = value.trim().toUpperCase()
      return text.length > 0 && text.length <= most && /^[\x21-\x7e]+$/.test(text) ? text : undefined
    },
  )

/** One of the listed words, in any case; the value is the listed word. */
export const choice = <const T extends readonly string[]>(values: T) =>
  field(`must be one of ${values.join(', ')}`, { type: 'string', enum: [...values] }, (value) =>
    typeof value === 'string'
      ? values.find((word): word is T[number] => word.toLowerCase() === value.trim().toLowerCase())
      : undefined,
  )

/** A whole number between two bounds. */
export const whole = (least: number, most: number) =>
  field(
    `must be a whole number from ${least} to ${most}`,
    { type: 'integer', minimum: least, maximum: most },
    (value) => {
      const number = numberIn(value)
      return number !== undefined && Number.isInteger(number) && number >= least && number <= most
        ? number
        : undefined
    },
  )

/** A price or a distance of prices, above zero, exact to four decimals. */
export const price = () =>
  field(
    'must be a number above 0 with at most 4 decimals',
    { type: 'number', exclusiveMinimum: 0 },
    (value) => {
      const number = numberIn(value)
      return number !== undefined && number > 0 && number <= MAX_PRICE && hasDecimals(number, 4)
        ? number
        : undefined
    },
  )

/** A distance of prices, exact to four decimals. */
export const distance = () =>
  field('must be a number of 0 or more with at most 4 decimals', { type: 'number', minimum: 0 }, (value) => {
    const number = numberIn(value)
    return number !== undefined && number >= 0 && number <= MAX_PRICE && hasDecimals(number, 4)
      ? number
      : undefined
  })

/** An amount of rupees, exact to the paisa. */
export const amount = () =>
  field('must be an amount of 0 or more with at most 2 decimals', { type: 'number', minimum: 0 }, (value) => {
    const number = numberIn(value)
    return number !== undefined && number >= 0 && number <= MAX_AMOUNT && hasDecimals(number, 2)
      ? number
      : undefined
  })

/** A time of day, `HH:MM` in IST. */
export const timeOfDay = () =>
  field(
    'must be a time of day, HH:MM',
    { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
    (value) =>
      typeof value === 'string' && value.length === 5 && parseTimeOfDay(value) !== undefined
        ? value
        : undefined,
  )

/** true or false. */
export const flag = () => z.boolean({ error: because('must be true or false') })

/** A list whose items have one form. */
export const list = <S extends z.ZodType>(item: S, least: number, most: number, things: string) =>
  z
    .array(item, { error: because(`must be a list of ${things}`) })
    .min(least, `must have ${least} to ${most} ${things}`)
    .max(most, least > 0 ? `must have ${least} to ${most} ${things}` : `must have at most ${most} ${things}`)

/** An object that accepts no other key. */
export const object = <const S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : because('must be an object')(issue)),
  })

/** A field that may be absent or null; both mean none. A value of 0 means none too, where `isNone` says so. */
export const optional = <S extends z.ZodType>(inner: S) => inner.nullish().transform((value) => value ?? null)

/** Like {@link optional}, and 0 means none: a stop at a distance of nothing would close at once. */
export const optionalMagnitude = (inner: z.ZodType<number>) =>
  inner.nullish().transform((value) => (value === undefined || value === null || value === 0 ? null : value))
