import { NoAnswerError, SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import type { Progress } from './decision.js'

/**
 * What else is not sent after an outcome: the rest of the decision, every approval, or all that the user has decided. The
 * kill switch stops no rejection.
 */
type Stops = 'nothing' | 'decision' | 'approvals' | 'all'

/** What became of the decision on one order. */
export interface Outcome {
  progress: Progress
  stops: Stops
  /** Why the others are not sent. */
  others: string
  /** True if the daemon refused the request itself, before it decided anything: it may be sent once more. */
  isOverLimit?: boolean
}

/** The error of an order that has left the limits by which it was chosen. */
export class BeyondRule extends Error {}

/** The refusals that the next order would meet too, or after which what was shown of it may be wrong. */
const STOPS: Readonly<Record<string, Stops>> = {
  kill_switch: 'approvals',
  not_as_shown: 'decision',
  unauthenticated: 'all',
  forbidden: 'all',
}

export function succeeded(text: string): Outcome {
  return { progress: { step: 'done', text }, stops: 'nothing', others: '' }
}

export function notSent(text: string, stops: Stops = 'all'): Outcome {
  return { progress: { step: 'refused', text }, stops, others: text }
}

/** Returns what an error says of the decision on an order. */
export function failed(thrown: unknown): Outcome {
  if (thrown instanceof BeyondRule) return notSent(thrown.message, 'nothing')
  if (thrown instanceof NoAnswerError && thrown.sent) {
    const progress: Progress = { step: 'in_doubt', text: 'no answer: the daemon may still decide it' }
    return { progress, stops: 'all', others: 'not sent. The decision before it got no answer.' }
  }
  return thrown instanceof SvcError ? refused(thrown) : notSent(messageOf(thrown))
}

function refused({ body, code = '', message }: SvcError): Outcome {
  const reasons = [message, ...new Set([body.error, body.execution_error])]
  const text = reasons.filter((part) => typeof part === 'string' && part !== '').join(': ')
  return {
    progress: { step: code === 'outcome_unknown' ? 'in_doubt' : 'refused', text },
    stops: STOPS[code] ?? 'nothing',
    others: text,
    // An answer with `status: warning` is about an approved order, so the order was claimed.
    isOverLimit: code === 'rate_limited' && body.status !== 'warning',
  }
}
