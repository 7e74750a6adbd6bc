import type { Context } from 'hono'
import { admitWebhook, type Flows } from '../../../core/flows/index.js'
import { requireInTime } from '../../../core/orders/index.js'
import type { MessageHeaders } from '../../../core/secrets/index.js'
import type { Clock } from '../../../core/time/index.js'
import { readBytes, textOf } from '../../http/body/body.js'
import { parseJson } from '../../http/body/bounded-json.js'
import { parseUniqueJson } from '../../http/body/unique-json.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { deadlineOf } from '../../http/orders/deadline.js'
import { idempotencyKeyOf } from '../../http/orders/order-request.js'
import type { AppEnv } from '../../process/env.js'
import { runAnswer } from './replies.js'

interface FlowWebhookParts {
  flows: Flows
  clock: Pick<Clock, 'monotonic' | 'now'>
  /** Returns the API key of the signed-in user, or else the key of the environment. */
  fallbackKey(c: Context<AppEnv>): string | undefined
}

const MAX_BODY_BYTES = 65_536

/**
 * Returns the handlers for `POST /flow/webhook/{token}` and `/{token}/{symbol}`. The token and the workflow's
 * secret, or a signature with it, are the credential. A handler runs the workflow to its end and answers with the result.
 * A repeat under the same `Idempotency-Key`, or a signed one with the same `webhook-id`, gets the first answer.
 */
export function flowWebhookHandlers({ clock, flows, fallbackKey }: FlowWebhookParts) {
  const answer = async (c: Context<AppEnv>) => {
    const deadline = deadlineOf(c, clock)
    const bytes = await readBytes(c, MAX_BODY_BYTES)
    const text = textOf(bytes)
    const call = {
      token: c.req.param('token') ?? '',
      symbol: c.req.param('symbol'),
      querySecret: c.req.query('secret'),
      body: bodyOf(text),
      headers: signatureOf(c),
      bytes,
    }
    const { workflow, payload, id } = admitWebhook(flows.workflows, call, clock.now())
    // Only a caller with the secret learns that a member, for example the quantity, is given twice.
    if (text.trim() !== '') parseUniqueJson(text)
    // Reading the body may have taken longer than the deadline.
    requireInTime(clock, deadline)
    const { workflowName, reply } = await flows.executeFromWebhook(workflow, {
      payload,
      // Nobody signs the header Idempotency-Key, so a repeat of a signed call could change it.
      key: id ?? idempotencyKeyOf(c),
      fallbackKey: fallbackKey(c),
    })
    const { status, body } = runAnswer(reply)
    const succeeded = body.status === 'success'
    return c.json(
      {
        status: body.status,
        message: succeeded ? `Workflow '${workflowName}' triggered` : body.message,
        errors: body.errors ?? null,
        execution_id: body.execution_id ?? null,
        workflow_id: workflow.id,
      },
      status,
    )
  }
  return {
    'POST /flow/webhook/:token': httpHandler(answer),
    'POST /flow/webhook/:token/:symbol': httpHandler(answer),
  } satisfies Partial<Handlers>
}

function signatureOf(c: Context<AppEnv>): MessageHeaders {
  return {
    'webhook-id': c.req.header('webhook-id'),
    'webhook-timestamp': c.req.header('webhook-timestamp'),
    'webhook-signature': c.req.header('webhook-signature'),
  }
}

/**
 * Returns the body as JSON whatever its content type, because some senders cannot choose one. An empty body
 * is an empty object. Text that is not JSON is undefined: a caller without a valid credential must not learn
 * what is wrong with the body.
 */
function bodyOf(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
