import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ServiceError } from '../../../core/errors/index.js'
import { invalidGraph, logView, type RunReply } from '../../../core/flows/index.js'

/** The HTTP status and the body of the answer to a workflow run (docs/flows.md). */
interface RunAnswer {
  status: ContentfulStatusCode
  body: Record<string, unknown>
}

/**
 * Returns the answer for the result of a run.
 * @throws ServiceError `validation` for a graph that cannot run, `unavailable` while the service stops
 */
export function runAnswer(reply: RunReply): RunAnswer {
  if (reply.kind === 'already_running') {
    const body = { status: 'error', message: 'Workflow is already running', already_running: true }
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
    return { status, body: { status: 'error', message: error, execution_id: executionId, logs } }
  }
  const texts = failures.map(({ type, message }) => `${type}: ${message}`).join('; ')
  const message = `${failures.length} node(s) failed: ${texts}`
  return {
    status: 502,
    body: { status: 'error', message, execution_id: executionId, errors: failures, logs },
  }
}
