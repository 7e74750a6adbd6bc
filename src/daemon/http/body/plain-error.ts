import type { z } from 'zod'
import { type ErrorCode, ServiceError } from '../../../core/errors/index.js'
import { parseWith } from '../../../core/validation/index.js'

/**
 * Parses a body for a route whose refusals have the member `error` in addition to the common envelope: the
 * text of the first mistake.
 */
export function parsePlain<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  try {
    return parseWith(schema, given)
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || !thrown.errors) throw thrown
    const { code, errors, message } = thrown
    const error = Object.values(errors)[0]?.[0] ?? message
    throw new ServiceError(code, error, { errors, extra: { error } })
  }
}

/** Returns a refusal of such a route. */
export function plainError(code: ErrorCode, error: string, extra: object = {}): ServiceError {
  return new ServiceError(code, error, { extra: { error, ...extra } })
}
