import type { ActEnd } from '../../core/audit/schema.js'
import { ServiceError } from '../../core/errors/index.js'

/**
 * Returns whether an act came too late for its object: another act has changed it, and the values that differ are the
 * other's.
 */
export function changedNothing({ code, outcome }: ActEnd): boolean {
  return outcome === 'refused' && (code === 'not_pending' || code === 'not_found')
}

/** A refusal is an error of the caller. Any other error may have come in the middle of the act. */
export function failureOf(error: unknown): ActEnd {
  const code = error instanceof ServiceError ? error.code : 'internal'
  if (code === 'outcome_unknown') return { outcome: 'unknown', code }
  return { outcome: error instanceof ServiceError ? 'refused' : 'failed', code }
}
