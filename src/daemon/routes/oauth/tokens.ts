import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Mcp } from '../../../core/mcp/index.js'
import { noteAct } from '../../audit/note.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import {
  registrationPayload,
  revocationPayload,
  tokenRequestPayload,
} from '../../operations/oauth/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { requireOn } from './metadata.js'
import { challenging, proofOf, readMetadata, readParams } from './params.js'

/** Returns the handlers for clients: registration, tokens and their end. They read forms and set headers themselves. */
export function oauthTokenHandlers({ mcp }: { mcp: Mcp }) {
  return {
    'POST /oauth/register': httpHandler((c) => register(c, mcp)),
    'POST /oauth/token': httpHandler(async (c) => {
      requireOn(mcp)
      keepFromCaches(c)
      const params = await readParams(c, tokenRequestPayload)
      const { answer, sent } = await challenging(c, () => mcp.tokens.answer(proofOf(c, params), params))
      whenSent(c, sent)
      return c.json(answer)
    }),
    'POST /oauth/revoke': httpHandler(async (c) => {
      requireOn(mcp)
      const params = await readParams(c, revocationPayload)
      const proof = proofOf(c, params)
      if (await challenging(c, () => mcp.tokens.revoke(proof, params.token))) {
        noteAct(c, { target: proof.clientId ?? '' })
      }
      return c.body(null, 200)
    }),
  } satisfies Partial<Handlers>
}

async function register(c: Context<AppEnv>, mcp: Mcp): Promise<Response> {
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

function keepFromCaches(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Pragma', 'no-cache')
}

/** Calls back when the answer has left this machine. Never, if the connection breaks before. */
function whenSent(c: Context<AppEnv>, sent: () => void): void {
  const outgoing: HttpBindings['outgoing'] | undefined = c.env.outgoing
  if (outgoing) outgoing.once('finish', sent)
  else sent()
}
