import { bearer } from '../../support/desk/http-desk.js'
import { CALLBACK, oauthParties, PUBLIC_URL, VERIFIER } from '../../support/oauth/parties.js'
import type { Conversation } from './conversation.js'

/** The way of an assistant through OAuth, its messages, and its owner. */
export async function assistants(talk: Conversation): Promise<void> {
  const { http } = talk
  await http.desk.service.mcp.changeSettings({ publicUrl: PUBLIC_URL, enabled: true, requireApproval: true })
  for (const name of ['oauth-authorization-server', 'oauth-protected-resource']) {
    await talk.ask(`GET /.well-known/${name}`)
    await talk.ask(`GET /.well-known/${name}/:path`, { params: { path: 'mcp' } })
  }
  await talk.ask('GET /mcp/.well-known/oauth-protected-resource')
  await talk.ask('GET /oauth/jwks.json')
  await talk.ask('GET /mcp/healthz')

  const client_id = String(
    (await talk.ask('POST /oauth/register', { with: { redirect_uris: [CALLBACK] } })).client_id,
  )
  await talk.ask('GET /admin/api/oauth/clients')
  await talk.ask('POST /admin/api/oauth/clients/:client_id/approve', { params: { client_id } })
  const { access, refresh } = await tokens(talk, client_id)
  const headers = { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' }
  await talk.ask('POST /mcp', { headers })
  await talk.ask('POST /mcp', { headers, with: { method: 'no/such' } })
  await talk.ask('POST /api/v1/mcp')
  await talk.ask('POST /api/v1/mcp', { with: { jsonrpc: '1.0' } })
  await talk.ask('GET /admin/api/mcp/audit')
  await talk.ask('POST /oauth/revoke', form({ client_id, token: refresh }))

  await talk.ask('GET /admin/api/mcp/settings')
  await talk.ask('PUT /admin/api/mcp/settings', { with: { require_approval: false } })
  await talk.ask('POST /admin/api/oauth/clients/:client_id/revoke', {
    params: { client_id },
    with: { confirm: true },
  })
  await talk.ask('POST /admin/api/mcp/kill-switch')
}

async function tokens(talk: Conversation, client_id: string) {
  const { http } = talk
  const parties = oauthParties((...request) => http.request(...request), bearer(await http.signIn()))
  const asking = parties.asking(client_id)
  const { consent } = await talk.ask('GET /oauth/authorize', { query: asking })
  const decided = await talk.ask('POST /oauth/authorize', {
    with: { ...asking, consent, decision: 'approve' },
  })
  const code = new URL(String(decided.redirect_to)).searchParams.get('code') ?? ''
  const proof = { client_id, code, redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const given = await talk.ask('POST /oauth/token', form({ grant_type: 'authorization_code', ...proof }))
  return { access: String(given.access_token), refresh: String(given.refresh_token) }
}

function form(fields: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { text: String(new URLSearchParams(fields)), headers }
}
