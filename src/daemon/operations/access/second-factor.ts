import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { TotpSettings } from '../../../core/identity/index.js'
import { fields } from '../../../core/validation/index.js'
import { qrPng } from '../../http/response/qr-png.js'
import { instant, ok, text } from '../common/answers.js'
import { smtp, smtpView } from '../control/smtp.js'
import { signedIn } from '../running.js'

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

function flagsOf({ enabled, login, mcp, passwordReset }: TotpSettings) {
  return {
    totp_enabled: enabled,
    totp_required_for_login: login,
    totp_required_for_mcp: mcp,
    totp_required_for_password_reset: passwordReset,
  }
}
