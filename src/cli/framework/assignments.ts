import { usageError } from './errors.js'

export interface Assignment {
  key: string
  value: string
}

/**
 * Parses `key=value` words; two words without `=` are one key and its value.
 * @throws a usage error with an example
 */
export function parseAssignments(words: readonly string[], example: string): Assignment[] {
  const [key = '', value = ''] = words
  if (words.length === 2 && !key.includes('=')) return [{ key, value }]
  return words.map((word) => {
    const at = word.indexOf('=')
    if (at < 1) throw usageError(`"${word}" is not of the form key=value.`, `Example: ${example}`)
    return { key: word.slice(0, at), value: word.slice(at + 1).trim() }
  })
}
