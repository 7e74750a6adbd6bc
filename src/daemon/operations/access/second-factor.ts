import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Session, TotpSettings } from '../../../core/identity/index.js'
import { fields } from '../../../core/validation/index.js'
import { qrPng } from '../../http/response/qr-png.js'
import { instant, messageOnly, ok, text } from '../common/answers.js'
import { smtp, smtpView } from '../control/smtp.js'
import { signedIn } from '../running.js'
import { sessionValues } from './sessions.js'

const access = signedIn('Access')

const NO_CODE = 'TOTP code is required to change 2FA settings.'

const givenFlag = fields.boolean().default(false)
const twoFactorPayload = z.strictObject({
  /** An empty code gets its own refusal. */
  totp_code: fields.text(32).default(''),
  totp_enabled: givenFlag,
  totp_required_for_login: givenFlag,
  totp_required_for_mcp: givenFlag,
  totp_required_for_password_reset: givenFlag,
})

const flag = z.boolean()
const twoFactorFlags = {
  totp_enabled: flag,
  totp_required_for_login: flag,
  totp_required_for_mcp: flag,
  totp_required_for_password_reset: flag,
}
const twoFactor = ok(twoFactorFlags)
const twoFactorStatus = ok({ ...twoFactorFlags, last_totp_verified_at: instant.nullable() })
const onlySession = { description: 'Only for a session; null for a personal access token.' }
const profile = ok({
  data: z.strictObject({
    username: text,
    smtp_settings: smtp,
    qr_code: text.nullable().meta({ description: 'A PNG image in base64. Only for a session.' }),
    totp_secret: text.nullable().meta(onlySession),
    provisioning_uri: text.nullable().meta(onlySession),
  }),
})

const rotatePayload = z.strictObject({
  password: fields.text(1024),
  /** Needed while the second factor is on. */
  totp_code: fields.text(32).optional(),
})
const drawn = ok({
  totp_secret: text,
  provisioning_uri: text,
  expires_at: instant.meta({ description: 'The time until which a code of the new secret must follow.' }),
})
const confirmPayload = z.strictObject({ totp_code: fields.text(32) })

const rotating = {
  limit: 'login',
  scopes: ['admin'],
  fresh: 'in the request',
} as const

/** The second factor of the account, and its secret. */
export const SECOND_FACTOR_OPERATIONS = {
  'GET /auth/2fa/status': access('Returns the settings of the second factor.', {
    scopes: ['read'],
    answer: twoFactorStatus,
    run: async ({ identity }, _input, { session, username }) => {
      const at = session?.totpVerifiedAt ?? null
      return {
        status: 'success',
        ...flagsOf(await identity.secondFactor.settings(username)),
        last_totp_verified_at: at === null ? null : new Date(at).toISOString(),
      }
    },
  }),
  'POST /auth/2fa/configure': access(
    'Replaces the settings of the second factor. A missing flag means false. Every change needs a current code.',
    {
      limit: 'login',
      scopes: ['admin'],
      fresh: 'in the request',
      body: twoFactorPayload,
      example: { totp_code: '123456', totp_enabled: true, totp_required_for_login: true },
      answer: twoFactor,
      errors: ['validation', 'not_found', 'too_large', 'unsupported_media'],
      audit: {
        act: 'totp.set',
        values: ({ service, username }) => service.identity.secondFactor.settings(username),
      },
      run: async ({ identity }, { body: flags }, { sender, session, username }) => {
        const code = flags.totp_code.trim()
        if (code === '') throw new ServiceError('validation', NO_CODE, { errors: { totp_code: [NO_CODE] } })
        const stored = await identity.secondFactor.configure(
          { username, code, sessionId: session?.id, ...sender },
          {
            enabled: flags.totp_enabled,
            login: flags.totp_required_for_login,
            mcp: flags.totp_required_for_mcp,
            passwordReset: flags.totp_required_for_password_reset,
          },
        )
        return { status: 'success', ...flagsOf(stored) }
      },
    },
  ),
  'POST /auth/2fa/rotate': access(
    'Draws a new secret for the second factor. The former one counts until a code of the new one confirms it.',
    {
      ...rotating,
      body: rotatePayload,
      example: { password: 'correct horse 4', totp_code: '123456' },
      answer: drawn,
      errors: ['validation', 'not_found', 'too_large', 'unsupported_media'],
      audit: { act: 'totp.draw' },
      run: async ({ identity }, { body: { password, totp_code: code } }, { sender, session }) => {
        const { expiresAt, secret, uri } = await identity.secretChange.begin(requireSession(session), {
          password,
          code,
          ...sender,
        })
        return {
          status: 'success',
          totp_secret: secret,
          provisioning_uri: uri,
          expires_at: new Date(expiresAt).toISOString(),
        }
      },
    },
  ),
  'POST /auth/2fa/rotate/confirm': access(
    'Takes a code of the new secret, which counts from now on, and ends all other sessions.',
    {
      ...rotating,
      body: confirmPayload,
      example: { totp_code: '123456' },
      answer: messageOnly,
      errors: ['validation', 'conflict', 'too_large', 'unsupported_media', 'storage_full'],
      audit: { act: 'totp.rotate', values: sessionValues },
      run: async ({ identity }, { body }, { session }) => {
        await identity.secretChange.confirm(requireSession(session), body.totp_code)
        return { status: 'success', message: 'The secret is replaced, and all other sessions have ended.' }
      },
    },
  ),
  'GET /auth/profile-data': access(
    "Returns the user's profile, and to a session the secret of the second factor.",
    {
      scopes: ['read'],
      fresh: true,
      answer: profile,
      // A personal access token, which a script stores, must not give away the second factor of its owner.
      run: async ({ identity, settings }, _input, { session, username }) => {
        const enrolment = session && (await identity.secondFactor.enrolment(username))
        return {
          status: 'success',
          data: {
            username,
            smtp_settings: smtpView(settings),
            qr_code: enrolment ? (await qrPng(enrolment.uri)).toString('base64') : null,
            totp_secret: enrolment?.secret ?? null,
            provisioning_uri: enrolment?.uri ?? null,
          },
        }
      },
    },
  ),
}

/** A personal access token, which a script stores, must not replace the second factor of its owner. */
function requireSession(session: Session | undefined): Session {
  if (session) return session
  throw new ServiceError('forbidden', 'Only a session replaces the secret of the second factor.')
}

function flagsOf({ enabled, login, mcp, passwordReset }: TotpSettings) {
  return {
    totp_enabled: enabled,
    totp_required_for_login: login,
    totp_required_for_mcp: mcp,
    totp_required_for_password_reset: passwordReset,
  }
}
