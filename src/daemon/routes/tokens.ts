import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import { type AccessToken, type Identity, SCOPES, type Scope } from '../../core/identity/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScope } from '../middleware/session.js'

export const tokenBody = z.strictObject({
  name: fields.text(80),
  scopes: z
    .array(fields.oneOf(Object.keys(SCOPES) as [Scope, ...Scope[]]))
    .min(1, 'At least one scope is required.'),
  expires: fields.text(20).optional(),
})

/** Personal access tokens: listed, made (and shown once), revoked. */
export function tokenRoutes({ identity }: { identity: Identity }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/tokens', requireScope('admin'), (c) =>
      c.json({ status: 'success', data: identity.tokens.list(c.get('principal').username).map(tokenView) }),
    )
    .post('/tokens', requireScope('admin'), async (c) => {
      const wanted = parseWith(tokenBody, await readJson(c))
      const { token, ...created } = await identity.tokens.create(c.get('principal').username, wanted)
      return c.json({ status: 'success', token, data: tokenView(created) }, 201)
    })
    .delete('/tokens/:id', requireScope('admin'), async (c) => {
      const revoked = await identity.tokens.revoke(c.get('principal').username, Number(c.req.param('id')))
      if (!revoked) throw new ServiceError('not_found', 'Token not found')
      return c.json({ status: 'success', message: 'Token revoked' })
    })
}

function tokenView(token: AccessToken) {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    created_at: iso(token.createdAt),
    expires_at: iso(token.expiresAt),
    last_used_at: iso(token.lastUsedAt),
    revoked_at: iso(token.revokedAt),
  }
}
