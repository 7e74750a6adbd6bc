import type { Context } from 'hono'
import { deleteCookie } from 'hono/cookie'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { SCOPES } from '../../../core/identity/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { SignedInCaller } from '../../http/caller.js'
import { sessionOptions, tokenOf, unauthenticated } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import type { ActRequest } from '../audit-facts.js'
import { count, instant, message, messageOnly, ok, text } from '../common/answers.js'
import { terminalFields, terminalView, userFields, userView } from '../common/user.js'
import { http, open, signedIn } from '../running.js'

const anyone = open('Access')
const access = signedIn('Access')

const NOT_SIGNED_IN = {
  status: 'success',
  message: 'Not authenticated',
  authenticated: false,
  logged_in: false,
} as const

const reauthenticationPayload = z.strictObject({
  password: fields.text(1024),
  /** Needed if sign-ins need a code. */
  totp_code: fields.text(32).optional(),
})

const reauthenticated = ok({
  message,
  fresh_until: instant.nullable().meta({
    description: 'The time until which this session may do dangerous acts; null if they never ask.',
  }),
})
const sessionStatus = z.union([
  ok({ message, authenticated: z.literal(false), logged_in: z.literal(false) }),
  ok({
    authenticated: z.literal(true),
    logged_in: z.literal(true),
    user: text,
    ...userFields,
    active_sessions: count,
  }),
])
const csrfToken = z.strictObject({ csrf_token: text })
const whoami = ok({
  data: z.strictObject({
    username: text,
    kind: z.enum(['session', 'token']),
    scopes: z.array(z.enum(Object.keys(SCOPES))),
    expires_at: instant.nullable(),
    ...userFields,
    ...terminalFields,
  }),
})
const ticket = ok({ ticket: text })
const ownSessions = {
  current_session_id: text.nullable(),
  sessions: z.array(
    z.strictObject({
      session_id: text,
      device_info: text.nullable(),
      ip_address: text.nullable(),
      broker: text.nullable(),
      login_time: text,
      last_seen: text,
    }),
  ),
}
export const activeSessions = ok(ownSessions)
const sessions = ok({ count, ...ownSessions })

/** The caller's own session, and the list of their other sessions. */
export const SESSION_OPERATIONS = {
  'GET /auth/session-status': anyone('Returns whether the caller is signed in.', {
    answer: sessionStatus,
    errors: ['unavailable'],
    run: (service, _input, { user }) => {
      if (user === undefined) return NOT_SIGNED_IN
      return {
        status: 'success',
        authenticated: true,
        logged_in: true,
        user,
        ...userView(service, user),
        active_sessions: service.identity.sessions.list(user).length,
      }
    },
  }),
  'POST /auth/logout': access('Ends this session.', {
    answer: messageOnly,
    errors: ['storage_full'],
    audit: { act: 'session.end', values: sessionValues, emergency: true },
    run: http(
      'a cookie',
      async (service, c) => {
        const session = c.get('session')
        if (session) await service.identity.sessions.revoke(session.username, session.id, 'logout')
        return loggedOut(service, c)
      },
      // An earlier sign-out ended the session but failed to store that. The caller who retries has no session
      // any more, so the end is stored before the guard.
      async (service, c) => {
        const token = tokenOf(c, sessionOptions(service))
        return (await service.identity.sessions.settleEndOf(token)) ? loggedOut(service, c) : undefined
      },
    ),
  }),
  'GET /auth/csrf-token': access('Returns the CSRF token for changes made with the session cookie.', {
    answer: csrfToken,
    run: ({ identity }, _input, { session }) => {
      if (!session) throw unauthenticated()
      return { csrf_token: identity.sessions.csrfToken(session) }
    },
  }),
  'POST /auth/reauthenticate': access(
    'Takes the password again, with a code if sign-ins need one, so that this session may do dangerous acts.',
    {
      limit: 'login',
      scopes: ['admin'],
      fresh: 'in the request',
      body: reauthenticationPayload,
      example: { password: 'correct horse 4' },
      answer: reauthenticated,
      errors: ['validation', 'too_large', 'unsupported_media', 'storage_full'],
      audit: { act: 'session.prove' },
      run: async ({ identity }, { body: { password, totp_code: code } }, { sender, session }) => {
        if (!session) throw new ServiceError('forbidden', 'Only a session takes the password again.')
        const until = await identity.reauthentication.prove(session, { password, code, ...sender })
        return {
          status: 'success',
          message: 'The password is right.',
          fresh_until: until === undefined ? null : new Date(until).toISOString(),
        }
      },
    },
  ),
  'GET /auth/whoami': access('Returns the signed-in user and the scopes.', {
    answer: whoami,
    run: (service, _input, { principal, session, username }) => {
      const expiresAt = session?.expiresAt ?? service.identity.tokens.expiryOf(principal)
      return {
        status: 'success',
        data: {
          username,
          kind: principal.credential === 'session' ? 'session' : 'token',
          scopes: principal.scopes,
          expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
          ...userView(service, username),
          ...terminalView(service),
        },
      }
    },
  }),
  'POST /auth/ws-ticket': access('Returns a ticket for one connection to the event stream.', {
    answer: ticket,
    audit: { unrecorded: 'A ticket for one connection of the same session, valid for seconds.' },
    run: ({ daemon }, _input, { principal }) => ({
      status: 'success',
      ticket: daemon.tickets.issue(principal),
    }),
  }),
  'GET /auth/active-sessions': access('Lists the sessions of the user.', {
    scopes: ['read'],
    answer: sessions,
    run: (service, _input, caller) => {
      const own = ownSessionsView(service, caller)
      return { status: 'success', count: own.sessions.length, ...own }
    },
  }),
  'DELETE /auth/active-sessions/:id': access('Ends a session.', {
    params: { id: 'The session_id from the list.' },
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['not_found', 'storage_full'],
    audit: { act: 'session.revoke', values: sessionValues, emergency: true },
    run: async ({ identity }, { params: { id } }, { username }) => {
      const ended = await identity.sessions.revoke(username, id)
      if (!ended) throw new ServiceError('not_found', 'Session not found')
      return { status: 'success', message: 'Session revoked' }
    },
  }),
}

/** Returns the sessions of a user as the audit trail shows them. */
export function sessionValues({ service, username }: ActRequest<RunningService>) {
  return { open: service.identity.sessions.list(username).length }
}

export function ownSessionsView({ identity }: RunningService, { session, username }: SignedInCaller) {
  return {
    current_session_id: session?.id ?? null,
    sessions: identity.sessions.list(username),
  }
}

function loggedOut({ config }: RunningService, c: Context<AppEnv>): Response {
  deleteCookie(c, config.SESSION_COOKIE_NAME, { path: '/' })
  return c.json({ status: 'success', message: 'Logged out successfully' })
}
