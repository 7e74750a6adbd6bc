import { ServiceError } from '../../../core/errors/index.js'
import type { AccessToken, Identity } from '../../../core/identity/index.js'
import type { Handlers } from '../../http/handlers.js'

/** Returns the handlers that list, create (and show once) and revoke personal access tokens. */
export function tokenHandlers({ identity: { tokens } }: { identity: Pick<Identity, 'tokens'> }) {
  return {
    'GET /auth/tokens': (_input, { username }) => ({
      status: 'success',
      data: tokens.list(username).map(tokenView),
    }),
    'POST /auth/tokens': async ({ body }, { username }) => {
      const { token, ...created } = await tokens.create(username, body)
      return { status: 'success', token, data: tokenView(created) }
    },
    'DELETE /auth/tokens/:id': async ({ params: { id } }, { username }) => {
      const revoked = await tokens.revoke(username, Number(id))
      if (!revoked) throw new ServiceError('not_found', 'Token not found')
      return { status: 'success', message: 'Token revoked' }
    },
  } satisfies Partial<Handlers>
}

function tokenView(token: AccessToken) {
  const iso = (ms: number) => new Date(ms).toISOString()
  const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    created_at: iso(token.createdAt),
    expires_at: isoOrNull(token.expiresAt),
    last_used_at: isoOrNull(token.lastUsedAt),
    revoked_at: isoOrNull(token.revokedAt),
  }
}
