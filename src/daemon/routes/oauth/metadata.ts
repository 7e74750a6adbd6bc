import { ServiceError } from '../../../core/errors/index.js'
import { AUTH_METHODS, type Mcp, supportedScopes } from '../../../core/mcp/index.js'
import type { Handlers } from '../../http/handlers.js'

/** @throws ServiceError `not_found` while remote access is off: nobody learns that there is such a thing */
export function requireOn(mcp: Pick<Mcp, 'settings'>): void {
  if (!mcp.settings().enabled) throw new ServiceError('not_found', 'Not found')
}

/** Returns the handlers that describe the OAuth endpoints to programs. */
export function oauthMetadataHandlers({ mcp }: { mcp: Mcp }) {
  const server = () => {
    requireOn(mcp)
    return serverMetadata(mcp)
  }
  const resource = () => {
    requireOn(mcp)
    return resourceMetadata(mcp)
  }
  return {
    'GET /.well-known/oauth-authorization-server': server,
    'GET /.well-known/oauth-authorization-server/:path': server,
    'GET /.well-known/oauth-protected-resource': resource,
    'GET /.well-known/oauth-protected-resource/:path': resource,
    'GET /mcp/.well-known/oauth-protected-resource': resource,
    'GET /oauth/jwks.json': async () => {
      requireOn(mcp)
      // The first key is made when somebody asks for it.
      await mcp.keys.signing()
      return { keys: mcp.keys.published() }
    },
  } satisfies Partial<Handlers>
}

function serverMetadata(mcp: Mcp) {
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

function resourceMetadata(mcp: Mcp) {
  const { publicUrl, writeScopeEnabled } = mcp.settings()
  return {
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: supportedScopes({ writeScopeEnabled }),
    resource_documentation: `${publicUrl}/docs`,
  } as const
}
