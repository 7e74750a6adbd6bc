import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'

/** The text of the failure of a node that meets such a value. */
const TOO_DEEP = `The value is nested too deeply: at most ${LIMITS.levels} levels`

/**
 * The JSON in a text; undefined when the text is no JSON.
 * @throws NodeError for more levels than code that calls itself once for each can walk
 */
export function jsonIn(text: string): unknown {
  return shallow(parsed(text))
}

/** The value itself. @throws NodeError when it is nested too deeply */
export function shallow<T>(value: T): T {
  if (isNestedDeeper(value, LIMITS.levels)) throw new NodeError(TOO_DEEP)
  return value
}

/** Whether lists and objects lie within each other on more levels than these. Looks no deeper than that. */
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
