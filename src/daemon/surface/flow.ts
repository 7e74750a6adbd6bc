import type { Hono } from 'hono'
import type { Daemon } from '../daemon.js'
import type { AppEnv } from '../env.js'
import { lotSizes } from '../flows/lot-sizes.js'
import { type SessionGuardOptions, sessionOfCookie } from '../middleware/session.js'
import { flowFileRoutes } from '../routes/flow-files.js'
import { flowWebhookRoutes } from '../routes/flow-webhook.js'
import { flowRoutes } from '../routes/flows.js'

/** Workflows: what their owner does with them, and the webhooks that start them. */
export function mountFlow(app: Hono<AppEnv>, daemon: Daemon, guardOptions: SessionGuardOptions): void {
  const { service } = daemon
  const { clock, config, identity } = service
  const apiKeyOf = (username: string) => identity.apiKeys.reveal(username)
  app.route('/flow/api', flowRoutes({ flows: service.flows, clock, apiKeyOf, baseUrl: () => daemon.url }))
  app.route(
    '/flow/api',
    flowFileRoutes({ flows: service.flows, apiKeyOf, ...lotSizes(service.instruments.directory, clock) }),
  )
  app.route(
    '/flow/webhook',
    flowWebhookRoutes({
      clock,
      flows: service.flows,
      fallbackKey: (c) => {
        const session = sessionOfCookie(c, guardOptions)
        return (session && apiKeyOf(session.username)) ?? config.SVC_API_KEY
      },
    }),
  )
}
