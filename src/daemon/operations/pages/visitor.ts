import { z } from 'zod'
import { accountRules } from '../../../core/identity/index.js'
import { sessionOfCookie, sessionOptions } from '../../middleware/session.js'
import { message, ok, text } from '../common/answers.js'
import { http, open, signedIn } from '../running.js'

const anyone = open('Access')
const page = { answerText: 'text/html' } as const

const visitor = ok({
  needs_setup: z.boolean().meta({ description: 'Whether the account must still be created.' }),
  authenticated: z.boolean().meta({ description: 'Whether the caller has a session.' }),
})
const pendingSignIn = ok({ message })
const proofForm = ok({
  code_needed: z
    .boolean()
    .meta({ description: 'Whether the proof needs a code of the authenticator app too.' }),
})
const setupForm = ok({
  needs_setup: z.boolean(),
  token_needed: z
    .boolean()
    .meta({ description: 'Whether the set-up needs X-Setup-Token from this address.' }),
  rules: z.array(text).meta({ description: 'The rules of the password, in words.' }),
})

/** The page on which a session proves who its user is. */
export const PROOF_PAGE_OPERATIONS = {
  'GET /auth/reauthenticate': signedIn('Access')('Says what a proof needs; the page takes the password.', {
    ...page,
    answer: proofForm,
    run: async ({ identity }, _input, { username }) => ({
      status: 'success',
      code_needed: await identity.secondFactor.requires(username, 'login'),
    }),
  }),
}

/** The pages before a sign-in: the sign-in itself and the set-up. */
export const VISITOR_PAGE_OPERATIONS = {
  'GET /login': anyone('Returns whether the caller is signed in; the page signs in.', {
    ...page,
    answer: visitor,
    errors: ['unavailable'],
    run: http('a cookie', (service, c) =>
      c.json({
        status: 'success',
        needs_setup: service.identity.users.needsSetup,
        authenticated: sessionOfCookie(c, sessionOptions(service)) !== undefined,
      }),
    ),
  }),
  'GET /auth/login': anyone('Redirects to the page that signs in, or sets the service up.', {
    status: 302,
    run: http('a redirect', ({ identity: { users } }, c) => {
      const { search } = new URL(c.req.url)
      return c.redirect(users.needsSetup ? '/setup' : `/login${search}`)
    }),
  }),
  'GET /auth/login/totp': anyone('Says what the second step needs; the page takes the code.', {
    ...page,
    answer: pendingSignIn,
    run: () => ({ status: 'success', message: 'Send the code of the authenticator app with POST.' }),
  }),
  'GET /setup': anyone('Returns whether the account must be created, and what that needs.', {
    ...page,
    answer: setupForm,
    errors: ['unavailable'],
    run: ({ identity: { users } }, _input, { isLocal }) => ({
      status: 'success',
      needs_setup: users.needsSetup,
      token_needed: !isLocal,
      rules: accountRules().password,
    }),
  }),
}
