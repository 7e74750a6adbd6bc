import { Hono } from 'hono'
import type { AppEnv } from '../env.js'
import { requireScopes } from '../middleware/session.js'
import { flowDocumentRoutes } from './flow-documents.js'
import { flowRunRoutes } from './flow-runs.js'
import { type FlowVersionParts, flowVersionRoutes } from './flow-versions.js'
import { type FlowWebhookSettingsParts, flowWebhookSettingsRoutes } from './flow-webhook-settings.js'

export interface FlowRoutesParts extends FlowVersionParts, FlowWebhookSettingsParts {}

/** Workflows: kept, armed and run (specification, "Flow"), below `/flow/api`. Not limited in rate. */
export function flowRoutes(parts: FlowRoutesParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'flows'))
    .route('/', flowDocumentRoutes(parts))
    .route('/', flowVersionRoutes(parts))
    .route('/', flowRunRoutes(parts))
    .route('/', flowWebhookSettingsRoutes(parts))
}
