import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'

/** Limits values, because one that doubles in every node would take all memory. */
export const TOO_LONG = `A value is longer than ${LIMITS.valueLength} characters`

/**
 * Returns the length of a value as text, counted no further than `most`: of a list or an object about that of its JSON. It
 * makes no text.
 */
export function lengthOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let length = 2
  if (Array.isArray(value)) {
    for (const item of value) {
      length += 1 + lengthOf(item, most - length)
      if (length > most) break
    }
    return length
  }
  for (const [name, member] of Object.entries(value)) {
    length += name.length + 4 + lengthOf(member, most - length)
    if (length > most) break
  }
  return length
}

/** Returns the length of a value as text. @throws NodeError if it is longer than a value may be */
export function boundedLength(value: unknown): number {
  const length = lengthOf(value, LIMITS.valueLength)
  if (length > LIMITS.valueLength) throw new NodeError(TOO_LONG)
  return length
}
