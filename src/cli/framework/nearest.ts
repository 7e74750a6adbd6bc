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

/** The commands that end, take away or release something. */
const ENDING: ReadonlySet<string> = new Set([
  ...[
    'approve-all',
    'cancel',
    'cancel-all',
    'close',
    'close-all',
    'deactivate',
    'delete',
    'disable',
    'down',
    'kill',
  ],
  ...[
    'logout',
    'off',
    'reject',
    'remove',
    'reset',
    'restore',
    'revoke',
    'rollback',
    'rotate',
    'rotate-key',
    'settle',
  ],
  ...['stop', 'unlock'],
])

/**
 * Returns the command closest to a mistyped one, as {@link nearest}. One that ends something is only returned if no other is as
 * near: whoever repeats a suggestion without reading it must not delete a thing.
 */
export function nearestCommand(word: string, known: readonly string[]): string | undefined {
  return nearest(
    word,
    known.toSorted((a, b) => Number(ENDING.has(a)) - Number(ENDING.has(b))),
  )
}
