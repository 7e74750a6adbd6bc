import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { type Identity, isTotpFresh, type Session } from '../../../core/identity/index.js'
import { type AuthorizationRequest, type Mcp, meaningsOf, oauthError } from '../../../core/mcp/index.js'
import { safeEqual } from '../../../core/secrets/index.js'
import type { Clock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import type { TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { authorizationQuery, consentPayload } from '../../operations/oauth/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { senderOf } from '../access/signed-in.js'
import { requireOn } from './metadata.js'
import { readParams } from './params.js'

interface ConsentParts {
  mcp: Mcp
  identity: Identity
  proxies: TrustedProxies
  clock: Clock
}

const WRONG_CODE = 'Invalid TOTP code. Please try again.'

/**
 * Returns the handlers by which the owner decides about a client. They know the session: only a person who has signed
 * in may consent, and what they were shown is sealed to their session.
 */
export function consentHandlers(parts: ConsentParts) {
  const { mcp } = parts
  return {
    'GET /oauth/authorize': httpHandler(async (c) => {
      requireOn(mcp)
      const session = sessionOf(c)
      const request = mcp.authorization.check(parseWith(authorizationQuery, c.req.query()))
      if ('refusedTo' in request) return c.redirect(request.refusedTo, 302)
      c.header('Referrer-Policy', 'same-origin')
      return c.json(await questionOf(request, session, parts))
    }),
    'POST /oauth/authorize': httpHandler(async (c) => {
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
      await requireCode(c, { request, session, code: totp_code }, parts)
      const id = await parts.identity.users.id(session.username)
      if (id === undefined) throw new ServiceError('not_found', 'User not found.')
      const scopes = request.scopes.join(' ')
      noteAct(c, { target: request.client.clientId, after: { client: request.client.clientName, scopes } })
      const code = mcp.consent(request, { id, username: session.username })
      return answered(c, mcp.authorization.answerTo(request, { code }))
    }),
  } satisfies Partial<Handlers>
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

async function questionOf(request: AuthorizationRequest, session: Session, parts: ConsentParts) {
  const { mcp } = parts
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
    code_needed: await needsCode(request, session, parts),
    consent: mcp.authorization.seal(request, session.id),
    deny_url: refusedBy('deny', request, mcp),
  }
}

/** Returns whether the owner must enter a code: to let a client write, unless they did within the last minute. */
async function needsCode(
  { scopes }: Pick<AuthorizationRequest, 'scopes'>,
  session: Session,
  { clock, identity }: ConsentParts,
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
  parts: ConsentParts,
): Promise<void> {
  if (!(await needsCode(request, session, parts))) return
  const { identity, proxies } = parts
  const { id: sessionId, username } = session
  if (code.trim() === '') throw wrongCode()
  await identity.secondFactor
    .verify({ username, code, sessionId, ...senderOf(c, proxies) })
    .catch((error: unknown) => {
      // Not a missing sign-in: the page stays, and the user enters another code.
      throw error instanceof ServiceError && error.code === 'unauthenticated' ? wrongCode() : error
    })
}

const wrongCode = () => new ServiceError('validation', WRONG_CODE, { errors: { totp_code: [WRONG_CODE] } })
