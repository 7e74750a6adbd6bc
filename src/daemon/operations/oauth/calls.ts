import { z } from 'zod'
import { MCP_OUTCOMES, MCP_SCOPE_NAMES, type Mcp } from '../../../core/mcp/index.js'
import { fields } from '../../../core/validation/index.js'
import { count, instant, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'
import { oauthText } from './fields.js'

const MAX_CALLS = 500

/** A number of calls, moved into its range. */
const limit = fields
  .integer()
  .transform((calls) => Math.min(MAX_CALLS, Math.max(1, calls)))
  .meta({ type: 'integer', description: `1 to ${MAX_CALLS}; a number outside counts as the nearest one.` })
  .default(100)

const mcpAuditQuery = z.object({
  limit,
  tool: oauthText.optional().meta({ description: 'A part of the name of the tool, in any case.' }),
  scope: fields.oneOf(MCP_SCOPE_NAMES).optional(),
  outcome: fields.oneOf(MCP_OUTCOMES).optional(),
  client_id: oauthText.optional(),
})

const mcpCalls = ok({
  mcp_enabled: z.boolean(),
  data: z.array(
    z.strictObject({
      ts: text.meta({ description: 'UTC, YYYY-MM-DD HH:MM:SS.' }),
      at: instant,
      jti: text.nullable(),
      client_id: text.nullable(),
      tool: text,
      scope: text.nullable(),
      params_hash: text.meta({ description: 'The first 16 digits of the SHA-256 of the arguments.' }),
      duration_ms: count,
      outcome: text,
      request_ip: text.nullable(),
    }),
  ),
  count,
  scanned: count.meta({ description: 'The calls that are kept.' }),
  total_in_window: count.meta({ description: 'The calls that match.' }),
})

type Call = Awaited<ReturnType<Mcp['audit']['list']>>['calls'][number]

/** The calls of assistants. */
export const MCP_CALL_OPERATIONS = {
  'GET /admin/api/mcp/audit': signedIn(
    'Assistants',
    'api',
    'read',
    'admin',
  )('Lists the newest calls of assistants, also the refused ones.', {
    query: mcpAuditQuery,
    example: { tool: 'order', outcome: 'denied', limit: 20 },
    answer: mcpCalls,
    errors: ['validation'],
    run: async ({ mcp }, { query }) => {
      const { client_id: clientId, limit, outcome, scope, tool } = query
      const { calls, kept, matching } = await mcp.audit.list({ clientId, outcome, scope, tool }, limit)
      return {
        status: 'success',
        mcp_enabled: mcp.settings().enabled,
        data: calls.map(callView),
        count: calls.length,
        scanned: kept,
        total_in_window: matching,
      }
    },
  }),
}

function callView(call: Call) {
  const at = new Date(call.timestamp).toISOString()
  return {
    ts: at.slice(0, 19).replace('T', ' '),
    at,
    jti: call.jti,
    client_id: call.clientId,
    tool: call.tool,
    scope: call.scope,
    params_hash: call.paramsHash,
    duration_ms: call.durationMs,
    outcome: call.outcome,
    request_ip: call.requestIp,
  }
}
