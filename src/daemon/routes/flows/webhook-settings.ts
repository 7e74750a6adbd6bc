import { webhookView } from '../../../core/flows/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { authTypeBody } from '../../operations/flows/payloads.js'
import { type FlowParts, idOf, readContent } from './request.js'

interface FlowWebhookSettingsParts extends Pick<FlowParts, 'flows'> {
  /** Returns the scheme, host and port under which callers reach the service. */
  baseUrl(): string
}

/**
 * Returns the handlers with which an owner sets a webhook: on or off, its token and secret, and how a
 * caller shows that it knows the secret.
 */
export function flowWebhookSettingsHandlers({ flows, baseUrl }: FlowWebhookSettingsParts) {
  const webhookOf = (id: number) => webhookView(flows.workflows.get(id), baseUrl())
  return {
    'GET /flow/api/workflows/:id/webhook': httpHandler((c) => c.json(webhookOf(idOf(c)))),
    'POST /flow/api/workflows/:id/webhook/enable': httpHandler(async (c) => {
      const { id } = await flows.setWebhook(idOf(c), { enabled: true })
      return c.json({ status: 'success', message: 'Webhook enabled', ...webhookOf(id) })
    }),
    'POST /flow/api/workflows/:id/webhook/disable': httpHandler(async (c) => {
      await flows.setWebhook(idOf(c), { enabled: false })
      return c.json({ status: 'success', message: 'Webhook disabled' })
    }),
    'POST /flow/api/workflows/:id/webhook/regenerate': httpHandler(async (c) => {
      const { id } = await flows.rotateWebhook(idOf(c), 'both')
      const { webhook_token, webhook_secret, webhook_url, webhook_url_with_symbol } = webhookOf(id)
      const message = 'Webhook token and secret regenerated'
      return c.json({
        status: 'success',
        message,
        webhook_token,
        webhook_secret,
        webhook_url,
        webhook_url_with_symbol,
      })
    }),
    'POST /flow/api/workflows/:id/webhook/regenerate-secret': httpHandler(async (c) => {
      const { id } = await flows.rotateWebhook(idOf(c), 'secret')
      const { webhook_secret } = webhookOf(id)
      return c.json({ status: 'success', message: 'Webhook secret regenerated', webhook_secret })
    }),
    'POST /flow/api/workflows/:id/webhook/auth-type': httpHandler(async (c) => {
      const id = idOf(c)
      flows.workflows.get(id)
      const { auth_type: authType } = parseWith(authTypeBody, await readContent(c))
      await flows.setWebhook(id, { authType })
      const { webhook_auth_type, webhook_url, webhook_url_with_secret, webhook_signing_secret } =
        webhookOf(id)
      const message = `Webhook auth type set to '${webhook_auth_type}'`
      return c.json({
        status: 'success',
        message,
        webhook_auth_type,
        webhook_url,
        webhook_url_with_secret,
        webhook_signing_secret,
      })
    }),
  } satisfies Partial<Handlers>
}
