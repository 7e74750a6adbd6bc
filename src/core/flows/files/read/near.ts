import { nearestName } from '../../../validation/index.js'

/** Shorter names differ by a letter or two without being meant, unless one begins like the other. */
const SHORTEST_GUESSED = 4

/** The known name a mistyped one was most likely meant to be. */
export function near(name: string, known: readonly string[]): string | undefined {
  const best = nearestName(name, known)
  if (best === undefined || Math.min(name.length, best.length) >= SHORTEST_GUESSED) return best
  const [one, other] = [name.toLowerCase(), best.toLowerCase()]
  return one.startsWith(other) || other.startsWith(one) ? best : undefined
}

/** ` Did you mean "symbol"?`, or nothing where no name is near. */
export function guess(name: string, known: readonly string[]): string {
  const best = near(name, known)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}
