import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { isTotpFresh, type Session } from '../../../core/identity/index.js'
import { type AuthorizationRequest, type Mcp, meaningsOf, oauthError } from '../../../core/mcp/index.js'
import { safeEqual } from '../../../core/secrets/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import type { RunningService } from '../../daemon.js'
import { senderOf } from '../../http/caller.js'
import type { AppEnv } from '../../process/env.js'
import { instant, ok, text } from '../common/answers.js'
import { http, signedIn } from '../running.js'
import { FORM, json, oauthText } from './fields.js'
import { requireOn } from './metadata.js'
import { readParams } from './params.js'

const WRONG_CODE = 'Invalid TOTP code. Please try again.'

/** What a client asks the user for. Parameters that nobody knows are ignored, as OAuth demands. */
const authorization = {
  client_id: oauthText.optional(),
  redirect_uri: oauthText.optional(),
  response_type: oauthText.optional(),
  scope: oauthText.optional(),
  state: oauthText.optional(),
  code_challenge: oauthText.optional(),
  code_challenge_method: oauthText.optional(),
  resource: oauthText.optional(),
}
const authorizationQuery = z.object(authorization)
const consentPayload = z.object({
  ...authorization,
  decision: oauthText.optional().meta({ description: 'approve or deny' }),
  totp_code: oauthText.optional(),
  consent: oauthText.optional().meta({ description: 'The member of the same name of GET /oauth/authorize.' }),
})

const flag = z.boolean()
const consentQuestion = ok({
  client: z.strictObject({
    client_id: text,
    client_name: text.meta({ description: 'What the client calls itself. Nobody has checked it.' }),
    redirect_uri: text,
    created_at: instant,
  }),
  scopes: z.array(z.strictObject({ scope: text, meaning: text })),
  writes: flag,
  queue_writes: flag,
  code_needed: flag.meta({ description: 'The answer needs a code of the authenticator app.' }),
  consent: text.meta({ description: 'Send it with the same parameters and the decision.' }),
  deny_url: text,
})
const consented = ok({
  redirect_to: text.meta({ description: 'The address that brings the answer to the client.' }),
})

/**
 * The decision of the owner about a client. Its functions know the session: only a person who has signed in may consent,
 * and what they were shown is sealed to their session.
 */
export const CONSENT_OPERATIONS = {
  'GET /oauth/authorize': signedIn(
    'Assistants',
    'consent',
    'read',
  )('Asks the owner for consent; a browser gets a page.', {
    query: authorizationQuery,
    answer: consentQuestion,
    errors: ['validation', 'not_found'],
    run: http('a redirect', async (service, c) => {
      const { mcp } = service
      requireOn(mcp)
      const session = sessionOf(c)
      const request = mcp.authorization.check(parseWith(authorizationQuery, c.req.query()))
      if ('refusedTo' in request) return c.redirect(request.refusedTo, 302)
      c.header('Referrer-Policy', 'same-origin')
      return c.json(await questionOf(request, session, service))
    }),
  }),
  'POST /oauth/authorize': signedIn(
    'Assistants',
    'consent',
    'admin',
  )('Takes the decision of the owner, with a code if one is needed.', {
    fresh: true,
    body: consentPayload,
    bodyText: FORM,
    answer: consented,
    errors: ['not_found', ...json],
    audit: { act: 'mcp.consent' },
    run: http('a form', decide),
  }),
}

async function decide(service: RunningService, c: Context<AppEnv>): Promise<Response> {
  const { identity, mcp } = service
  requireOn(mcp)
  const session = sessionOf(c)
  const { consent = '', decision, totp_code, ...params } = await readParams(c, consentPayload)
  const request = mcp.authorization.check(params)
  if ('refusedTo' in request) return answered(c, request.refusedTo)
  if (!safeEqual(consent, mcp.authorization.seal(request, session.id))) {
    throw oauthError(
      'invalid_request',
      'This is not what you were shown. Begin again in the program that asked.',
    )
  }
  if (decision !== 'approve') return answered(c, refusedBy(decision, request, mcp))
  await requireCode(c, { request, session, code: totp_code }, service)
  const id = await identity.users.id(session.username)
  if (id === undefined) throw new ServiceError('not_found', 'User not found.')
  const scopes = request.scopes.join(' ')
  noteAct(c, { target: request.client.clientId, after: { client: request.client.clientName, scopes } })
  const code = mcp.consent(request, { id, username: session.username })
  return answered(c, mcp.authorization.answerTo(request, { code }))
}

/** @throws ServiceError `forbidden` for a personal access token, which is no person */
function sessionOf(c: Context<AppEnv>): Session {
  const session = c.get('session')
  if (!session) throw new ServiceError('forbidden', 'Only a signed-in person can decide about an assistant.')
  return session
}

const answered = (c: Context<AppEnv>, to: string) => c.json({ status: 'success', redirect_to: to })

function refusedBy(decision: string | undefined, request: AuthorizationRequest, mcp: Mcp): string {
  const answer =
    decision === 'deny'
      ? { error: 'access_denied', error_description: 'User denied the request.' }
      : { error: 'invalid_request', error_description: 'Invalid decision.' }
  return mcp.authorization.answerTo(request, answer)
}

async function questionOf(request: AuthorizationRequest, session: Session, service: RunningService) {
  const { mcp } = service
  const { client, redirectUri, scopes } = request
  return {
    status: 'success',
    client: {
      client_id: client.clientId,
      client_name: client.clientName,
      redirect_uri: redirectUri,
      created_at: new Date(client.createdAt).toISOString(),
    },
    scopes: meaningsOf(scopes),
    writes: scopes.includes('write:orders'),
    queue_writes: mcp.settings().queueWrites,
    code_needed: await needsCode(request, session, service),
    consent: mcp.authorization.seal(request, session.id),
    deny_url: refusedBy('deny', request, mcp),
  }
}

/** Returns whether the owner must enter a code: to let a client write, unless they did within the last minute. */
async function needsCode(
  { scopes }: Pick<AuthorizationRequest, 'scopes'>,
  session: Session,
  { clock, identity }: RunningService,
): Promise<boolean> {
  if (!scopes.includes('write:orders')) return false
  return (await identity.secondFactor.requires(session.username, 'mcp')) && !isTotpFresh(session, clock)
}

/** @throws ServiceError `validation` without a code that is needed and for a wrong one; `rate_limited` after failures */
async function requireCode(
  c: Context<AppEnv>,
  {
    code = '',
    request,
    session,
  }: { code: string | undefined; request: AuthorizationRequest; session: Session },
  service: RunningService,
): Promise<void> {
  if (!(await needsCode(request, session, service))) return
  const { daemon, identity } = service
  const { id: sessionId, username } = session
  if (code.trim() === '') throw wrongCode()
  await identity.secondFactor
    .verify({ username, code, sessionId, ...senderOf(c, daemon.proxies) })
    .catch((error: unknown) => {
      // Not a missing sign-in: the page stays, and the user enters another code.
      throw error instanceof ServiceError && error.code === 'unauthenticated' ? wrongCode() : error
    })
}

const wrongCode = () => new ServiceError('validation', WRONG_CODE, { errors: { totp_code: [WRONG_CODE] } })
