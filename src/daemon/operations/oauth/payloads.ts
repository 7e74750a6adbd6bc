import { z } from 'zod'
import { MCP_OUTCOMES, MCP_SCOPE_NAMES } from '../../../core/mcp/index.js'
import { fields } from '../../../core/validation/index.js'

/** Longer texts are refused before anything looks at them. */
const MAX_TEXT = 4096
const MAX_CALLS = 500

const text = z.string('must be string.').max(MAX_TEXT, `Longer than maximum length ${MAX_TEXT}.`)
const flag = z.boolean('must be boolean.')

/** What a client asks the user for. Parameters that nobody knows are ignored, as OAuth demands. */
const authorization = {
  client_id: text.optional(),
  redirect_uri: text.optional(),
  response_type: text.optional(),
  scope: text.optional(),
  state: text.optional(),
  code_challenge: text.optional(),
  code_challenge_method: text.optional(),
  resource: text.optional(),
}
export const authorizationQuery = z.object(authorization)
export const consentPayload = z.object({
  ...authorization,
  decision: text.optional().meta({ description: 'approve or deny' }),
  totp_code: text.optional(),
  consent: text.optional().meta({ description: 'The member of the same name of GET /oauth/authorize.' }),
})

export const registrationPayload = z.looseObject({
  client_name: text.optional(),
  redirect_uris: z.array(text).optional(),
  scope: text.optional(),
  token_endpoint_auth_method: text.optional(),
})
const clientProof = { client_id: text.optional(), client_secret: text.optional() }
export const tokenRequestPayload = z.object({
  ...clientProof,
  grant_type: text.optional(),
  code: text.optional(),
  redirect_uri: text.optional(),
  code_verifier: text.optional(),
  refresh_token: text.optional(),
  scope: text.optional(),
  resource: text.optional(),
})
export const revocationPayload = z.object({
  ...clientProof,
  token: text.optional(),
  token_type_hint: text.optional(),
})

export const confirmPayload = z.strictObject({ confirm: flag.optional() })
export const mcpKillSwitchPayload = z.strictObject({
  confirm: text.optional().meta({ description: 'REVOKE_ALL_MCP_TOKENS' }),
})
export const mcpSettingsPayload = z.strictObject({
  http_enabled: flag.optional(),
  public_url: text.optional(),
  require_approval: flag.optional(),
  write_scope_enabled: flag.optional(),
  queue_writes: flag.optional().meta({
    description: 'In live mode, an order of an assistant always waits for approval.',
  }),
})

/** A number of calls, moved into its range. */
const limit = fields
  .integer()
  .transform((calls) => Math.min(MAX_CALLS, Math.max(1, calls)))
  .meta({ type: 'integer', description: `1 to ${MAX_CALLS}; a number outside counts as the nearest one.` })
  .default(100)

export const mcpAuditQuery = z.object({
  limit,
  tool: text.optional().meta({ description: 'A part of the name of the tool, in any case.' }),
  scope: fields.oneOf(MCP_SCOPE_NAMES).optional(),
  outcome: fields.oneOf(MCP_OUTCOMES).optional(),
  client_id: text.optional(),
})
