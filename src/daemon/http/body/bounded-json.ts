import { ServiceError } from '../../../core/errors/index.js'
import { exceeds, excessOf, shapeOf } from '../../../core/validation/index.js'

/**
 * The most levels of nested lists and objects: far more than any client sends, far fewer than exhaust the
 * stack.
 */
export const MAX_JSON_DEPTH = 100

const OPENINGS = ['{', '['] as const

/**
 * Parses JSON from outside. It limits the nesting, so that copying or serializing the value cannot fail, and
 * the number of values, so that one text cannot hold up everything else: bodies are parsed before authentication, because
 * they contain the key.
 * @throws SyntaxError for text that is not JSON
 * @throws ServiceError `validation` for more levels than {@link MAX_JSON_DEPTH}, too many values, or too many members in one
 * object
 */
export function parseJson(text: string): unknown {
  const excess = excessOf(text)
  if (excess !== undefined) throw new ServiceError('validation', `JSON has ${excess}`)
  const value: unknown = JSON.parse(text)
  // Few texts have enough opening brackets to be too deep. Every order asks, so the question is cheap.
  if (exceeds(MAX_JSON_DEPTH, OPENINGS, text) && shapeOf(text).deepest > MAX_JSON_DEPTH) {
    throw new ServiceError('validation', `JSON is nested too deeply: at most ${MAX_JSON_DEPTH} levels`)
  }
  return value
}
