import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import type { RunningService } from '../../daemon.js'
import { refuseCrossSite } from '../../http/admission/cross-site.js'
import { readJsonOrForm } from '../../http/body/body.js'
import { senderOf } from '../../http/caller.js'
import { HTML, MadeFile } from '../../http/response/reply.js'
import type { ActNote, AppEnv } from '../../process/env.js'
import { message, ok, text } from '../common/answers.js'
import { http, open } from '../running.js'
import { remainingAccess } from './remaining-access.js'
import { RESET_PAGE, RESET_PAGE_POLICY } from './reset-page.js'

const anyone = open('Access')

const PAGE = '/reset-password'
/** The length of every token in a link. */
const TOKEN_LENGTH = 43

/** The steps of a password reset. */
const RESET_STEPS = ['email', 'select_totp', 'select_email', 'totp', 'password'] as const

const resetPayload = z.strictObject({
  step: fields
    .text(40)
    .optional()
    .meta({ enum: [...RESET_STEPS] }),
  email: fields.text(254).optional(),
  totp_code: fields.text(32).optional(),
  token: fields.text(128).optional(),
  password: fields.text(1024).optional(),
  confirm_password: fields.text(1024).optional(),
})
const reset = ok({
  message: message.optional(),
  method: z.literal('totp').optional(),
  token: text.optional().meta({ description: 'Of step totp: to set the password, within ten minutes.' }),
})

/**
 * The password reset. The caller has no session; the steps need nothing from the browser that began, so a link can be
 * opened in another one.
 */
export const PASSWORD_RESET_OPERATIONS = {
  'POST /auth/reset-password': anyone(
    'Resets a forgotten password, step by step: with a code of the authenticator app, or with a link by mail.',
    {
      limit: 'reset',
      body: resetPayload,
      example: { step: 'select_email', email: 'asha@example.org' },
      answer: reset,
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
      audit: { act: 'password.reset' },
      run: http('a form', async (service, c) => {
        refuseCrossSite(c)
        const given = parseWith(resetPayload, await readJsonOrForm(c))
        return c.json({ status: 'success', ...(await answerTo(c, given, service)) })
      }),
    },
  ),
  'GET /auth/reset-password': anyone('Redirects to GET /reset-password.', {
    status: 302,
    run: http('a redirect', (_service, c) => c.redirect(PAGE)),
  }),
  'GET /auth/reset-password-email/:token': anyone(
    'Redirects to GET /reset-password, with the token of a mailed link or the reason why it does not work.',
    {
      limit: 'reset',
      params: { token: 'The token of the link.' },
      errors: ['rate_limited', 'unavailable'],
      status: 302,
      // Nothing is used up here: programs that check mail for viruses open the link too.
      run: http('a redirect', async ({ identity }, c) => {
        const token = c.req.param('token') ?? ''
        return c.redirect(`${PAGE}?${await outcomeOf(token, identity)}`)
      }),
    },
  ),
  'GET /reset-password': anyone('Returns the page on which a mailed link is used.', {
    answerText: 'text/html',
    run: () =>
      new MadeFile(RESET_PAGE, {
        ...HTML,
        'Content-Security-Policy': RESET_PAGE_POLICY,
        // The address of the page holds the token.
        'Referrer-Policy': 'no-referrer',
      }),
  }),
}

type Given = z.output<typeof resetPayload>

/** Runs one step. The answers to a known and to an unknown address are the same, except to a right code. */
async function answerTo(c: Context<AppEnv>, given: Given, service: RunningService) {
  const { config, daemon, identity, passwordMails: mails } = service
  switch (given.step) {
    case 'email':
      required(given, 'email')
      return { message: 'Email verified' }
    case 'select_totp':
      required(given, 'email')
      return { method: 'totp' }
    case 'select_email':
      await mails.requestLink(required(given, 'email'), config.HOST_SERVER ?? daemon.url)
      return { message: 'Reset email sent if account exists' }
    case 'totp': {
      const caller = { email: required(given, 'email'), ...senderOf(c, daemon.proxies) }
      const token = await identity.passwords.verifyCode(caller, required(given, 'totp_code'))
      return { message: 'TOTP verified', token }
    }
    case 'password':
      noteAct(c, await setPassword(given, service))
      return { message: 'Your password has been reset successfully.' }
    default:
      throw new ServiceError('validation', 'Invalid step', { errors: { step: ['Invalid step'] } })
  }
}

/**
 * Sets the password. It ends the access of assistants and the open codes that link a chat, because somebody who knew the former
 * password may have made them. Scripts keep their tokens; the mail names them.
 */
async function setPassword(given: Given, service: RunningService): Promise<ActNote> {
  const { identity, mcp, messages, passwordMails } = service
  const [email, token] = [required(given, 'email'), required(given, 'token')]
  const { password = '', confirm_password: confirmed = password } = given
  if (password !== confirmed) {
    const text = 'New passwords do not match'
    throw new ServiceError('validation', text, { errors: { confirm_password: [text] } })
  }
  const { ended: assistants, result: user } = await mcp.endAllWith('password_reset', (storeEnd) =>
    identity.passwords.reset(email, token, password, storeEnd),
  )
  const { username } = user
  messages.codes.endOf(username)
  const remaining = remainingAccess(service, username)
  passwordMails.announce(user.email, { what: 'reset', assistants, remaining })
  return { username, after: { assistants_ended: assistants, still_open: remaining } }
}

/** Returns the query for the page: the token with its address, or the reason why the link does not work. */
async function outcomeOf(token: string, { passwords }: Identity): Promise<URLSearchParams> {
  if (token.length !== TOKEN_LENGTH) return new URLSearchParams({ error: 'invalid_link' })
  const email = await passwords.emailOf(token)
  if (email === undefined) return new URLSearchParams({ error: 'expired_link' })
  return new URLSearchParams({ token, email, verified: 'true' })
}

function required(given: Given, field: 'email' | 'token' | 'totp_code'): string {
  const value = given[field]?.trim()
  if (value) return value
  const text = 'Missing data for required field.'
  throw new ServiceError('validation', `${field}: ${text}`, { errors: { [field]: [text] } })
}
