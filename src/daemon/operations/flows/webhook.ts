import type { Context } from 'hono'
import { z } from 'zod'
import { admitWebhook } from '../../../core/flows/index.js'
import { requireInTime } from '../../../core/orders/index.js'
import type { MessageHeaders } from '../../../core/secrets/index.js'
import type { RunningService } from '../../daemon.js'
import { readBytes, utf8Text } from '../../http/body/body.js'
import { parseJson } from '../../http/body/bounded-json.js'
import { parseUniqueJson } from '../../http/body/unique-json.js'
import { deadlineOf } from '../../http/orders/deadline.js'
import { idempotencyKeyOf } from '../../http/orders/order-request.js'
import { sessionOfCookie } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import { count, message } from '../common/answers.js'
import { http, open } from '../running.js'
import { failure, runAnswer } from './run-answer.js'

const MAX_BODY_BYTES = 65_536
const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

const webhookFired = z.strictObject({
  status: z.enum(['success', 'error']),
  message,
  errors: z.array(failure).nullable(),
  execution_id: count.nullable(),
  workflow_id: count,
})

const webhook = (params: Readonly<Record<string, string>>) =>
  open('Workflows')(
    'Runs a workflow by its webhook. The token and the secret, or a signature, are the credential.',
    {
      params,
      limit: 'webhook',
      headers: ['Idempotency-Key', 'X-Request-Timeout', ...SIGNATURE_HEADERS],
      query: z.object({ secret: z.string().optional() }),
      answer: webhookFired,
      others: { 409: webhookFired, 500: webhookFired, 502: webhookFired },
      errors: [
        'not_found',
        'forbidden',
        'unauthenticated',
        'validation',
        'too_large',
        'rate_limited',
        'unavailable',
        'conflict',
      ],
      audit: {
        unrecorded: 'Each call is a row of the runs of its workflow; the orders of the run are recorded.',
      },
      run: http('its own refusals', runByWebhook),
    },
  )

/** The webhooks of workflows, for anybody who knows their secrets. */
export const WEBHOOK_OPERATIONS = {
  'POST /flow/webhook/:token': webhook({ token: 'The token of the workflow.' }),
  'POST /flow/webhook/:token/:symbol': webhook({
    token: 'The token of the workflow.',
    symbol: 'The symbol; workflows read it as `webhook.symbol`.',
  }),
}

/**
 * Runs the workflow of a webhook to its end and answers with the result. A repeat under the same `Idempotency-Key`, or
 * a signed one with the same `webhook-id`, gets the first answer.
 */
async function runByWebhook(service: RunningService, c: Context<AppEnv>): Promise<Response> {
  const { clock, flows } = service
  const deadline = deadlineOf(c, clock)
  const bytes = await readBytes(c, MAX_BODY_BYTES)
  const text = utf8Text(bytes)
  const call = {
    token: c.req.param('token') ?? '',
    symbol: c.req.param('symbol'),
    querySecret: c.req.query('secret'),
    body: bodyOf(text),
    headers: signatureOf(c),
    bytes,
  }
  const checkCredentials = c.get('checkCredentials')
  const { workflow, payload, id } = checkCredentials(() => admitWebhook(flows.workflows, call, clock.now()))
  // Only a caller with the secret learns that a member, for example the quantity, is given twice.
  if (text.trim() !== '') parseUniqueJson(text)
  // Reading the body may have taken longer than the deadline.
  requireInTime(clock, deadline)
  const { workflowName, reply } = await flows.executeFromWebhook(workflow, {
    payload,
    // Nobody signs the header Idempotency-Key, so a repeat of a signed call could change it.
    key: id ?? idempotencyKeyOf(c),
    fallbackKey: fallbackKey(service, c),
  })
  const { status, body } = runAnswer(reply)
  const succeeded = body.status === 'success'
  return c.json(
    {
      status: body.status,
      message: succeeded ? `Workflow '${workflowName}' triggered` : body.message,
      errors: ('errors' in body && body.errors) || null,
      execution_id: 'execution_id' in body ? body.execution_id : null,
      workflow_id: workflow.id,
    },
    status,
  )
}

/** Returns the API key of the signed-in user, or else the key of the environment. */
function fallbackKey({ config, identity }: RunningService, c: Context<AppEnv>): string | undefined {
  const session = sessionOfCookie(c, { identity, cookieName: config.SESSION_COOKIE_NAME })
  return (session && identity.apiKeys.reveal(session.username)) ?? config.SVC_API_KEY
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
