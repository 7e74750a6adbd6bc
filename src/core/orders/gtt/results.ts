import type { SandboxGttOutcome } from '../ports.js'
import { type ChangedResult, refusal, type UnplacedResult } from '../result.js'
import { EXPIRED_GTT } from '../schema.js'

/** The result of a request whose GTT has an expiry in the past. */
export const EXPIRED: UnplacedResult = {
  ...refusal('validation', `${EXPIRED_GTT.field}: ${EXPIRED_GTT.rule}`),
  shown: { errors: { [EXPIRED_GTT.field]: [EXPIRED_GTT.rule] } },
}

/** Returns the result of a change or cancellation that the broker accepted. */
export function changed(triggerId: string): ChangedResult {
  return { outcome: 'changed', orderId: triggerId, isGtt: true }
}

/** Returns the result of a change or cancellation in the sandbox. */
export function changedIn(outcome: SandboxGttOutcome): ChangedResult | UnplacedResult {
  return outcome.ok ? changed(outcome.triggerId) : refusal(outcome.code, outcome.message)
}
