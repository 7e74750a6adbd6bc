import { isObject } from '../../client/answers/json.js'

/** Fields that are sentences already: they come first, without their name. */
const SENTENCES = ['message', 'error', 'error_message', 'warning', 'reason'] as const

/** Returns a name in words: `order_update` is "order update". */
export const inWords = (name: string): string => name.replaceAll(/[._]/g, ' ')

/**
 * Returns facts in words: sentences first, then `name value` pairs. Names without a value are left out, a list
 * is its length or its words, an object is its own facts.
 */
export function factsInWords(facts: object, omit: ReadonlySet<string> = new Set()): string {
  const entries: [string, unknown][] = Object.entries(facts)
  const sentences = SENTENCES.flatMap((name) => {
    const text: unknown = Reflect.get(facts, name)
    return omit.has(name) || typeof text !== 'string' || text === '' ? [] : text
  })
  const named = entries
    .filter(([name]) => !omit.has(name) && !SENTENCES.some((sentence) => sentence === name))
    .flatMap(([name, value]) => {
      const text = valueInWords(value)
      return text === '' ? [] : `${inWords(name)} ${text}`
    })
  return [...new Set(sentences), ...named].join(', ')
}

/** Returns a value in words; empty for nothing. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value
    return parts.map((part) => (isObject(part) ? `(${factsInWords(part)})` : valueInWords(part))).join(', ')
  }
  return isObject(value) ? factsInWords(value) : String(value)
}
