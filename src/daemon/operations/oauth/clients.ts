import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { type Mcp, scopesOf } from '../../../core/mcp/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, instant, message, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'
import { json, oauthFlag } from './fields.js'

const reads = signedIn('Assistants', 'api', 'read', 'admin')
const changes = signedIn('Assistants', 'api', 'admin')

const CLIENT = { client_id: 'The id of a client, from its registration or the list.' }

const confirmPayload = z.strictObject({ confirm: oauthFlag.optional() })

const flag = z.boolean()
const texts = z.array(text)
const maybe = instant.nullable()
const client = z.strictObject({
  client_id: text,
  client_name: text,
  redirect_uris: texts,
  scopes_requested: texts,
  is_public: flag,
  approved: flag,
  approved_at: maybe,
  revoked_at: maybe,
  created_at: instant,
  last_used_at: maybe,
  grants: count.meta({ description: 'The consents of the owner that have not ended.' }),
})
const mcpClients = ok({
  mcp_enabled: flag,
  clients: z.array(client),
  summary: z.strictObject({ pending: count, approved: count, revoked: count }),
})
const approvedClient = ok({ client: client.optional(), message: message.optional() })
const revokedClient = ok({
  client: client.optional(),
  tokens_revoked: count.optional(),
  message: message.optional(),
})

type Client = ReturnType<Mcp['clients']['list']>[number]

/** The registered assistants. */
export const MCP_CLIENT_OPERATIONS = {
  'GET /admin/api/oauth/clients': reads('Lists the registered assistants, newest first.', {
    answer: mcpClients,
    run: ({ mcp }) => {
      const clients = mcp.clients.list()
      const revoked = clients.filter(({ revokedAt }) => revokedAt !== null).length
      const pending = clients.filter(({ approved, revokedAt }) => !approved && revokedAt === null).length
      return {
        status: 'success',
        mcp_enabled: mcp.settings().enabled,
        clients: clients.map((client) => clientView(client, mcp)),
        summary: { pending, approved: clients.length - pending - revoked, revoked },
      }
    },
  }),
  'POST /admin/api/oauth/clients/:client_id/approve': changes('Lets an assistant ask for consent.', {
    fresh: true,
    params: CLIENT,
    answer: approvedClient,
    errors: ['refused', 'not_found'],
    audit: { act: 'mcp.approve_client', values: clientValues, ofTarget: true },
    run: async ({ mcp }, { params }) => {
      mcp.requireEnabled()
      const isNew = await mcp.clients.approve(params.client_id)
      return isNew
        ? { status: 'success', client: foundView(params.client_id, mcp) }
        : { status: 'success', message: 'Already approved.' }
    },
  }),
  'POST /admin/api/oauth/clients/:client_id/revoke': changes(
    'Revokes an assistant with all its tokens, at once. It cannot be approved again.',
    {
      params: CLIENT,
      body: confirmPayload,
      example: { confirm: true },
      answer: revokedClient,
      errors: ['refused', 'not_found', 'storage_full', ...json],
      audit: { act: 'mcp.revoke_client', values: clientValues, emergency: true },
      run: async ({ mcp }, { body, params }) => {
        mcp.requireEnabled()
        if (body.confirm !== true) {
          throw new ServiceError('refused', 'Revocation requires confirm=true in the request body.')
        }
        const tokens = await mcp.revokeClient(params.client_id)
        return tokens === undefined
          ? { status: 'success', message: 'Already revoked.' }
          : { status: 'success', client: foundView(params.client_id, mcp), tokens_revoked: tokens }
      },
    },
  ),
}

function clientValues({ service: { mcp }, params }: ActRequest<RunningService>) {
  const client = mcp.clients.find(params.client_id ?? '')
  if (!client) return undefined
  const { approved, clientName, revokedAt } = client
  return { name: clientName, approved, revoked_at: revokedAt, grants: mcp.grantsOf(client.clientId) }
}

function foundView(clientId: string, mcp: Mcp) {
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
