import type { Refusal } from './schema.js'

/** An expected refusal, as a result. */
export function refusal(message: string, httpStatus = 400): Refusal {
  return { ok: false, httpStatus, message }
}
