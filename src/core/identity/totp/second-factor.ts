import { ServiceError } from '../../errors/index.js'
import { randomBase32, type SecretBox } from '../../secrets/index.js'
import type { Clock } from '../../time/index.js'
import type { Device, TotpPurpose, TotpSettings } from '../schema.js'
import type { LoginAttempts } from '../sessions/login-attempts.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Caller, SignInDelays } from '../sessions/sign-in-delays.js'
import type { IdentityStore, UserRow } from '../store.js'
import { invalidCode, provisioningUri, stepOfCode, TOTP_SECRET_CHARACTERS } from './codes.js'

/** A code and its sender. */
export interface CodeAttempt extends Device, Caller {
  code: string
  /** The session in which the user enters the code. It keeps the time of its last valid code. */
  sessionId?: string | undefined
}

interface SecondFactorParts {
  store: IdentityStore
  secretBox: SecretBox
  clock: Clock
  attempts: LoginAttempts
  delays: SignInDelays
  sessions: Sessions
}

export type CodeFault = 'invalid_totp' | 'reused_totp'

/**
 * The codes of an authenticator app. A code works once, whatever it was used for. Wrong and used codes count as
 * failed sign-ins of the account.
 */
export class SecondFactor {
  readonly #parts: SecondFactorParts

  /** The secret of no user: a code for an unknown user is checked against it, which takes the same time. */
  readonly #nobody: string

  constructor(parts: SecondFactorParts) {
    this.#parts = parts
    this.#nobody = parts.secretBox.seal(randomBase32(TOTP_SECRET_CHARACTERS))
  }

  async settings(username: string): Promise<TotpSettings> {
    return settingsOf(await this.#user(username))
  }

  /** Returns whether a purpose needs a code. None does while the second factor is off. */
  async requires(username: string, purpose: TotpPurpose): Promise<boolean> {
    const settings = await this.settings(username)
    return settings.enabled && settings[purpose]
  }

  /** Returns the secret, and the address that an authenticator app reads from the QR code. Never log either. */
  async enrolment(username: string): Promise<{ secret: string; uri: string }> {
    const user = await this.#user(username)
    const secret = this.#secretOf(user)
    return { secret, uri: provisioningUri(secret, user.email) }
  }

  /**
   * Uses up a code.
   * @throws ServiceError `unauthenticated` for a wrong or used code; `rate_limited` while the account has to wait
   */
  async verify(attempt: CodeAttempt): Promise<void> {
    await this.#use(attempt)
  }

  /**
   * Uses up a code and counts no failure, for a caller that counts them itself. An unknown user takes the same path
   * as a wrong code.
   */
  async use(username: string | undefined, code: string): Promise<CodeFault | undefined> {
    // No user has an empty name. The store is read for an unknown user too, so that the time tells nothing.
    return this.#faultOf(await this.#parts.store.user(username ?? ''), { code })
  }

  /**
   * Uses up a code and replaces all settings, in one step. Without `enabled` no purpose stays on.
   * @throws like {@link verify}
   */
  async configure(attempt: CodeAttempt, settings: TotpSettings): Promise<TotpSettings> {
    const { enabled } = settings
    const stored: TotpSettings = {
      enabled,
      login: enabled && settings.login,
      mcp: enabled && settings.mcp,
      passwordReset: enabled && settings.passwordReset,
    }
    await this.#use(attempt, stored)
    return stored
  }

  async #use(attempt: CodeAttempt, settings?: TotpSettings): Promise<void> {
    const { attempts, delays } = this.#parts
    const { username, ownAddress, ipAddress, deviceInfo } = attempt
    const user = await this.#user(username)
    await delays.begin(attempt)
    const fault = await this.#faultOf(user, attempt, settings).catch((error: unknown) => {
      delays.undo(username)
      throw error
    })
    if (fault === undefined) {
      delays.undo(username)
      return
    }
    // The failure is stored before the answer, so a restart forgets no failure that the caller has seen.
    const record = {
      username,
      ownAddress,
      ipAddress,
      deviceInfo,
      loginType: 'totp',
      status: 'failed',
    } as const
    await attempts.record({ ...record, failureReason: fault })
    throw invalidCode()
  }

  async #faultOf(
    user: UserRow | undefined,
    { code, sessionId }: Pick<CodeAttempt, 'code' | 'sessionId'>,
    settings?: TotpSettings,
  ): Promise<CodeFault | undefined> {
    const { clock, sessions, store } = this.#parts
    const at = clock.now()
    const step = stepOfCode(this.#secretOf(user), code, at)
    if (step === undefined || !user) return 'invalid_totp'
    const session = sessionId === undefined ? undefined : { id: sessionId, at }
    if (!(await store.useTotpStep(user.username, step, { settings, session }))) return 'reused_totp'
    if (session) sessions.noteTotp(session.id, at)
    return undefined
  }

  #secretOf(user: UserRow | undefined): string {
    const secret = this.#parts.secretBox.open(user?.totpSecret ?? this.#nobody)
    if (secret === undefined) throw new Error('the TOTP secret cannot be decrypted')
    return secret
  }

  async #user(username: string): Promise<UserRow> {
    const user = await this.#parts.store.user(username)
    if (!user) throw new ServiceError('not_found', 'User not found.')
    return user
  }
}

function settingsOf(user: UserRow): TotpSettings {
  return {
    enabled: user.totpEnabled,
    login: user.totpRequiredForLogin,
    mcp: user.totpRequiredForMcp,
    passwordReset: user.totpRequiredForPasswordReset,
  }
}
