import { nearestName } from '../../../validation/index.js'

/**
 * Shorter names often differ by a letter or two on purpose. They match only if one is a prefix of the other.
 */
const SHORTEST_GUESSED = 4

/** Returns the known name that a typo most likely means. */
export function likelyName(name: string, known: readonly string[]): string | undefined {
  const best = nearestName(name, known)
  if (best === undefined || Math.min(name.length, best.length) >= SHORTEST_GUESSED) return best
  const [one, other] = [name.toLowerCase(), best.toLowerCase()]
  return one.startsWith(other) || other.startsWith(one) ? best : undefined
}

/** Returns ` Did you mean "symbol"?`, or an empty text if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = likelyName(name, known)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}
