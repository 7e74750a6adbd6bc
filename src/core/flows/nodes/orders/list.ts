import { jsonIn } from '../../language/json.js'
import { NodeError, type NodeRun } from '../definition.js'

const LONE_REFERENCE = /^\{\{[^}]*\}\}$/

/** Returns whether a text is exactly one reference. */
export function isLoneReference(text: string): boolean {
  return LONE_REFERENCE.test(text.trim())
}

/**
 * Returns the list of a field that holds a list, JSON text, or a reference to either. References inside are
 * resolved after the text is parsed, so that their values cannot change the structure.
 *
 * @throws NodeError for anything else
 */
export function listOf(run: NodeRun, field: string): readonly unknown[] {
  const saved = run.raw(field)
  const list = typeof saved === 'string' ? listInText(run, saved) : run.resolve(saved)
  if (Array.isArray(list)) return list
  throw new NodeError(`${field} is not a list`)
}

function listInText(run: NodeRun, text: string): unknown {
  if (!isLoneReference(text)) return run.resolve(jsonIn(text))
  const value = run.resolve(text)
  return typeof value === 'string' ? jsonIn(value) : value
}
