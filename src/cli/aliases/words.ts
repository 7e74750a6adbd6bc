import { usageError } from '../framework/errors.js'

/** A part of a word: plain characters, one character after a backslash, or a quoted text. */
const PART = /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s\\'"]+)/gsy

/**
 * Splits a line into words as a shell does, without being one: blanks are between words, quotes keep blanks, and a
 * backslash keeps one character. No variable, wildcard or command in it is replaced.
 * @throws a usage error for a quote that is not closed
 */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  let at = 0
  while (at < line.length) {
    const blank = /\s*/y
    blank.lastIndex = at
    blank.exec(line)
    at = Math.max(at, blank.lastIndex)
    if (at >= line.length) break
    const { word, end } = wordAt(line, at)
    words.push(word)
    at = end
  }
  return words
}

function wordAt(line: string, from: number): { word: string; end: number } {
  let [word, end] = ['', from]
  while (end < line.length && !/\s/.test(line.charAt(end))) {
    PART.lastIndex = end
    const found = PART.exec(line)
    if (found === null) throw usageError(`A quote or a backslash is not closed: ${line.slice(from)}`)
    const [whole, escaped, single, double, plain] = found
    word += escaped ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? plain ?? ''
    end += whole.length
  }
  return { word, end }
}
