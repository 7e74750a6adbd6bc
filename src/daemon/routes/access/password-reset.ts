import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity, PasswordMails } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import { readJsonOrForm } from '../../http/body/body.js'
import type { TrustedProxies } from '../../http/client.js'
import { refuseCrossSite } from '../../http/door/cross-site.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { resetPayload } from '../../operations/access/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { RESET_PAGE, RESET_PAGE_POLICY } from './reset-page.js'
import { senderOf } from './signed-in.js'

interface PasswordResetParts {
  identity: Identity
  mails: PasswordMails
  proxies: TrustedProxies
  /** Returns the address under which browsers reach the service, without a slash at the end. */
  baseUrl(): string
}

const PAGE = '/reset-password'
/** The length of every token in a link. */
const TOKEN_LENGTH = 43

/**
 * Returns the handlers of the password reset. The caller has no session; the steps need nothing from the browser
 * that began, so a link can be opened in another one.
 */
export function passwordResetHandlers(parts: PasswordResetParts) {
  return {
    'POST /auth/reset-password': httpHandler(async (c) => {
      refuseCrossSite(c)
      const given = parseWith(resetPayload, await readJsonOrForm(c))
      return c.json({ status: 'success', ...(await answerTo(c, given, parts)) })
    }),
    'GET /auth/reset-password': httpHandler((c) => c.redirect(PAGE)),
    // Nothing is used up here: programs that check mail for viruses open the link too.
    'GET /auth/reset-password-email/:token': httpHandler(async (c) => {
      const token = c.req.param('token') ?? ''
      return c.redirect(`${PAGE}?${await outcomeOf(token, parts)}`)
    }),
    'GET /reset-password': httpHandler((c) => {
      c.header('Content-Security-Policy', RESET_PAGE_POLICY)
      // The address of the page holds the token.
      c.header('Referrer-Policy', 'no-referrer')
      return c.html(RESET_PAGE)
    }),
  } satisfies Partial<Handlers>
}

type Given = ReturnType<typeof resetPayload.parse>

/** Runs one step. The answers to a known and to an unknown address are the same, except to a right code. */
async function answerTo(
  c: Context<AppEnv>,
  given: Given,
  { identity, mails, proxies, baseUrl }: PasswordResetParts,
) {
  switch (given.step) {
    case 'email':
      required(given, 'email')
      return { message: 'Email verified' }
    case 'select_totp':
      required(given, 'email')
      return { method: 'totp' }
    case 'select_email':
      await mails.requestLink(required(given, 'email'), baseUrl())
      return { message: 'Reset email sent if account exists' }
    case 'totp': {
      const caller = { email: required(given, 'email'), ...senderOf(c, proxies) }
      const token = await identity.passwords.verifyCode(caller, required(given, 'totp_code'))
      return { message: 'TOTP verified', token }
    }
    case 'password':
      await setPassword(given, { identity, mails })
      noteAct(c, { username: identity.users.owner ?? given.email ?? '' })
      return { message: 'Your password has been reset successfully.' }
    default:
      throw new ServiceError('validation', 'Invalid step', { errors: { step: ['Invalid step'] } })
  }
}

async function setPassword(
  given: Given,
  { identity, mails }: Pick<PasswordResetParts, 'identity' | 'mails'>,
): Promise<void> {
  const [email, token] = [required(given, 'email'), required(given, 'token')]
  const { password = '', confirm_password: confirmed = password } = given
  if (password !== confirmed) {
    const text = 'New passwords do not match'
    throw new ServiceError('validation', text, { errors: { confirm_password: [text] } })
  }
  mails.announce(await identity.passwords.reset(email, token, password), 'reset')
}

/** Returns the query for the page: the token with its address, or the reason why the link does not work. */
async function outcomeOf(token: string, { identity }: PasswordResetParts): Promise<URLSearchParams> {
  if (token.length !== TOKEN_LENGTH) return new URLSearchParams({ error: 'invalid_link' })
  const email = await identity.passwords.emailOf(token)
  if (email === undefined) return new URLSearchParams({ error: 'expired_link' })
  return new URLSearchParams({ token, email, verified: 'true' })
}

function required(given: Given, field: 'email' | 'token' | 'totp_code'): string {
  const value = given[field]?.trim()
  if (value) return value
  const text = 'Missing data for required field.'
  throw new ServiceError('validation', `${field}: ${text}`, { errors: { [field]: [text] } })
}
