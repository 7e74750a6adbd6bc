import { redact } from '../logging/index.js'

const known = new WeakMap<object, unknown>()

/**
 * A request or an answer without credentials, for rows and clients. Events are shared and never changed, so each
 * object is looked through once however many subscribers ask.
 */
export function publicData(data: object): unknown {
  if (!known.has(data)) known.set(data, redact(data, { omit: true }))
  return known.get(data)
}
