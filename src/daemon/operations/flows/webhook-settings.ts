import { z } from 'zod'
import { webhookView } from '../../../core/flows/index.js'
import { AUTH_TYPES } from '../../../core/flows/schema.js'
import type { RunningService } from '../../daemon.js'
import { message, messageOnly, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import {
  changing,
  ID,
  MAX_DOCUMENT_BYTES,
  missing,
  missingOr,
  words,
  workflows,
  workflowValues,
} from './workflow-facts.js'

const authTypeBody = z.looseObject({ auth_type: words.default('payload') })

const signingSecret = text.nullable().meta({
  description: 'The secret as libraries of Standard Webhooks take it; null unless the calls are signed.',
})
const webhookFields = {
  webhook_token: text,
  webhook_secret: text,
  webhook_enabled: z.boolean(),
  webhook_auth_type: z.enum(AUTH_TYPES),
  webhook_url: text,
  webhook_url_with_symbol: text,
  webhook_url_with_secret: text.nullable(),
  webhook_signing_secret: signingSecret,
}
const webhookShown = z.strictObject(webhookFields)
const webhookEnabled = ok({ message, ...webhookFields })
const webhookRotated = ok({
  message,
  webhook_token: text,
  webhook_secret: text,
  webhook_url: text,
  webhook_url_with_symbol: text,
})
const secretRotated = ok({ message, webhook_secret: text })
const authTypeSet = ok({
  message,
  webhook_auth_type: z.enum(AUTH_TYPES),
  webhook_url: text,
  webhook_url_with_secret: text.nullable(),
  webhook_signing_secret: signingSecret,
})

/** The webhook of a workflow: on or off, its token and secret, and how a caller shows that it knows the secret. */
export const WEBHOOK_SETTING_OPERATIONS = {
  'GET /flow/api/workflows/:id/webhook': workflows('Returns the webhook of a workflow with its secrets.', {
    ...changing,
    ...ID,
    answer: webhookShown,
    errors: missing,
    run: (service, { params }) => webhookOf(service, rowId(params.id)),
  }),
  'POST /flow/api/workflows/:id/webhook/enable': workflows('Enables the webhook of a workflow.', {
    live: 'change',
    ...changing,
    ...ID,
    answer: webhookEnabled,
    errors: missing,
    audit: { act: 'flow.webhook_enable', values: workflowValues },
    run: async (service, { params }) => {
      const { id } = await service.flows.setWebhook(rowId(params.id), { enabled: true })
      return { status: 'success', message: 'Webhook enabled', ...webhookOf(service, id) }
    },
  }),
  'POST /flow/api/workflows/:id/webhook/disable': workflows('Disables the webhook of a workflow.', {
    live: 'less',
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: missing,
    audit: { act: 'flow.webhook_disable', values: workflowValues },
    run: async ({ flows }, { params }) => {
      await flows.setWebhook(rowId(params.id), { enabled: false })
      return { status: 'success', message: 'Webhook disabled' }
    },
  }),
  'POST /flow/api/workflows/:id/webhook/regenerate': workflows('Creates a new webhook token and secret.', {
    ...changing,
    ...ID,
    answer: webhookRotated,
    errors: missing,
    audit: { act: 'flow.webhook_rotate', values: workflowValues },
    run: async (service, { params }) => {
      const { id } = await service.flows.rotateWebhook(rowId(params.id), 'both')
      const { webhook_token, webhook_secret, webhook_url, webhook_url_with_symbol } = webhookOf(service, id)
      const message = 'Webhook token and secret regenerated'
      return {
        status: 'success',
        message,
        webhook_token,
        webhook_secret,
        webhook_url,
        webhook_url_with_symbol,
      }
    },
  }),
  'POST /flow/api/workflows/:id/webhook/regenerate-secret': workflows('Creates a new webhook secret.', {
    ...changing,
    ...ID,
    answer: secretRotated,
    errors: missing,
    audit: { act: 'flow.webhook_rotate', values: workflowValues },
    run: async (service, { params }) => {
      const { id } = await service.flows.rotateWebhook(rowId(params.id), 'secret')
      const { webhook_secret } = webhookOf(service, id)
      return { status: 'success', message: 'Webhook secret regenerated', webhook_secret }
    },
  }),
  'POST /flow/api/workflows/:id/webhook/auth-type': workflows(
    'Sets how callers of the webhook show that they know its secret.',
    {
      ...changing,
      ...ID,
      body: authTypeBody,
      documentBytes: MAX_DOCUMENT_BYTES,
      example: { auth_type: 'url' },
      answer: authTypeSet,
      errors: missingOr,
      audit: { act: 'flow.webhook_check', values: workflowValues },
      run: async (service, { params, body }) => {
        const id = rowId(params.id)
        await service.flows.setWebhook(id, { authType: body.auth_type })
        const { webhook_auth_type, webhook_url, webhook_url_with_secret, webhook_signing_secret } = webhookOf(
          service,
          id,
        )
        const message = `Webhook auth type set to '${webhook_auth_type}'`
        return {
          status: 'success',
          message,
          webhook_auth_type,
          webhook_url,
          webhook_url_with_secret,
          webhook_signing_secret,
        }
      },
    },
  ),
}

function webhookOf({ daemon, flows }: RunningService, id: number) {
  return webhookView(flows.workflows.get(id), daemon.url)
}
