import { excessOf } from '../../validation/index.js'
import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'

/** The errors of a node with a value that recursive code cannot take. */
const TOO_DEEP = `The value is nested too deeply: at most ${LIMITS.levels} levels`

/**
 * Returns the JSON of a text; undefined if the text is not JSON.
 * @throws NodeError if it is nested too deeply for recursive code, or has too many members
 */
export function jsonIn(text: string): unknown {
  const excess = excessOf(text)
  if (excess !== undefined) throw new NodeError(`The value has ${excess}`)
  return shallow(parsed(text))
}

/** Returns the value itself. @throws NodeError if it is nested too deeply */
export function shallow<T>(value: T): T {
  if (isNestedDeeper(value, LIMITS.levels)) throw new NodeError(TOO_DEEP)
  return value
}

/** Returns whether lists and objects are nested more than `levels` deep. It looks no deeper than that. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Object.values(value)) if (isNestedDeeper(member, levels - 1)) return true
  return false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
