import { isPublic, redact } from '../logging/index.js'

/** A request or an answer without credentials, for rows and clients. Most have none and are what they were. */
export function publicData(data: object): object {
  return isPublic(data) ? data : Object(redact(data, { omit: true }))
}
