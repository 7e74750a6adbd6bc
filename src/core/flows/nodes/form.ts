import { storedExpiry } from '../../instruments/index.js'
import { INTERVALS } from '../../market/index.js'
import { isDate } from '../../time/index.js'
import { flagOf } from '../../validation/index.js'
import { INDICATORS, IndicatorError, indicatorNamed } from '../indicators/index.js'

/**
 * The form of a value that is written out. Checks before a run, the JSON Schema of workflow files and the
 * documentation all take it from here.
 */
export interface Form {
  /** Completes "must be". */
  readonly rule: string
  /** All values, if they are a closed set. */
  readonly names?: readonly string[]
  /** True if the case of the names matters. */
  readonly exact?: boolean
  /** A regular expression for the trimmed text, in the syntax of JSON Schema. */
  readonly pattern?: string
  /** Returns whether the trimmed text is right. It replaces the comparison with `names` and `pattern`. */
  accepts?(text: string): boolean
  /** Returns why a text cannot be used, if there is more to say than the rule. */
  reason?(text: string): string | undefined
}

const HOUR = '([01]?\\d|2[0-3])'
const BELOW_60 = '[0-5]\\d'

export const TIME = {
  rule: 'a time of day, HH:MM or HH:MM:SS',
  pattern: `^${HOUR}:${BELOW_60}(:${BELOW_60})?$`,
} as const satisfies Form

export const MINUTE = {
  rule: 'a time of day, HH:MM',
  pattern: `^${HOUR}:${BELOW_60}$`,
} as const satisfies Form

/** The hour has two digits, because other bounds of market hours are ignored. */
export const TWO_DIGIT_MINUTE = {
  rule: 'a time of day with two digits each, HH:MM',
  pattern: `^([01]\\d|2[0-3]):${BELOW_60}$`,
} as const satisfies Form

export const DATE = {
  rule: 'a date, YYYY-MM-DD',
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  accepts: isDate,
} as const satisfies Form

/** A date, and whatever follows its tenth character. */
export const DATE_FIRST = {
  rule: 'a date, YYYY-MM-DD',
  pattern: '^\\d{4}-\\d{2}-\\d{2}',
  accepts: (text) => isDate(text.slice(0, 10)),
} as const satisfies Form

const INSTANT_PATTERN =
  '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?\\s*([Zz]|[+-]\\d{2}:?\\d{2})?)?$'

export const INSTANT = {
  rule: 'a date with or without a time, such as 2026-11-20T09:31',
  pattern: INSTANT_PATTERN,
  accepts: (text) => new RegExp(INSTANT_PATTERN).test(text) && isDate(text.slice(0, 10)),
} as const satisfies Form

export const INTERVAL = {
  rule: `an interval: ${INTERVALS.join(', ')}`,
  names: INTERVALS,
  exact: true,
} as const satisfies Form

export const INDICATOR = {
  rule: 'an indicator',
  names: [...INDICATORS.keys()],
  reason: (text) => {
    try {
      indicatorNamed(text)
      return undefined
    } catch (error) {
      return error instanceof IndicatorError && !error.message.startsWith('unknown')
        ? error.message
        : undefined
    }
  },
} as const satisfies Form

export const SYMBOL = {
  rule: 'one symbol without its exchange, such as SBIN',
  pattern: '^[^\\s:,]+$',
} as const satisfies Form

const EXPIRY_PATTERN = '\\d{2}-?[A-Za-z]{3}-?(20)?\\d{2}'

export const EXPIRY = {
  rule: 'an expiry such as 28OCT25',
  pattern: `^${EXPIRY_PATTERN}$`,
  accepts: (text) => storedExpiry(text) !== undefined,
} as const satisfies Form

/** Returns the form of an expiry date, or one of some keywords. */
export function expiryOr(keywords: readonly string[]): Form {
  return {
    rule: `an expiry such as 28OCT25, or one of ${keywords.join(', ')}`,
    pattern: `^(${EXPIRY_PATTERN}|${keywords.join('|')})$`,
    accepts: (text) => keywords.includes(text.toLowerCase()) || EXPIRY.accepts(text),
  }
}

export const STRIKE_OFFSET = {
  rule: 'ATM, ITM1 to ITM50 or OTM1 to OTM50',
  pattern: '^([Aa][Tt][Mm]|([IiOo][Tt][Mm])([1-9]|[1-4]\\d|50))$',
} as const satisfies Form

export const YEAR = {
  rule: '0 or a year from 2020 to 2050',
  pattern: '^(0|20[2-4]\\d|2050)$',
} as const satisfies Form

export const WEB_ADDRESS = {
  rule: 'a URL with http or https',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://\\S+$',
} as const satisfies Form

export const PHONE = {
  rule: 'a phone number of 7 to 15 digits',
  pattern: '^\\D*(\\d\\D*){7,15}$',
} as const satisfies Form

export const FLAG = { rule: 'true or false', names: ['true', 'false', '0', '1'] } as const satisfies Form

/** Returns the flag that a saved value means, in any spelling of the order endpoints; undefined for anything else. */
export function savedFlag(value: unknown): boolean | undefined {
  return flagOf(typeof value === 'string' ? value.trim() : value)
}

/** Returns the form of a closed set of names, whose case does not matter. */
export function oneOf(names: readonly string[]): Form {
  return { rule: `one of ${names.join(', ')}`, names }
}

/** Returns the rule that a text breaks; undefined if it has the form. */
export function brokenRule(form: Form, text: string): string | undefined {
  if (fits(form, text.trim())) return undefined
  return form.reason?.(text.trim()) ?? `is not ${form.rule}`
}

function fits({ names, exact, pattern, accepts }: Form, text: string): boolean {
  if (accepts) return accepts(text)
  if (names)
    return names.some((name) => name === text || (!exact && name.toLowerCase() === text.toLowerCase()))
  return pattern === undefined || new RegExp(pattern).test(text)
}
