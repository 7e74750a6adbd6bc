import { Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import type { AppEnv } from '../env.js'
import { requireScope, unauthenticated } from '../middleware/session.js'

export interface SessionParts {
  identity: Identity
  /** Mode, broker and order mode of a user, for "who am I". */
  describe(username: string): Record<string, unknown>
  issueTicket(principal: Principal): string
}

/** Who the caller is, what their session gives them, and where else they are signed in. */
export function sessionRoutes({ identity, ...parts }: SessionParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/csrf-token', (c) => {
      const session = c.get('session')
      if (!session) throw unauthenticated()
      return c.json({ csrf_token: identity.sessions.csrfToken(session) })
    })
    .get('/whoami', (c) => {
      const { username, credential, scopes } = c.get('principal')
      const expiresAt = c.get('session')?.expiresAt
      return c.json({
        status: 'success',
        data: {
          username,
          kind: credential === 'session' ? 'session' : 'token',
          scopes,
          expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          ...parts.describe(username),
        },
      })
    })
    .post('/ws-ticket', (c) => c.json({ status: 'success', ticket: parts.issueTicket(c.get('principal')) }))
    .get('/active-sessions', requireScope('read'), (c) => {
      const sessions = identity.sessions.list(c.get('principal').username)
      return c.json({
        status: 'success',
        count: sessions.length,
        current_session_id: c.get('session')?.id ?? null,
        sessions,
      })
    })
    .delete('/active-sessions/:id', requireScope('admin'), async (c) => {
      const ended = await identity.sessions.revoke(c.get('principal').username, c.req.param('id'))
      if (!ended) throw new ServiceError('not_found', 'Session not found')
      return c.json({ status: 'success', message: 'Session revoked' })
    })
}
