import { isPublic, redact } from '../logging/index.js'

/**
 * Returns a request or response without credentials, for rows and clients. Data without credentials is
 * returned unchanged.
 */
export function publicData(data: object): object {
  return isPublic(data) ? data : Object(redact(data, { omit: true }))
}
