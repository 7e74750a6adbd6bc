import { z } from 'zod'
import { AUTH_METHODS } from '../../../core/mcp/index.js'
import { count, instant, message, ok, text } from '../common/answers.js'

/* Answers of OAuth and of the administration of MCP (docs/mcp-access.md). */

const flag = z.boolean()
const texts = z.array(text)
const code = z.literal('code')
const grantType = z.enum(['authorization_code', 'refresh_token'])
const authMethod = z.enum(AUTH_METHODS)

export const serverMetadata = z.strictObject({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text,
  revocation_endpoint: text,
  jwks_uri: text,
  scopes_supported: texts,
  response_types_supported: z.array(code),
  grant_types_supported: z.array(grantType),
  code_challenge_methods_supported: z.array(z.literal('S256')),
  token_endpoint_auth_methods_supported: z.array(authMethod),
  revocation_endpoint_auth_methods_supported: z.array(authMethod),
  authorization_response_iss_parameter_supported: z.literal(true),
  service_documentation: text,
})
export const resourceMetadata = z.strictObject({
  resource: text,
  authorization_servers: texts,
  bearer_methods_supported: z.array(z.literal('header')),
  scopes_supported: texts,
  resource_documentation: text,
})
export const keySet = z.strictObject({
  keys: z.array(z.strictObject({ kty: text, use: text, alg: text, kid: text, n: text, e: text })),
})

export const registration = z.strictObject({
  client_id: text,
  client_id_issued_at: count.meta({ description: 'Unix seconds.' }),
  client_name: text,
  redirect_uris: texts,
  token_endpoint_auth_method: authMethod,
  grant_types: z.array(grantType),
  response_types: z.array(code),
  scope: text,
  client_secret: text.optional().meta({ description: 'Shown only here; a public client has none.' }),
  client_secret_expires_at: z.literal(0).optional(),
  status: z.literal('pending_approval').optional(),
})

export const consentQuestion = ok({
  client: z.strictObject({
    client_id: text,
    client_name: text.meta({ description: 'What the client calls itself. Nobody has checked it.' }),
    redirect_uri: text,
    created_at: instant,
  }),
  scopes: z.array(z.strictObject({ scope: text, meaning: text })),
  writes: flag,
  queue_writes: flag,
  code_needed: flag.meta({ description: 'The answer needs a code of the authenticator app.' }),
  consent: text.meta({ description: 'Send it with the same parameters and the decision.' }),
  deny_url: text,
})
export const consented = ok({
  redirect_to: text.meta({ description: 'The address that brings the answer to the client.' }),
})

export const tokenSet = z.strictObject({
  access_token: text,
  token_type: z.literal('Bearer'),
  expires_in: count,
  refresh_token: text,
  scope: text,
})

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
export const mcpClients = ok({
  mcp_enabled: flag,
  clients: z.array(client),
  summary: z.strictObject({ pending: count, approved: count, revoked: count }),
})
export const approvedClient = ok({ client: client.optional(), message: message.optional() })
export const revokedClient = ok({
  client: client.optional(),
  tokens_revoked: count.optional(),
  message: message.optional(),
})
export const mcpKilled = ok({ tokens_revoked: count })

export const mcpCalls = ok({
  mcp_enabled: flag,
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

const settings = z.strictObject({
  http_enabled: flag,
  public_url: text,
  mcp_url: text,
  require_approval: flag,
  write_scope_enabled: flag,
  queue_writes: flag,
})
export const mcpSettings = ok({ settings })
export const mcpSettingsChanged = ok({
  restart_required: z.literal(false).meta({ description: 'Changes are in force at once.' }),
  settings_pending: settings,
})
