import type { Context } from 'hono'
import { deleteCookie } from 'hono/cookie'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { readJsonOrForm } from '../../http/body/body.js'
import { senderOf } from '../../http/caller.js'
import type { AppEnv } from '../../process/env.js'
import { messageOnly } from '../common/answers.js'
import { http, signedIn } from '../running.js'
import { remainingAccess } from './remaining-access.js'
import { sessionValues } from './sessions.js'

const access = signedIn('Access')

/** The texts of one of the two operations. Clients show them, so they are part of the public API. */
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

const changePasswordPayload = z.strictObject({
  old_password: fields.text(1024).optional(),
  new_password: fields.text(1024).optional(),
  confirm_password: fields.text(1024).optional(),
})
/** The older form: `current_password` is another name of `old_password`, and the confirmation may be left out. */
const changePayload = changePasswordPayload.extend({ current_password: fields.text(1024).optional() })

const changing = {
  limit: 'login',
  scopes: ['admin'],
  fresh: 'in the request',
  answer: messageOnly,
  errors: ['validation', 'conflict', 'too_large', 'unsupported_media', 'storage_full'],
  audit: { act: 'password.change', values: sessionValues },
} as const

/** Changes of the signed-in user's password. They end all sessions. */
export const PASSWORD_OPERATIONS = {
  'POST /auth/change-password': access('Changes the password and ends all sessions.', {
    ...changing,
    body: changePasswordPayload,
    example: {
      old_password: 'Correct horse 4!',
      new_password: 'Another horse 5!',
      confirm_password: 'Another horse 5!',
    },
    run: http('a cookie', async (service, c) => {
      const given = parseWith(changePasswordPayload, await readJsonOrForm(c))
      return changePassword(c, service, TEXTS, {
        old: given.old_password,
        next: given.new_password,
        confirmed: given.confirm_password,
      })
    }),
  }),
  'POST /auth/change': access('Changes the password, as POST /auth/change-password does.', {
    ...changing,
    body: changePayload,
    example: { current_password: 'Correct horse 4!', new_password: 'Another horse 5!' },
    run: http('a cookie', async (service, c) => {
      const given = parseWith(changePayload, await readJsonOrForm(c))
      return changePassword(c, service, OLDER_TEXTS, {
        old: given.old_password ?? given.current_password,
        next: given.new_password,
        confirmed: given.confirm_password ?? given.new_password,
      })
    }),
  }),
}

interface GivenPasswords {
  old: string | undefined
  next: string | undefined
  confirmed: string | undefined
}

async function changePassword(
  c: Context<AppEnv>,
  service: RunningService,
  texts: Texts,
  { old, next, confirmed }: GivenPasswords,
): Promise<Response> {
  const { config, daemon, passwordMails: mails } = service
  const { passwords, users } = service.identity
  if (!old || !next || !confirmed) throw new ServiceError('validation', 'All fields are required')
  const { username } = c.get('principal')
  const checked = await passwords.confirm({ username, password: old, ...senderOf(c, daemon.proxies) })
  if (checked === undefined) throw refusal('old_password', texts.wrong)
  if (next !== confirmed) throw refusal('confirm_password', texts.mismatch)
  await passwords.change(username, checked, next)
  const email = await users.email(username)
  if (email !== undefined) {
    mails.announce(email, { what: 'changed', assistants: 0, remaining: remainingAccess(service, username) })
  }
  deleteCookie(c, config.SESSION_COOKIE_NAME, { path: '/' })
  return c.json({ status: 'success', message: texts.changed })
}

/** Returns the refusal of a field, whose message is its text alone. */
function refusal(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
