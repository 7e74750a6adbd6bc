import { istDateTime } from '../../../core/time/index.js'

/* How the pages write numbers, times and stored values. */

// Loading the rules of a language takes 10 ms, so that the first page loads them and not the start.
let inRupees: Intl.NumberFormat | undefined
let inNumbers: Intl.NumberFormat | undefined

export function rupees(amount: number): string {
  inRupees ??= new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' })
  return inRupees.format(amount)
}

export function number(value: number): string {
  inNumbers ??= new Intl.NumberFormat('en-IN', { maximumFractionDigits: 2 })
  return inNumbers.format(value)
}

/** Returns an instant as pages write it: `YYYY-MM-DD HH:MM:SS` in Indian time. */
export const indianTime = (iso: string): string => istDateTime(Date.parse(iso))

/** Returns a stored time with 24 hours, as pages write it, where the answer for scripts has twelve. */
export function clockTime(text: string): string {
  return text.replace(/(\d\d)(:\d\d:\d\d) ([AP])M/, (_all, hour: string, rest: string, half: string) => {
    const hours = (Number(hour) % 12) + (half === 'P' ? 12 : 0)
    return `${String(hours).padStart(2, '0')}${rest}`
  })
}

export const milliseconds = (value: number): string => `${number(value)} ms`

/** The longest text of a cell. The export has all of it. */
const MAX_CELL = 240

/** Returns a stored value as the text of a cell: a dash for none, JSON for what is no text or number. */
export function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text
}

/**
 * Control characters, direction overrides and other characters without a shape. They could reorder or hide the
 * text around them, so that an order would look like another one.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/** Returns HTML in which every invisible character is named: `[U+202E]`. Lines and tabs stay. */
export function withVisibleCharacters(html: string): string {
  return html.replace(INVISIBLE, (character) => {
    if (character === '\n' || character === '\t') return character
    return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
  })
}
