import { z } from 'zod'
import * as answers from './answers/access.js'
import { messageOnly } from './answers/common.js'
import { status } from './answers/control.js'
import { open, signedIn } from './operation.js'
import { loginPayload, orderModePayload, setupPayload, tokenPayload, userPayload } from './payloads/access.js'

const service = open('Service')
const anyone = open('Access')
const access = signedIn('Access')
const key = signedIn('Access', 'api')

export const ACCESS_OPERATIONS = {
  'GET /version': service('Name and version.', { answer: answers.version }),
  'GET /auth/app-info': service('The same.', { answer: answers.version }),
  'GET /health/live': service('Whether the process answers.', { answer: answers.live }),
  'GET /health/ready': service('Whether it takes requests.', {
    answer: answers.ready,
    others: { 503: answers.ready },
  }),
  'GET /health/status': service('The same, in brief.', {
    answer: answers.healthStatus,
    others: { 503: answers.healthStatus },
  }),
  'GET /openapi.json': service('This document.', {
    answer: z.looseObject({ openapi: z.string() }),
    errors: ['unavailable'],
  }),
  'GET /docs': service('This document, to be read.', {
    answer: messageOnly,
    answerText: 'text/html',
    errors: ['unavailable'],
  }),
  'GET /status': signedIn('Service', 'api')('The state of the service.', {
    scopes: ['read'],
    answer: status,
  }),
  'POST /setup': anyone('Creates the one account; once.', {
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
  'GET /auth/check-setup': anyone('Whether the account is still to be created.', {
    answer: answers.needsSetup,
    errors: ['unavailable'],
  }),
  'POST /auth/login': anyone('Signs in: a token, and the session cookie.', {
    limit: 'login',
    body: loginPayload,
    example: { username: 'asha', password: 'correct horse 4' },
    answer: answers.signedIn,
    errors: [
      'validation',
      'unauthenticated',
      'forbidden',
      'too_large',
      'unsupported_media',
      'rate_limited',
      'unavailable',
    ],
  }),
  'GET /auth/session-status': anyone('Whether the caller is signed in.', {
    answer: answers.sessionStatus,
    errors: ['unavailable'],
  }),
  'POST /auth/logout': access('Ends this session.', { answer: messageOnly, errors: ['storage_full'] }),
  'GET /auth/csrf-token': access('The token that writes with the session cookie need.', {
    answer: answers.csrfToken,
  }),
  'GET /auth/whoami': access('Who is signed in, with which scopes.', { answer: answers.whoami }),
  'POST /auth/ws-ticket': access('A ticket for one connection to the event stream.', {
    answer: answers.ticket,
  }),
  'GET /auth/active-sessions': access('The sessions of the user.', {
    scopes: ['read'],
    answer: answers.sessions,
  }),
  'DELETE /auth/active-sessions/:id': access('Ends a session.', {
    params: { id: 'The session_id of the list.' },
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['not_found', 'storage_full'],
  }),
  'GET /auth/tokens': access('The personal access tokens.', { scopes: ['admin'], answer: answers.tokens }),
  'POST /auth/tokens': access('Makes a personal access token.', {
    scopes: ['admin'],
    body: tokenPayload,
    example: { name: 'dashboard', scopes: ['read'], expires: '90d' },
    answer: answers.newToken,
    errors: ['validation', 'too_large', 'unsupported_media'],
    status: 201,
  }),
  'DELETE /auth/tokens/:id': access('Revokes a token.', {
    params: { id: 'Its number.' },
    scopes: ['admin'],
    answer: messageOnly,
    errors: ['not_found', 'storage_full'],
  }),
  'GET /apikey': key('The API key and the order mode.', { scopes: ['admin'], answer: answers.apiKey }),
  'POST /apikey': key('Makes a new API key; the old one dies at once.', {
    scopes: ['admin'],
    body: userPayload,
    example: { user_id: 'asha' },
    answer: answers.newApiKey,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
  'POST /apikey/mode': key('Sets the order mode: auto or semi_auto.', {
    scopes: ['settings'],
    body: orderModePayload,
    example: { user_id: 'asha', mode: 'auto' },
    answer: answers.changedMode,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
}
