import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { type AccessToken, SCOPES, type Scope } from '../../../core/identity/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, instant, messageOnly, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'

const access = signedIn('Access', undefined, 'admin')

/** The scopes that can change something. */
const WIDE_SCOPES = Object.keys(SCOPES).filter((scope) => scope !== 'read')

const tokenPayload = z.strictObject({
  name: fields.text(80),
  scopes: z
    .array(fields.oneOf(Object.keys(SCOPES) as [Scope, ...Scope[]]))
    .min(1, 'At least one scope is required.'),
  expires: fields.text(20).optional(),
})

const token = z.strictObject({
  id: count,
  name: text,
  scopes: z.array(z.enum(Object.keys(SCOPES))),
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
  revoked_at: instant.nullable(),
})
const tokenList = ok({ data: z.array(token) })
const newToken = ok({ token: text.meta({ description: 'Returned only once.' }), data: token })

/** Personal access tokens. A new one is shown once. */
export const TOKEN_OPERATIONS = {
  'GET /auth/tokens': access('Lists the personal access tokens.', {
    answer: tokenList,
    run: ({ identity: { tokens } }, _input, { username }) => ({
      status: 'success',
      data: tokens.list(username).map(tokenView),
    }),
  }),
  'POST /auth/tokens': access('Creates a personal access token.', {
    fresh: { scopes: WIDE_SCOPES },
    body: tokenPayload,
    example: { name: 'dashboard', scopes: ['read'], expires: '90d' },
    answer: newToken,
    errors: ['validation', 'too_large', 'unsupported_media'],
    status: 201,
    audit: { act: 'token.create', values: tokenValues },
    run: async ({ identity: { tokens } }, { body }, { username }) => {
      const { token, ...created } = await tokens.create(username, body)
      return { status: 'success', token, data: tokenView(created) }
    },
  }),
  'DELETE /auth/tokens/:id': access('Revokes a token.', {
    params: { id: 'The id of the token.' },
    answer: messageOnly,
    errors: ['not_found', 'storage_full'],
    audit: { act: 'token.revoke', values: tokenValues, emergency: true },
    run: async ({ identity: { tokens } }, { params: { id } }, { username }) => {
      const revoked = await tokens.revoke(username, Number(id))
      if (!revoked) throw new ServiceError('not_found', 'Token not found')
      return { status: 'success', message: 'Token revoked' }
    },
  }),
}

function tokenValues({ service, username }: ActRequest<RunningService>) {
  return Object.fromEntries(
    service.identity.tokens
      .list(username)
      .map(({ id, name, scopes, expiresAt, revokedAt }) => [id, { name, scopes, expiresAt, revokedAt }]),
  )
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
