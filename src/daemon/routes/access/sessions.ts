import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity, Principal } from '../../../core/identity/index.js'
import type { DeskDescription, UserDescription } from '../../describe.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { unauthenticated } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'

interface SessionParts {
  identity: Identity
  /** Returns a user's mode, broker and order mode, for "who am I". */
  describe(username: string): UserDescription
  /** Returns what a terminal shows and asks before a change while orders are live. */
  desk(username: string): Pick<DeskDescription, 'account' | 'confirm_live'>
  issueTicket(principal: Principal): string
}

/** Returns the handlers for the caller's own session and for the list of their other sessions. */
export function sessionHandlers({ identity: { sessions }, ...parts }: SessionParts) {
  const ownSessions = (c: Context<AppEnv>) => ({
    current_session_id: c.get('session')?.id ?? null,
    sessions: sessions.list(c.get('principal').username),
  })
  return {
    'GET /auth/csrf-token': httpHandler((c) => {
      const session = c.get('session')
      if (!session) throw unauthenticated()
      return c.json({ csrf_token: sessions.csrfToken(session) })
    }),
    'GET /auth/whoami': httpHandler((c) => {
      const { username, credential, scopes } = c.get('principal')
      const expiresAt = c.get('session')?.expiresAt
      const { account, confirm_live } = parts.desk(username)
      return c.json({
        status: 'success',
        data: {
          username,
          kind: credential === 'session' ? 'session' : 'token',
          scopes,
          expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          ...parts.describe(username),
          account,
          confirm_live,
        },
      })
    }),
    'POST /auth/ws-ticket': httpHandler((c) =>
      c.json({ status: 'success', ticket: parts.issueTicket(c.get('principal')) }),
    ),
    'GET /auth/active-sessions': httpHandler((c) => {
      const own = ownSessions(c)
      return c.json({ status: 'success', count: own.sessions.length, ...own })
    }),
    'GET /security/api/active-sessions': httpHandler((c) => c.json({ status: 'success', ...ownSessions(c) })),
    'DELETE /auth/active-sessions/:id': async ({ params: { id } }, { username }) => {
      const ended = await sessions.revoke(username, id)
      if (!ended) throw new ServiceError('not_found', 'Session not found')
      return { status: 'success', message: 'Session revoked' }
    },
  } satisfies Partial<Handlers>
}
