import { z } from 'zod'
import { modeBody, userBody } from '../../routes/api-key.js'
import { setupBody } from '../../routes/setup.js'
import { loginBody } from '../../routes/sign-in.js'
import { tokenBody } from '../../routes/tokens.js'
import { type Operation, open, signedIn } from '../operation.js'
import * as answers from '../responses/access.js'
import { said } from '../responses/common.js'
import { status } from '../responses/control.js'

const service = open('Service')
const anyone = open('Access')
const access = signedIn('Access')
const starting = { 503: answers.ready }

export const ACCESS_OPERATIONS: readonly Operation[] = [
  service('GET', '/version', 'Name and version.', { answer: answers.version }),
  service('GET', '/auth/app-info', 'The same.', { answer: answers.version }),
  service('GET', '/health/live', 'Whether the process answers.', { answer: answers.live }),
  {
    ...service('GET', '/health/ready', 'Whether it takes requests.', { answer: answers.ready }),
    answers: { 200: answers.ready, ...starting },
  },
  {
    ...service('GET', '/health/status', 'The same, in brief.', { answer: answers.healthStatus }),
    answers: { 200: answers.healthStatus, 503: answers.healthStatus },
  },
  service('GET', '/openapi.json', 'This document.', {
    answer: z.looseObject({ openapi: z.string() }),
    errors: ['unavailable'],
  }),
  {
    ...service('GET', '/docs', 'This document, to be read.', {
      answer: said,
      answerText: 'text/html',
      errors: ['unavailable'],
    }),
    answers: {},
  },
  signedIn('Service')('GET', '/status', 'The state of the service.', { scopes: ['read'], answer: status }),
  {
    ...anyone('POST', '/setup', 'Creates the one account; once.', {
      headers: ['X-Setup-Token'],
      body: setupBody,
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
    }),
    answers: { 201: answers.setUp },
  },
  anyone('GET', '/auth/check-setup', 'Whether the account is still to be created.', {
    answer: answers.needsSetup,
    errors: ['unavailable'],
  }),
  anyone('POST', '/auth/login', 'Signs in: a token, and the session cookie.', {
    body: loginBody,
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
  anyone('GET', '/auth/session-status', 'Whether the caller is signed in.', {
    answer: answers.sessionStatus,
    errors: ['unavailable'],
  }),
  access('POST', '/auth/logout', 'Ends this session.', { answer: said, errors: ['storage_full'] }),
  access('GET', '/auth/csrf-token', 'The token that writes with the session cookie need.', {
    answer: answers.csrfToken,
  }),
  access('GET', '/auth/whoami', 'Who is signed in, with which scopes.', { answer: answers.whoami }),
  access('POST', '/auth/ws-ticket', 'A ticket for one connection to the event stream.', {
    answer: answers.ticket,
  }),
  access('GET', '/auth/active-sessions', 'The sessions of the user.', {
    scopes: ['read'],
    answer: answers.sessions,
  }),
  access('DELETE', '/auth/active-sessions/:id', 'Ends a session.', {
    params: { id: 'The session_id of the list.' },
    scopes: ['admin'],
    answer: said,
    errors: ['not_found', 'storage_full'],
  }),
  access('GET', '/auth/tokens', 'The personal access tokens.', { scopes: ['admin'], answer: answers.tokens }),
  {
    ...access('POST', '/auth/tokens', 'Makes a personal access token.', {
      scopes: ['admin'],
      body: tokenBody,
      example: { name: 'dashboard', scopes: ['read'], expires: '90d' },
      answer: answers.newToken,
      errors: ['validation', 'too_large', 'unsupported_media'],
    }),
    answers: { 201: answers.newToken },
  },
  access('DELETE', '/auth/tokens/:id', 'Revokes a token.', {
    params: { id: 'Its number.' },
    scopes: ['admin'],
    answer: said,
    errors: ['not_found', 'storage_full'],
  }),
  access('GET', '/apikey', 'The API key and the order mode.', { scopes: ['admin'], answer: answers.apiKey }),
  access('POST', '/apikey', 'Makes a new API key; the old one dies at once.', {
    scopes: ['admin'],
    body: userBody,
    example: { user_id: 'asha' },
    answer: answers.newApiKey,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
  access('POST', '/apikey/mode', 'Sets the order mode: auto or semi_auto.', {
    scopes: ['settings'],
    body: modeBody,
    example: { user_id: 'asha', mode: 'auto' },
    answer: answers.changedMode,
    errors: ['validation', 'too_large', 'unsupported_media'],
  }),
]
