/** A command line as words, as a shell takes it: quotes keep spaces, a backslash keeps the next character. */
export interface Line {
  /** The words; the last one is empty after a space, because a new word begins there. */
  words: readonly string[]
  /** True when a quote is not closed. */
  isOpen: boolean
}

/** Splits a command line. Words have no expansion: no variables, no patterns, no pipes. */
export function parsedLine(text: string): Line {
  const words: string[] = ['']
  let quote = ''
  let isKept = false
  for (const character of text) {
    if (isKept || (quote !== '' && character !== quote && (character !== '\\' || quote === "'"))) {
      words[words.length - 1] += character
      isKept = false
    } else if (character === '\\') isKept = true
    else if (character === quote) quote = ''
    else if (character === '"' || character === "'") quote = character
    else if (character !== ' ') words[words.length - 1] += character
    else if (words.at(-1) !== '') words.push('')
  }
  return { words, isOpen: quote !== '' || isKept }
}

/** Returns a word as a command line takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
