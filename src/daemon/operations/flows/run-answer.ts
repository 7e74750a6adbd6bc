import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { invalidGraph, logView, type RunReply } from '../../../core/flows/index.js'
import { count, message, ok, text } from '../common/answers.js'
import { istInstant } from './workflow-facts.js'

/* The answer at the end of a run, which a user or a webhook waits for. */

export const logEntry = z.strictObject({
  time: istInstant,
  message: text,
  level: z.enum(['info', 'warn', 'warning', 'error']),
  node: text.optional().meta({ description: 'The id of the node that the line is about.' }),
  label: text.optional().meta({ description: 'Its label.' }),
})
export const failure = z.strictObject({ node: text, type: text, message: text })

export const executed = ok({ message, execution_id: count, logs: z.array(logEntry) })

const runFailed = z.strictObject({
  status: z.literal('error'),
  message,
  execution_id: count,
  errors: z.array(failure).optional(),
  logs: z.array(logEntry),
})
const runningAlready = z.strictObject({
  status: z.literal('error'),
  message,
  already_running: z.literal(true),
})
/** The answer when another run is in progress, or when this run was cancelled. */
const runEnded = z.union([runningAlready, runFailed])

/** The answers of a run that failed, was cancelled or did not start. */
export const runOutcomes = {
  409: runEnded,
  500: runFailed,
  502: runFailed,
}

type Executed = z.output<typeof executed>
type Failed = z.output<typeof runFailed>

/** The HTTP status and the body of the answer to a run (docs/flows.md). */
type RunAnswer =
  | { status: 200; body: Executed }
  | { status: 409; body: Failed | z.output<typeof runningAlready> }
  | { status: 500 | 502; body: Failed }

/**
 * Returns the answer for the result of a run.
 * @throws ServiceError `validation` for a graph that cannot run, `unavailable` while the service stops
 */
export function runAnswer(reply: RunReply): RunAnswer {
  if (reply.kind === 'already_running') {
    const body = { status: 'error', message: 'Workflow is already running', already_running: true } as const
    return { status: 409, body }
  }
  if (reply.kind === 'stopping') {
    throw new ServiceError('unavailable', 'The service is stopping.', { retryAfterSeconds: 1 })
  }
  if (reply.kind === 'invalid') {
    const error = invalidGraph('Workflow cannot be executed', reply.problems)
    throw new ServiceError(error.code, `Workflow cannot be executed: ${error.message}`, {
      extra: error.extra,
    })
  }
  const { executionId, outcome } = reply
  const { error, failures } = outcome
  const logs = outcome.logs.map(logView)
  if (outcome.status === 'completed') {
    const message = 'Workflow executed successfully'
    return { status: 200, body: { status: 'success', message, execution_id: executionId, logs } }
  }
  if (outcome.aborted) {
    // A user who cancels the run is no fault of the service.
    const status = outcome.cancelled ? 409 : 500
    return { status, body: { status: 'error', message: error ?? '', execution_id: executionId, logs } }
  }
  const texts = failures.map(({ type, message }) => `${type}: ${message}`).join('; ')
  const message = `${failures.length} node(s) failed: ${texts}`
  return {
    status: 502,
    body: { status: 'error', message, execution_id: executionId, errors: failures, logs },
  }
}
