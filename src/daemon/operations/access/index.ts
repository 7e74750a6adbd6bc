import { z } from 'zod'
import { messageOnly } from '../common/answers.js'
import { status } from '../control/answers.js'
import { open, signedIn } from '../running.js'
import * as answers from './answers.js'
import {
  changePasswordPayload,
  changePayload,
  loginActivityQuery,
  loginCodePayload,
  loginPayload,
  orderModePayload,
  reauthenticationPayload,
  resetPayload,
  setupPayload,
  tokenPayload,
  twoFactorPayload,
  userPayload,
  WIDE_SCOPES,
} from './payloads.js'

const service = open('Service')
const anyone = open('Access')
const access = signedIn('Access')
const limited = signedIn('Access', 'api')

/** The errors of both steps of a sign-in. */
const SIGN_IN_ERRORS = [
  'validation',
  'unauthenticated',
  'forbidden',
  'too_large',
  'unsupported_media',
  'rate_limited',
  'unavailable',
] as const

export const ACCESS_OPERATIONS = {
  'GET /version': service('Returns the name and version of the service.', { answer: answers.version }),
  'GET /auth/app-info': service('Returns the same as GET /version.', { answer: answers.version }),
  'GET /health/live': service('Succeeds while the process runs.', { answer: answers.live }),
  'GET /health/ready': service(
    'Succeeds while the service accepts requests and, in Live mode, has a broker session.',
    {
      answer: answers.ready,
      others: { 503: answers.ready },
    },
  ),
  'GET /health/status': service('Returns whether the service is ready and its last health sample passed.', {
    limit: 'threeHundredAMinute',
    answer: answers.healthStatus,
    others: { 503: answers.healthStatus },
  }),
  'GET /openapi.json': service('Returns the OpenAPI document.', {
    answer: z.looseObject({ openapi: z.string() }),
    errors: ['unavailable'],
  }),
  'GET /docs': service('Returns a web page that shows the OpenAPI document and can send requests.', {
    answerText: 'text/html',
  }),
  'GET /docs/reference.js': service('Returns the script of GET /docs, compressed with gzip.', {
    answerText: 'text/javascript',
  }),
  'GET /': service('Redirects to GET /docs.', { status: 302 }),
  'GET /status': signedIn('Service', 'api')('Returns the state of the service.', {
    scopes: ['read'],
    answer: status,
  }),
  'POST /setup': anyone('Creates the account. Works only once.', {
    headers: ['X-Setup-Token'],
    limit: 'login',
    body: setupPayload,
    example: { username: 'asha', email: 'asha@example.org', password: 'correct horse 4' },
    answer: answers.setUp,
    errors: [
      'validation',
      'forbidden',
      'conflict',
      'too_large',
      'unsupported_media',
      'rate_limited',
      'unavailable',
    ],
    status: 201,
  }),
  'GET /auth/check-setup': anyone('Returns whether the account must still be created.', {
    answer: answers.needsSetup,
    errors: ['unavailable'],
  }),
  'POST /auth/login': anyone('Signs in; returns a token and sets the session cookie, or asks for a code.', {
    limit: 'login',
    body: loginPayload,
    example: { username: 'asha', password: 'correct horse 4' },
    answer: answers.signedIn,
    errors: SIGN_IN_ERRORS,
  }),
  'POST /auth/login/totp': anyone('Completes a sign-in with a code of the authenticator app.', {
    limit: 'login',
    body: loginCodePayload,
    example: { totp_code: '123456', login_token: 'Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4iL0oP7rT2uY' },
    answer: answers.newSession,
    errors: SIGN_IN_ERRORS,
  }),
  'GET /auth/2fa/status': access('Returns the settings of the second factor.', {
    scopes: ['read'],
    answer: answers.twoFactorStatus,
  }),
  'POST /auth/2fa/configure': access(
    'Replaces the settings of the second factor. A missing flag means false. Every change needs a current code.',
    {
      limit: 'login',
      scopes: ['admin'],
      fresh: 'in the request',
      body: twoFactorPayload,
      example: { totp_code: '123456', totp_enabled: true, totp_required_for_login: true },
      answer: answers.twoFactor,
      errors: ['validation', 'not_found', 'too_large', 'unsupported_media'],
    },
  ),
  'GET /auth/profile-data': access(
    "Returns the user's profile, and to a session the secret of the second factor.",
    {
      scopes: ['read'],
      fresh: true,
      answer: answers.profile,
    },
  ),
  'GET /auth/session-status': anyone('Returns whether the caller is signed in.', {
    answer: answers.sessionStatus,
    errors: ['unavailable'],
  }),
  'POST /auth/logout': access('Ends this session.', { answer: messageOnly, errors: ['storage_full'] }),
  'GET /auth/csrf-token': access('Returns the CSRF token for changes made with the session cookie.', {
    answer: answers.csrfToken,
  }),
  'POST /auth/reauthenticate': access(
    'Takes the password again, with a code if sign-ins need one, so that this session may do dangerous acts.',
    {
      limit: 'login',
      scopes: ['admin'],
      fresh: 'in the request',
      body: reauthenticationPayload,
      example: { password: 'correct horse 4' },
      answer: answers.reauthenticated,
      errors: ['validation', 'too_large', 'unsupported_media', 'storage_full'],
    },
  ),
  'GET /auth/whoami': access('Returns the signed-in user and the scopes.', { answer: answers.whoami }),
  'POST /auth/ws-ticket': access('Returns a ticket for one connection to the event stream.', {
    answer: answers.ticket,
  }),
  'GET /auth/active-sessions': access('Lists the sessions of the user.', {
    scopes: ['read'],
    answer: answers.sessions,
  }),
  'DELETE /auth/active-sessions/:id': access('Ends a session.', {
    params: { id: 'The session_id from the list.' },
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['not_found', 'storage_full'],
  }),
  'POST /auth/change-password': access('Changes the password and ends all sessions.', {
    limit: 'login',
    scopes: ['admin'],
    fresh: 'in the request',
    body: changePasswordPayload,
    example: {
      old_password: 'Correct horse 4!',
      new_password: 'Another horse 5!',
      confirm_password: 'Another horse 5!',
    },
    answer: messageOnly,
    errors: ['validation', 'conflict', 'too_large', 'unsupported_media', 'storage_full'],
  }),
  'POST /auth/change': access('Changes the password, as POST /auth/change-password does.', {
    limit: 'login',
    scopes: ['admin'],
    fresh: 'in the request',
    body: changePayload,
    example: { current_password: 'Correct horse 4!', new_password: 'Another horse 5!' },
    answer: messageOnly,
    errors: ['validation', 'conflict', 'too_large', 'unsupported_media', 'storage_full'],
  }),
  'POST /auth/reset-password': anyone(
    'Resets a forgotten password, step by step: with a code of the authenticator app, or with a link by mail.',
    {
      limit: 'reset',
      body: resetPayload,
      example: { step: 'select_email', email: 'asha@example.org' },
      answer: answers.reset,
      errors: [
        'validation',
        'refused',
        'forbidden',
        'too_large',
        'unsupported_media',
        'rate_limited',
        'unavailable',
        'storage_full',
      ],
    },
  ),
  'GET /auth/reset-password': anyone('Redirects to GET /reset-password.', { status: 302 }),
  'GET /auth/reset-password-email/:token': anyone(
    'Redirects to GET /reset-password, with the token of a mailed link or the reason why it does not work.',
    {
      limit: 'reset',
      params: { token: 'The token of the link.' },
      errors: ['rate_limited', 'unavailable'],
      status: 302,
    },
  ),
  'GET /reset-password': anyone('Returns the page on which a mailed link is used.', {
    answerText: 'text/html',
  }),
  'GET /security/api/login-activity': limited('Lists the sign-in attempts, newest first.', {
    scopes: ['read'],
    query: loginActivityQuery,
    answer: answers.loginActivity,
    errors: ['validation'],
  }),
  'GET /security/api/active-sessions': limited('Lists the sessions of the user, without their count.', {
    scopes: ['read'],
    answer: answers.activeSessions,
  }),
  'POST /security/api/login-activity/clear': limited('Deletes the record of sign-in attempts.', {
    scopes: ['admin'],
    answer: messageOnly,
  }),
  'GET /auth/tokens': access('Lists the personal access tokens.', {
    scopes: ['admin'],
    answer: answers.tokens,
  }),
  'POST /auth/tokens': access('Creates a personal access token.', {
    scopes: ['admin'],
    fresh: { scopes: WIDE_SCOPES },
    body: tokenPayload,
    example: { name: 'dashboard', scopes: ['read'], expires: '90d' },
    answer: answers.newToken,
    errors: ['validation', 'too_large', 'unsupported_media'],
    status: 201,
  }),
  'DELETE /auth/tokens/:id': access('Revokes a token.', {
    params: { id: 'The id of the token.' },
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['not_found', 'storage_full'],
  }),
  'GET /apikey': limited('Returns the API key and the order mode.', {
    scopes: ['admin'],
    fresh: true,
    answer: answers.apiKey,
  }),
  'POST /apikey': limited('Creates a new API key; the old key stops working at once.', {
    scopes: ['admin'],
    fresh: true,
    body: userPayload,
    example: { user_id: 'asha' },
    answer: answers.newApiKey,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
  'POST /apikey/mode': limited('Sets the order mode: auto or semi_auto.', {
    scopes: ['settings'],
    body: orderModePayload,
    example: { user_id: 'asha', mode: 'auto' },
    answer: answers.changedMode,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
}
