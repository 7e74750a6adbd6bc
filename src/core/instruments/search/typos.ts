/** Shorter words are not corrected: one letter makes them a different word. */
const MIN_LENGTH = 3
const MIN_NAME_WORD = 4

/**
 * The words people search for: symbols of shares and indices, underlyings, words of company names. Finds
 * known words that differ from the typed word by one letter.
 */
export class KnownWords {
  /** Words by length. Symbols and underlyings come before words of names. */
  readonly #byLength = new Map<number, string[]>()
  readonly #known = new Set<string>()

  add(word: string): void {
    if (word.length < MIN_LENGTH - 1 || this.#known.has(word)) return
    this.#known.add(word)
    const words = this.#byLength.get(word.length)
    if (words) words.push(word)
    else this.#byLength.set(word.length, [word])
  }

  addName(name: string): void {
    for (const word of name.split(/[^A-Z0-9&-]+/)) if (word.length >= MIN_NAME_WORD) this.add(word)
  }

  /**
   * Returns known words that differ from `word` by one typo: a wrong letter, a missing one, an extra one, or
   * two swapped. Words of the same length come first. Numbers are never corrected, because another strike is
   * another contract.
   */
  near(word: string, limit: number): string[] {
    if (word.length < MIN_LENGTH || !/[A-Z]/.test(word)) return []
    const found: string[] = []
    for (const length of [word.length, word.length + 1, word.length - 1]) {
      for (const known of this.#byLength.get(length) ?? []) {
        if (isOneLetterAway(word, known) && found.push(known) === limit) return found
      }
    }
    return found
  }
}

export function isOneLetterAway(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let head = 0
  while (head < short.length && short[head] === long[head]) head++
  let tail = 0
  while (tail < short.length - head && short[short.length - 1 - tail] === long[long.length - 1 - tail]) tail++
  const differing = short.length - head - tail
  if (long.length > short.length) return differing === 0
  if (differing === 1) return true
  return differing === 2 && short[head] === long[head + 1] && short[head + 1] === long[head]
}
