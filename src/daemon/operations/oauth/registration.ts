import type { Context } from 'hono'
import { z } from 'zod'
import { AUTH_METHODS } from '../../../core/mcp/index.js'
import { noteAct } from '../../audit/note.js'
import type { RunningService } from '../../daemon.js'
import type { AppEnv } from '../../process/env.js'
import { count, text } from '../common/answers.js'
import { http, open } from '../running.js'
import { json, oauthText, off } from './fields.js'
import { requireOn } from './metadata.js'
import { keepFromCaches, readMetadata } from './params.js'

const registrationPayload = z.looseObject({
  client_name: oauthText.optional(),
  redirect_uris: z.array(oauthText).optional(),
  scope: oauthText.optional(),
  token_endpoint_auth_method: oauthText.optional(),
})

const texts = z.array(text)
const registration = z.strictObject({
  client_id: text,
  client_id_issued_at: count.meta({ description: 'Unix seconds.' }),
  client_name: text,
  redirect_uris: texts,
  token_endpoint_auth_method: z.enum(AUTH_METHODS),
  grant_types: z.array(z.enum(['authorization_code', 'refresh_token'])),
  response_types: z.array(z.literal('code')),
  scope: text,
  client_secret: text.optional().meta({ description: 'Shown only here; a public client has none.' }),
  client_secret_expires_at: z.literal(0).optional(),
  status: z.literal('pending_approval').optional(),
})

/** The registration of an assistant. */
export const REGISTRATION_OPERATIONS = {
  'POST /oauth/register': open('Assistants')('Registers an assistant (RFC 7591).', {
    limit: 'tenAnHour',
    body: registrationPayload,
    example: {
      client_name: 'Desk assistant',
      redirect_uris: ['http://localhost:8976/callback'],
      token_endpoint_auth_method: 'none',
    },
    answer: registration,
    status: 201,
    errors: [...off, ...json, 'rate_limited', 'storage_full'],
    audit: { act: 'mcp.register' },
    run: http('its own refusals', register),
  }),
}

async function register({ mcp }: RunningService, c: Context<AppEnv>): Promise<Response> {
  requireOn(mcp)
  keepFromCaches(c)
  const metadata = await readMetadata(c, registrationPayload)
  const { authMethod, client, secret } = await mcp.clients.register({
    name: metadata.client_name ?? '',
    redirectUris: metadata.redirect_uris ?? [],
    scope: metadata.scope,
    authMethod: metadata.token_endpoint_auth_method,
  })
  const { approved, clientId, clientName, createdAt, redirectUris, scopesRequested } = client
  noteAct(c, {
    target: clientId,
    after: { name: clientName, redirect_uris: redirectUris, scopes: scopesRequested },
  })
  return c.json(
    {
      client_id: clientId,
      client_id_issued_at: Math.floor(createdAt / 1000),
      client_name: clientName,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: authMethod,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: scopesRequested,
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
      ...(!approved && { status: 'pending_approval' }),
    },
    201,
  )
}
