import type { Context } from 'hono'
import { deleteCookie } from 'hono/cookie'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity, PasswordMails } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readJsonOrForm } from '../../http/body/body.js'
import type { TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { changePasswordPayload, changePayload } from '../../operations/access/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { senderOf } from './signed-in.js'

interface PasswordParts {
  identity: Identity
  mails: PasswordMails
  proxies: TrustedProxies
  cookieName: string
}

/** The texts of one of the two routes. Clients show them, so they are part of the public API. */
interface Texts {
  wrong: string
  mismatch: string
  changed: string
}

const TEXTS: Texts = {
  wrong: 'Current password is incorrect',
  mismatch: 'New passwords do not match',
  changed: 'Password changed successfully',
}
const OLDER_TEXTS: Texts = {
  wrong: 'Current password is incorrect.',
  mismatch: 'New password and confirm password do not match.',
  changed: 'Your password has been changed successfully.',
}

/** Returns the handlers that change the password of the signed-in user. They end all sessions. */
export function passwordHandlers(parts: PasswordParts) {
  return {
    'POST /auth/change-password': httpHandler(async (c) => {
      const given = parseWith(changePasswordPayload, await readJsonOrForm(c))
      return changePassword(c, parts, TEXTS, {
        old: given.old_password,
        next: given.new_password,
        confirmed: given.confirm_password,
      })
    }),
    'POST /auth/change': httpHandler(async (c) => {
      const given = parseWith(changePayload, await readJsonOrForm(c))
      return changePassword(c, parts, OLDER_TEXTS, {
        old: given.old_password ?? given.current_password,
        next: given.new_password,
        confirmed: given.confirm_password ?? given.new_password,
      })
    }),
  } satisfies Partial<Handlers>
}

interface GivenPasswords {
  old: string | undefined
  next: string | undefined
  confirmed: string | undefined
}

async function changePassword(
  c: Context<AppEnv>,
  { identity: { passwords, users }, mails, proxies, cookieName }: PasswordParts,
  texts: Texts,
  { old, next, confirmed }: GivenPasswords,
): Promise<Response> {
  if (!old || !next || !confirmed) throw new ServiceError('validation', 'All fields are required')
  const { username } = c.get('principal')
  const checked = await passwords.confirm({ username, password: old, ...senderOf(c, proxies) })
  if (checked === undefined) throw refusal('old_password', texts.wrong)
  if (next !== confirmed) throw refusal('confirm_password', texts.mismatch)
  await passwords.change(username, checked, next)
  const email = await users.email(username)
  if (email !== undefined) mails.announce(email, 'changed')
  deleteCookie(c, cookieName, { path: '/' })
  return c.json({ status: 'success', message: texts.changed })
}

/** Returns the refusal of a field, whose message is its text alone. */
function refusal(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
