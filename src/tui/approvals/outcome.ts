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

/** Returns the outcome of an approved order of which a part was not placed. */
export function partly(problem: string): Outcome {
  const progress: Progress = { step: 'partial', text: `approved, executed in part: ${problem}` }
  return { progress, stops: 'nothing', others: '' }
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
  const [error, details] = [textOf(body.error), textOf(body.execution_error)]
  const isRepeated = details.startsWith(error)
  const reason = [isRepeated ? '' : error, details].filter((part) => part !== '').join(': ')
  const text = reason === '' ? message : `${message}: ${reason}`
  const stops = STOPS[code] ?? 'nothing'
  if (code === 'outcome_unknown') return { progress: { step: 'in_doubt', text }, stops, others: text }
  if (body.status !== 'warning') return { ...notSent(text, stops), isOverLimit: code === 'rate_limited' }
  // The order is approved, and its execution has failed: that says nothing of a rejection.
  return {
    progress: { step: 'failed', text: `approved, failed: ${reason === '' ? message : reason}` },
    stops: stops === 'nothing' ? stops : 'approvals',
    others: `not sent. The order before it failed: ${reason}`,
  }
}

const textOf = (part: unknown): string => (typeof part === 'string' ? part : '')
