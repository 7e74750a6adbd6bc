import { editDistance } from '../../core/errors/index.js'

/**
 * Returns the known word closest to a mistyped one; undefined when none is near.
 * @param least the number of wrong letters that count as near in the shortest word
 */
export function nearest(word: string, known: readonly string[], least = 1): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(least, Math.floor(word.length * 0.4)) ? best.candidate : undefined
}
