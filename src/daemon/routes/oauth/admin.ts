import { ServiceError } from '../../../core/errors/index.js'
import { type Mcp, scopesOf } from '../../../core/mcp/index.js'
import type { Handlers } from '../../http/handlers.js'

const KILL_WORD = 'REVOKE_ALL_MCP_TOKENS'

type Client = ReturnType<Mcp['clients']['list']>[number]
type Call = Awaited<ReturnType<Mcp['audit']['list']>>['calls'][number]

/** Returns the handlers by which the owner controls who may connect by MCP. */
export function mcpAdminHandlers({ mcp }: { mcp: Mcp }) {
  const enabled = () => mcp.settings().enabled
  return {
    'GET /admin/api/oauth/clients': () => {
      const clients = mcp.clients.list()
      const revoked = clients.filter(({ revokedAt }) => revokedAt !== null).length
      const pending = clients.filter(({ approved, revokedAt }) => !approved && revokedAt === null).length
      return {
        status: 'success',
        mcp_enabled: enabled(),
        clients: clients.map((client) => clientView(client, mcp)),
        summary: { pending, approved: clients.length - pending - revoked, revoked },
      }
    },
    'POST /admin/api/oauth/clients/:client_id/approve': async ({ params }) => {
      mcp.requireEnabled()
      const isNew = await mcp.clients.approve(params.client_id)
      return isNew
        ? { status: 'success', client: viewOf(params.client_id, mcp) }
        : { status: 'success', message: 'Already approved.' }
    },
    'POST /admin/api/oauth/clients/:client_id/revoke': async ({ body, params }) => {
      mcp.requireEnabled()
      if (body.confirm !== true) {
        throw new ServiceError('refused', 'Revocation requires confirm=true in the request body.')
      }
      const tokens = await mcp.revokeClient(params.client_id)
      return tokens === undefined
        ? { status: 'success', message: 'Already revoked.' }
        : { status: 'success', client: viewOf(params.client_id, mcp), tokens_revoked: tokens }
    },
    'GET /admin/api/mcp/audit': async ({ query }) => {
      const { client_id: clientId, limit, outcome, scope, tool } = query
      const { calls, kept, matching } = await mcp.audit.list({ clientId, outcome, scope, tool }, limit)
      return {
        status: 'success',
        mcp_enabled: enabled(),
        data: calls.map(callView),
        count: calls.length,
        scanned: kept,
        total_in_window: matching,
      }
    },
    'POST /admin/api/mcp/kill-switch': async ({ body }) => {
      mcp.requireEnabled()
      if (body.confirm !== KILL_WORD) {
        throw new ServiceError('refused', `Kill switch requires confirm="${KILL_WORD}".`)
      }
      return { status: 'success', tokens_revoked: await mcp.killAll() }
    },
    'GET /admin/api/mcp/settings': () => ({ status: 'success', settings: mcpSettingsView(mcp) }),
    'PUT /admin/api/mcp/settings': async ({ body }) => {
      if (Object.values(body).every((value) => value === undefined)) {
        throw new ServiceError('validation', 'Nothing to change: name a setting.')
      }
      await mcp.changeSettings({
        enabled: body.http_enabled,
        publicUrl: body.public_url,
        requireApproval: body.require_approval,
        writeScopeEnabled: body.write_scope_enabled,
        queueWrites: body.queue_writes,
      })
      return { status: 'success', restart_required: false, settings_pending: mcpSettingsView(mcp) }
    },
  } satisfies Partial<Handlers>
}

export function mcpSettingsView(mcp: Pick<Mcp, 'settings'>) {
  const { enabled, publicUrl, queueWrites, requireApproval, writeScopeEnabled } = mcp.settings()
  return {
    http_enabled: enabled,
    public_url: publicUrl,
    mcp_url: publicUrl === '' ? '' : `${publicUrl}/mcp`,
    require_approval: requireApproval,
    write_scope_enabled: writeScopeEnabled,
    queue_writes: queueWrites,
  }
}

function viewOf(clientId: string, mcp: Mcp) {
  const client = mcp.clients.find(clientId)
  return client && clientView(client, mcp)
}

function clientView(client: Client, mcp: Pick<Mcp, 'grantsOf'>) {
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    redirect_uris: client.redirectUris,
    scopes_requested: scopesOf(client),
    is_public: client.clientSecretHash === null,
    approved: client.approved,
    approved_at: timeOf(client.approvedAt),
    revoked_at: timeOf(client.revokedAt),
    created_at: new Date(client.createdAt).toISOString(),
    last_used_at: timeOf(client.lastUsedAt),
    grants: mcp.grantsOf(client.clientId),
  }
}

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString())

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
