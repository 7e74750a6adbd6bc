import { nearestName } from '../validation/index.js'

/**
 * Shorter names often differ by a letter or two on purpose. They match only if one is a prefix of the other.
 */
const SHORTEST_GUESSED = 4
const SHORTEST_ABBREVIATION = 3

/** Returns the known name that a typo most likely means. */
export function likelyName(name: string, known: readonly string[]): string | undefined {
  const best = nearestName(name, known) ?? known.find((one) => abbreviates(name, one))
  if (best === undefined || Math.min(name.length, best.length) >= SHORTEST_GUESSED) return best
  const [one, other] = [name.toLowerCase(), best.toLowerCase()]
  return one.startsWith(other) || other.startsWith(one) || abbreviates(one, other) ? best : undefined
}

/** Returns whether a text is a name with letters left out after the first, as `qty` is of `quantity`. */
function abbreviates(text: string, name: string): boolean {
  const [short, long] = [text.toLowerCase(), name.toLowerCase()]
  if (short.length < SHORTEST_ABBREVIATION || short[0] !== long[0]) return false
  let at = 0
  for (const letter of long) if (letter === short[at]) at += 1
  return at === short.length
}

/** Returns ` Did you mean "symbol"?`, or an empty text if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = likelyName(name, known)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}
