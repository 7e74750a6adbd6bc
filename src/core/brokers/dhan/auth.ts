import { istInstant, MINUTE_MS } from '../../time/index.js'
import type { CredentialValues } from '../auth.js'
import { type BrokerAuth, type BrokerContext, BrokerError, type BrokerSession } from '../broker.js'
import { BrokerHttp } from '../kit/http/http.js'
import { notSent } from '../kit/http/outcomes.js'
import { isSuccess } from '../kit/http/response.js'
import { requiredField } from '../kit/sign-in/fields.js'
import { freshTotpCode } from '../kit/sign-in/totp-codes.js'
import { credentialsOf, DhanApi, opened } from './api.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'
import { issuedToken, profile } from './wire.js'

/** Dhan's tokens live for a day. */
const LIFE_MS = 24 * 60 * MINUTE_MS
/** A token that was pasted can be renewed only while it is valid, so its session ends so long before it. */
const RENEWED_BEFORE_MS = 10 * MINUTE_MS
const TIMEOUT_MS = 10_000
const RENEWAL = { method: 'GET', path: '/RenewToken', once: true } as const
/** Dhan makes one token in two minutes, and says so in words only. */
const TOO_SOON = /\bonce every 2 minutes?\b/i
const TOO_SOON_WAIT_MS = 2 * MINUTE_MS

/** What signs in without a person. */
interface Unattended {
  pin: string
  totpSecret: string
}

/** A token, and when it ends if Dhan has said it. */
interface Issued {
  accessToken: string
  endsAt: number | undefined
}

/**
 * Signs in with a token that the person made in Dhan's console, or with PIN and TOTP secret, which stay sealed and sign in again
 * each day. A pasted token is renewed for another day shortly before it ends, as long as the service runs then. Each is verified
 * by reading the profile.
 */
export const auth: BrokerAuth = {
  async complete(fields, context) {
    const clientId = requiredField(fields, 'client_id')
    const unattended = unattendedIn(fields)
    const accessToken = fields.access_token?.trim() ?? ''
    if (accessToken) return proven(context, clientId, { accessToken, endsAt: undefined }, unattended)
    if (!unattended) throw notSent('validation', 'Pass either access_token, or pin and totp_secret.')
    return proven(context, clientId, await generated(context, clientId, unattended), unattended)
  },

  async refresh(session, context) {
    const { clientId } = credentialsOf(session)
    const unattended = unattendedIn(session.extra ?? {})
    const issued = unattended
      ? await generated(context, clientId, unattended)
      : await renewed(context, session)
    return proven(context, clientId, issued, unattended)
  },
}

function unattendedIn(fields: CredentialValues): Unattended | undefined {
  const [pin = '', totpSecret = ''] = [fields.pin?.trim(), fields.totp_secret?.trim()]
  if (!pin && !totpSecret) return undefined
  if (!pin || !totpSecret) throw notSent('validation', 'PIN and TOTP secret belong together: pass both.')
  return { pin, totpSecret }
}

/** Signs in with the PIN and a code of the present half minute. */
async function generated(
  context: BrokerContext,
  dhanClientId: string,
  { pin, totpSecret }: Unattended,
): Promise<Issued> {
  const { budgets, clock, endpoints } = context
  const totp = await freshTotpCode(totpSecret, clock)
  const http = new BrokerHttp({
    clock,
    budgets,
    baseUrl: endpoints.auth ?? DEFAULT_ENDPOINTS.auth,
    headers: { Accept: 'application/json' },
    secrets: [pin, totp, totpSecret],
    timeoutMs: TIMEOUT_MS,
  })
  const request = {
    method: 'POST',
    path: '/app/generateAccessToken',
    query: { dhanClientId, pin, totp },
  } as const
  const response = await http.send(request)
  if (TOO_SOON.test(response.text)) throw tooSoon()
  try {
    const answer = opened(request, response, issuedToken, (text) => http.redact(text))
    return { accessToken: answer.accessToken, endsAt: timeOf(answer.expiryTime) }
  } catch (error) {
    throw withoutToken(response.status, error)
  }
}

/** It says nothing of the PIN, which may be sent again later. */
function tooSoon(): BrokerError {
  const message = 'Dhan makes a token once every 2 minutes: sign in again then.'
  return new BrokerError('rate_limit', message, { sent: 'yes', retryAfterMs: TOO_SOON_WAIT_MS })
}

/**
 * Returns the error of a sign-in. An answer without a token and without a known code is a refusal: sent again by itself, a wrong
 * PIN would lock the account.
 */
function withoutToken(status: number, error: unknown): unknown {
  if (!isSuccess({ status }) || !(error instanceof BrokerError) || error.kind !== 'protocol') return error
  const { brokerCode, cause, message } = error
  const words =
    brokerCode === undefined
      ? 'Dhan answered the sign-in without a token. Check the PIN and the TOTP secret.'
      : message
  return new BrokerError('auth', words, { sent: 'yes', brokerCode, cause: cause ?? message })
}

/** Exchanges a token that is still valid for one of another day. It ends the old one, so the call is not repeated. */
async function renewed(context: BrokerContext, session: BrokerSession): Promise<Issued> {
  const credentials = credentialsOf(session)
  const headers = { dhanClientId: credentials.clientId }
  const api = new DhanApi(context, credentials, [], headers)
  const { accessToken, expiryTime } = await api.call(RENEWAL, issuedToken)
  return { accessToken, endsAt: timeOf(expiryTime) }
}

/** Proves a token by the profile, which also says whether the account has prices. */
async function proven(
  context: BrokerContext,
  clientId: string,
  { accessToken, endsAt }: Issued,
  unattended: Unattended | undefined,
): Promise<BrokerSession> {
  const secrets = unattended ? [unattended.pin, unattended.totpSecret] : []
  const read = await new DhanApi(context, { clientId, accessToken }, secrets).get('/profile', profile)
  if (read.dhanClientId && read.dhanClientId !== clientId)
    throw notSent('validation', 'The token belongs to another client id.')
  if (read.dataPlan && read.dataPlan.toLowerCase() !== 'active')
    context.log.warn('dhan.no_data_plan', { dataPlan: read.dataPlan })
  const issuedAt = context.clock.now()
  const end = endsAt ?? timeOf(read.tokenValidity) ?? issuedAt + LIFE_MS
  return {
    accessToken,
    userId: clientId,
    issuedAt,
    expiresAt: unattended ? end : Math.max(issuedAt, end - RENEWED_BEFORE_MS),
    extra: { client_id: clientId },
  }
}

const YEAR_FIRST = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(:\d{2})?/
const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4})[ T](\d{2}:\d{2})(:\d{2})?/

/** Reads the times of Dhan's sign-in, all in IST: `2026-11-30T09:15:00` and `30/11/2026 09:15`. Undefined for anything else. */
export function timeOf(stamp: string): number | undefined {
  const year = YEAR_FIRST.exec(stamp)
  const day = DAY_FIRST.exec(stamp)
  const date = year ? year[1] : day ? `${day[3]}-${day[2]}-${day[1]}` : undefined
  const [clock, seconds = ''] = year ? [year[2], year[3]] : [day?.[4], day?.[5]]
  if (date === undefined || clock === undefined) return undefined
  const instant = istInstant(date, `${clock}${seconds}`)
  return Number.isNaN(instant) ? undefined : instant
}
