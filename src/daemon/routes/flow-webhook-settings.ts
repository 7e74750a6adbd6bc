import { Hono } from 'hono'
import { webhookView } from '../../core/flows/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { requireScope } from '../middleware/session.js'
import { authTypeBody } from './flow-bodies.js'
import { type FlowParts, idOf, readContent } from './flow-request.js'

export interface FlowWebhookSettingsParts extends Pick<FlowParts, 'flows'> {
  /** Scheme, host and port under which callers reach the service. */
  baseUrl(): string
}

/** The webhook of a workflow as its owner sets it: on or off, its token and secret, and where the secret travels. */
export function flowWebhookSettingsRoutes({ flows, baseUrl }: FlowWebhookSettingsParts): Hono<AppEnv> {
  const webhookOf = (id: number) => webhookView(flows.workflows.get(id), baseUrl())
  return (
    new Hono<AppEnv>()
      // Whoever knows the secret of a webhook can run its workflow.
      .use('/workflows/:id/webhook', requireScope('flows'))
      .get('/workflows/:id/webhook', (c) => c.json(webhookOf(idOf(c))))
      .post('/workflows/:id/webhook/enable', async (c) => {
        const { id } = await flows.setWebhook(idOf(c), { enabled: true })
        return c.json({ status: 'success', message: 'Webhook enabled', ...webhookOf(id) })
      })
      .post('/workflows/:id/webhook/disable', async (c) => {
        await flows.setWebhook(idOf(c), { enabled: false })
        return c.json({ status: 'success', message: 'Webhook disabled' })
      })
      .post('/workflows/:id/webhook/regenerate', async (c) => {
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
      })
      .post('/workflows/:id/webhook/regenerate-secret', async (c) => {
        const { id } = await flows.rotateWebhook(idOf(c), 'secret')
        const { webhook_secret } = webhookOf(id)
        return c.json({ status: 'success', message: 'Webhook secret regenerated', webhook_secret })
      })
      .post('/workflows/:id/webhook/auth-type', async (c) => {
        const id = idOf(c)
        flows.workflows.get(id)
        const { auth_type: authType } = parseWith(authTypeBody, await readContent(c))
        await flows.setWebhook(id, { authType })
        const { webhook_auth_type, webhook_url, webhook_url_with_secret } = webhookOf(id)
        const message = `Webhook auth type set to '${webhook_auth_type}'`
        return c.json({ status: 'success', message, webhook_auth_type, webhook_url, webhook_url_with_secret })
      })
  )
}
