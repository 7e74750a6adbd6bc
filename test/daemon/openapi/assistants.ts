import { bearer } from '../../support/desk/http-desk.js'
import { oauthParties, PUBLIC_URL } from '../../support/oauth/parties.js'
import type { Conversation } from './conversation.js'

/** The doors for assistants: with the API key, and with an access token. */
export async function assistants(talk: Conversation): Promise<void> {
  const { http } = talk
  await http.desk.service.mcp.changeSettings({ publicUrl: PUBLIC_URL, enabled: true, requireApproval: false })
  await talk.ask('GET /mcp/healthz')
  await talk.ask('POST /api/v1/mcp')
  await talk.ask('POST /api/v1/mcp', { with: { method: 'no/such' } })
  await talk.ask('POST /api/v1/mcp', { with: { jsonrpc: '1.0' } })
  const parties = oauthParties((...request) => http.request(...request), bearer(await http.signIn()))
  const { access } = await parties.connect(await parties.client())
  await talk.ask('POST /mcp', {
    headers: { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' },
  })
}
