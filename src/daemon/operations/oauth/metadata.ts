import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { AUTH_METHODS, type Mcp, supportedScopes } from '../../../core/mcp/index.js'
import type { RunningService } from '../../daemon.js'
import { text } from '../common/answers.js'
import { open } from '../running.js'
import { off } from './fields.js'

const anyone = open('Assistants')

const texts = z.array(text)
const code = z.literal('code')
const grantType = z.enum(['authorization_code', 'refresh_token'])
const authMethod = z.enum(AUTH_METHODS)

const serverMetadata = z.strictObject({
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
const resourceMetadata = z.strictObject({
  resource: text,
  authorization_servers: texts,
  bearer_methods_supported: z.array(z.literal('header')),
  scopes_supported: texts,
  resource_documentation: text,
})
const keySet = z.strictObject({
  keys: z.array(z.strictObject({ kty: text, use: text, alg: text, kid: text, n: text, e: text })),
})

const server = () =>
  anyone('Describes the OAuth endpoints of this service (RFC 8414).', {
    answer: serverMetadata,
    errors: off,
    run: serverView,
  })
const resource = () =>
  anyone('Describes what the tokens of this service open (RFC 9728).', {
    answer: resourceMetadata,
    errors: off,
    run: resourceView,
  })
const anyPath = { params: { path: 'The path of the resource, such as mcp.' } }

/** What describes the OAuth endpoints to programs. */
export const OAUTH_METADATA_OPERATIONS = {
  'GET /.well-known/oauth-authorization-server': server(),
  'GET /.well-known/oauth-authorization-server/:path': { ...server(), ...anyPath },
  'GET /.well-known/oauth-protected-resource': resource(),
  'GET /.well-known/oauth-protected-resource/:path': { ...resource(), ...anyPath },
  'GET /mcp/.well-known/oauth-protected-resource': resource(),
  'GET /oauth/jwks.json': anyone('Returns the keys that check access tokens.', {
    answer: keySet,
    errors: off,
    run: async ({ mcp }) => {
      requireOn(mcp)
      // The first key is made when somebody asks for it.
      await mcp.keys.signing()
      return { keys: mcp.keys.published() }
    },
  }),
}

/** @throws ServiceError `not_found` while remote access is off: nobody learns that there is such a thing */
export function requireOn(mcp: Pick<Mcp, 'settings'>): void {
  if (!mcp.settings().enabled) throw new ServiceError('not_found', 'Not found')
}

function serverView({ mcp }: RunningService) {
  requireOn(mcp)
  const { publicUrl, writeScopeEnabled } = mcp.settings()
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    jwks_uri: `${publicUrl}/oauth/jwks.json`,
    scopes_supported: supportedScopes({ writeScopeEnabled }),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs`,
  } as const
}

function resourceView({ mcp }: RunningService) {
  requireOn(mcp)
  const { publicUrl, writeScopeEnabled } = mcp.settings()
  return {
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: supportedScopes({ writeScopeEnabled }),
    resource_documentation: `${publicUrl}/docs`,
  } as const
}
