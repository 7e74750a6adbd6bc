import { usageError } from './errors.js'

export interface Assignment {
  key: string
  value: string
}

/**
 * Splits a word at its first `=`. `form` is what the error says that the word should be.
 * @throws a usage error
 */
export function splitAssignment(word: string, form: string, hint?: string): [name: string, value: string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageError(`"${word}" is not of the form ${form}.`, hint)
  return [word.slice(0, at), word.slice(at + 1)]
}

/**
 * Parses `key=value` words; two words without `=` are one key and its value.
 * @throws a usage error with an example
 */
export function parseAssignments(words: readonly string[], example: string): Assignment[] {
  const [first = '', second = ''] = words
  if (words.length === 2 && !first.includes('=')) return [{ key: first, value: second }]
  return words.map((word) => {
    const [key, value] = splitAssignment(word, 'key=value', `Example: ${example}`)
    return { key, value: value.trim() }
  })
}
