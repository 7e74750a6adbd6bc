import type { Hono } from 'hono'
import type { Daemon, RunningService } from '../daemon.js'
import { HttpHandler } from '../http/handlers.js'
import { Assistants } from '../mcp/assistants.js'
import { cors } from '../middleware/cors.js'
import type { AppEnv } from '../process/env.js'
import type { CallRecords } from './call-records.js'
import { functionOf, type Perform, type PerformOf, performing } from './mount.js'

/** Returns the tools of assistants. They run the operations as the routes do. */
export function assistantsOf(service: RunningService, records: CallRecords): Assistants {
  return new Assistants(service, performances(service, records))
}

/** Returns a look-up of what routes do, each built once. */
function performances(service: RunningService, records: CallRecords): PerformOf {
  const known = new Map<string, Perform>()
  return (operation) => {
    const run = functionOf(operation)
    if (run instanceof HttpHandler) return undefined
    const perform = known.get(operation.name) ?? performing(operation, run, service, records)
    known.set(operation.name, perform)
    return perform
  }
}

/** Lets pages of the allowed origins connect as assistants. They never get a cookie along. */
export function allowAssistantPages(app: Hono<AppEnv>, { service: { config } }: Daemon): void {
  const allowing = cors({
    CORS_ALLOWED_ORIGINS: config.MCP_HTTP_CORS_ORIGINS,
    CORS_ALLOWED_METHODS: ['GET', 'POST', 'OPTIONS'],
    CORS_ALLOWED_HEADERS: ['Authorization', 'Content-Type', 'X-Requested-With', 'Mcp-Protocol-Version'],
    CORS_EXPOSED_HEADERS: ['WWW-Authenticate', 'Link', 'Content-Type'],
    CORS_ALLOW_CREDENTIALS: false,
    CORS_ENABLED: true,
    CORS_MAX_AGE: 600,
  })
  for (const path of ['/mcp', '/.well-known/*', '/oauth/token', '/oauth/register', '/oauth/revoke']) {
    app.use(path, allowing)
  }
}
