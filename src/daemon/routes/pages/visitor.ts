import { accountRules } from '../../../core/identity/index.js'
import { isLocalCall } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { type SessionGuardOptions, sessionOfCookie } from '../../middleware/session.js'

/** Returns the handlers of the pages before a sign-in: the sign-in itself and the set-up. */
export function visitorHandlers(options: SessionGuardOptions) {
  const { users } = options.identity
  return {
    'GET /login': httpHandler((c) =>
      c.json({
        status: 'success',
        needs_setup: users.needsSetup,
        authenticated: sessionOfCookie(c, options) !== undefined,
      }),
    ),
    'GET /auth/login': httpHandler((c) => {
      const { search } = new URL(c.req.url)
      return c.redirect(users.needsSetup ? '/setup' : `/login${search}`)
    }),
    'GET /auth/login/totp': () => ({
      status: 'success',
      message: 'Send the code of the authenticator app with POST.',
    }),
    'GET /setup': httpHandler((c) =>
      c.json({
        status: 'success',
        needs_setup: users.needsSetup,
        token_needed: !isLocalCall(c),
        rules: accountRules().password,
      }),
    ),
  } satisfies Partial<Handlers>
}
