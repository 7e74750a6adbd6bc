import { isObject } from '../../validation/index.js'
import type { Body } from '../ports.js'
import type { NodeResult } from './definition.js'

/** Returns the `data` object of a body; an empty object if it is a list or missing. */
export function dataOf({ data }: Readonly<Body>): Body {
  return isObject(data) ? data : {}
}

/**
 * Returns the body of an endpoint with the members of its `data` (and `more`) beside it, so that a workflow
 * can use `{{q.data.ltp}}` or `{{q.ltp}}`. Members of the body itself take precedence. A failure stays
 * unchanged.
 */
export function mirrored(result: NodeResult, more: (data: Body) => Body = () => ({})): NodeResult {
  if (result.status === 'error') return result
  const data = dataOf(result)
  return { ...data, ...more(data), ...result }
}
