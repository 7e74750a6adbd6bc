import { NodeError, type NodeRun } from '../definition.js'

const LONE_REFERENCE = /^\{\{[^}]*\}\}$/

/** Whether a text is one reference and nothing else. */
export function isLoneReference(text: string): boolean {
  return LONE_REFERENCE.test(text.trim())
}

/** The JSON a text holds; undefined when it holds none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A list from a field that has it as a list, as JSON text, or as a reference to either. References inside are
 * filled in after the text was read, so that what they stand for stays a value. @throws NodeError for anything else
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
