import { isObject } from '../language/interpolation.js'
import type { Body } from '../ports.js'
import type { NodeResult } from './definition.js'

/** The members of a body's `data`; nothing when that is a list or missing. */
export function dataOf({ data }: Readonly<Body>): Body {
  return isObject(data) ? data : {}
}

/**
 * The body as the endpoint answers it, with the members of its `data` (and `more`) beside it: a workflow may say
 * `{{q.data.ltp}}` or `{{q.ltp}}`. What the body has itself stays; a failure stays as it is.
 */
export function mirrored(result: NodeResult, more: (data: Body) => Body = () => ({})): NodeResult {
  if (result.status === 'error') return result
  const data = dataOf(result)
  return { ...data, ...more(data), ...result }
}
