import { ServiceError } from '../../../core/errors/index.js'
import type { Identity, TotpSettings } from '../../../core/identity/index.js'
import type { Settings } from '../../../core/settings/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readJson } from '../../http/body/body.js'
import type { TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { qrPng } from '../../http/response/qr-png.js'
import { twoFactorPayload } from '../../operations/access/payloads.js'
import { smtpView } from '../control/smtp.js'
import { senderOf } from './signed-in.js'

interface SecondFactorParts {
  identity: Identity
  proxies: TrustedProxies
  settings: Pick<Settings, 'get'>
}

const NO_CODE = 'TOTP code is required to change 2FA settings.'

/** Returns the handlers for the second factor of the account and for its secret. */
export function secondFactorHandlers({ identity, proxies, settings }: SecondFactorParts) {
  const { secondFactor } = identity
  return {
    'GET /auth/2fa/status': httpHandler(async (c) => {
      const factor = await secondFactor.settings(c.get('principal').username)
      const at = c.get('session')?.totpVerifiedAt ?? null
      return c.json({
        status: 'success',
        ...flagsOf(factor),
        last_totp_verified_at: at === null ? null : new Date(at).toISOString(),
      })
    }),
    'POST /auth/2fa/configure': httpHandler(async (c) => {
      const flags = parseWith(twoFactorPayload, await readJson(c))
      const code = flags.totp_code.trim()
      if (code === '') throw new ServiceError('validation', NO_CODE, { errors: { totp_code: [NO_CODE] } })
      const { username } = c.get('principal')
      const stored = await secondFactor.configure(
        { username, code, sessionId: c.get('session')?.id, ...senderOf(c, proxies) },
        {
          enabled: flags.totp_enabled,
          login: flags.totp_required_for_login,
          mcp: flags.totp_required_for_mcp,
          passwordReset: flags.totp_required_for_password_reset,
        },
      )
      return c.json({ status: 'success', ...flagsOf(stored) })
    }),
    // A personal access token, which a script stores, must not give away the second factor of its owner.
    'GET /auth/profile-data': httpHandler(async (c) => {
      const { username } = c.get('principal')
      const enrolment = c.get('session') && (await secondFactor.enrolment(username))
      return c.json({
        status: 'success',
        data: {
          username,
          smtp_settings: smtpView(settings),
          qr_code: enrolment ? (await qrPng(enrolment.uri)).toString('base64') : null,
          totp_secret: enrolment?.secret ?? null,
          provisioning_uri: enrolment?.uri ?? null,
        },
      })
    }),
  } satisfies Partial<Handlers>
}

function flagsOf({ enabled, login, mcp, passwordReset }: TotpSettings) {
  return {
    totp_enabled: enabled,
    totp_required_for_login: login,
    totp_required_for_mcp: mcp,
    totp_required_for_password_reset: passwordReset,
  }
}
