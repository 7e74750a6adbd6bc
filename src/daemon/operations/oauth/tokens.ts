import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { z } from 'zod'
import { noteAct } from '../../audit/note.js'
import type { AppEnv } from '../../process/env.js'
import { count, text } from '../common/answers.js'
import { http, open } from '../running.js'
import { clientProof, FORM, json, oauthText, off } from './fields.js'
import { requireOn } from './metadata.js'
import { challenging, keepFromCaches, proofOf, readParams } from './params.js'

const anyone = open('Assistants')

const tokenRequestPayload = z.object({
  ...clientProof,
  grant_type: oauthText.optional(),
  code: oauthText.optional(),
  redirect_uri: oauthText.optional(),
  code_verifier: oauthText.optional(),
  refresh_token: oauthText.optional(),
  scope: oauthText.optional(),
  resource: oauthText.optional(),
})
const revocationPayload = z.object({
  ...clientProof,
  token: oauthText.optional(),
  token_type_hint: oauthText.optional(),
})

const tokenSet = z.strictObject({
  access_token: text,
  token_type: z.literal('Bearer'),
  expires_in: count,
  refresh_token: text,
  scope: text,
})

/** The tokens of clients, and their end. */
export const OAUTH_TOKEN_OPERATIONS = {
  'POST /oauth/token': anyone('Exchanges a code or a refresh token for new tokens.', {
    limit: 'twentyAMinute',
    body: tokenRequestPayload,
    bodyText: FORM,
    example: { grant_type: 'refresh_token', refresh_token: 'Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4iL0oP7rT2uY' },
    answer: tokenSet,
    errors: [...off, ...json, 'unauthenticated', 'rate_limited', 'storage_full'],
    audit: { unrecorded: 'New tokens of a consent that is recorded.' },
    run: http('a form', async ({ mcp }, c) => {
      requireOn(mcp)
      keepFromCaches(c)
      const params = await readParams(c, tokenRequestPayload)
      const { answer, sent } = await challenging(c, () => mcp.tokens.answer(proofOf(c, params), params))
      whenSent(c, sent)
      return c.json(answer)
    }),
  }),
  'POST /oauth/revoke': anyone('Ends the grant of a token (RFC 7009). The answer is empty.', {
    limit: 'twentyAMinute',
    body: revocationPayload,
    bodyText: FORM,
    example: { token: 'Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4iL0oP7rT2uY' },
    answerText: 'text/plain',
    errors: [...off, ...json, 'unauthenticated', 'rate_limited', 'storage_full'],
    audit: { act: 'mcp.give_back' },
    run: http('a form', async ({ mcp }, c) => {
      requireOn(mcp)
      const params = await readParams(c, revocationPayload)
      const proof = proofOf(c, params)
      if (await challenging(c, () => mcp.tokens.revoke(proof, params.token))) {
        noteAct(c, { target: proof.clientId ?? '' })
      }
      return c.body(null, 200)
    }),
  }),
}

/** Calls back when the answer has left this machine. Never, if the connection breaks before. */
function whenSent(c: Context<AppEnv>, sent: () => void): void {
  const outgoing: HttpBindings['outgoing'] | undefined = c.env.outgoing
  if (outgoing) outgoing.once('finish', sent)
  else sent()
}
