import { crashPoint, ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'
import type { Device, LoginAttempt, Session } from './schema.js'
import type { LoginAttempts } from './sessions/login-attempts.js'
import type { Sessions } from './sessions/sessions.js'
import type { Caller, SignInDelays } from './sessions/sign-in-delays.js'
import { noCode } from './totp/codes.js'
import { PendingSignIns } from './totp/pending-sign-ins.js'
import type { SecondFactor } from './totp/second-factor.js'
import type { Users } from './users.js'

/** A caller who signs in, from a device. */
interface SigningIn extends Device, Omit<Caller, 'username'> {
  /** Connects the broker with its stored session if it is not connected. Returns its id when that succeeded. */
  resumeBroker?: (() => Promise<string | undefined>) | undefined
}

export interface PasswordSignIn extends SigningIn {
  username: string
  password: string
}

export interface CodeSignIn extends SigningIn {
  /** The token of the pending sign-in. */
  token: string
  code: string
}

/** A new session. `token` and `csrfToken` are returned only here. */
export interface SignedIn {
  token: string
  csrfToken: string
  session: Session
  /** The broker that the sign-in connected again. */
  resumedBroker: string | undefined
}

/** A new session, or a token for the second step, which is valid until `expiresAt`. */
export type PasswordResult =
  | ({ totpRequired: false } & SignedIn)
  | { totpRequired: true; pendingToken: string; expiresAt: number }

interface SignInsParts {
  users: Users
  sessions: Sessions
  attempts: LoginAttempts
  delays: SignInDelays
  secondFactor: SecondFactor
  clock: Clock
}

/** Signs users in: by password, and by a code where the account needs one. Needs no broker. */
export class SignIns {
  readonly #parts: SignInsParts
  readonly #pending: PendingSignIns

  constructor(parts: SignInsParts) {
    this.#parts = parts
    this.#pending = new PendingSignIns(parts.clock)
  }

  /**
   * Checks the password and records a failure.
   * @throws ServiceError `refused` before setup; `unauthenticated` for an unknown user and a wrong password
   * alike; `rate_limited` while the account has to wait after failures; `unavailable` when too many sign-ins wait
   */
  async byPassword(request: PasswordSignIn): Promise<PasswordResult> {
    const { users, attempts, delays, sessions } = this.#parts
    if (users.needsSetup) throw new ServiceError('refused', 'Please complete initial setup first.')
    const { username, password } = request
    await delays.begin(request)
    const generation = sessions.generation(username)
    const verified = await users.verifyPassword(username, password).catch((error: unknown) => {
      delays.undo(username)
      throw error
    })
    if (!verified) {
      // The failure is stored before the answer, so a restart forgets no failure that the caller has seen.
      const failed = { status: 'failed', failureReason: 'invalid_credentials' } as const
      await attempts.record({ ...attemptOf(username, request), loginType: 'password', ...failed })
      throw new ServiceError('unauthenticated', 'Invalid credentials')
    }
    delays.undo(username)
    if (verified.totpRequired) {
      const { token: pendingToken, expiresAt } = this.#pending.begin(username, verified.passwordHash)
      return { totpRequired: true, pendingToken, expiresAt }
    }
    const signedIn = await this.#grant(
      username,
      request,
      { plain: 'password', resumed: 'resume' },
      generation,
    )
    return { totpRequired: false, ...signedIn }
  }

  /**
   * Completes a pending sign-in with a code. A wrong code leaves it pending.
   * @throws ServiceError `unauthenticated` when the sign-in is unknown or over, and for a wrong or used code;
   * `rate_limited` while the account has to wait after failures
   */
  async byCode(request: CodeSignIn): Promise<SignedIn> {
    const { secondFactor, sessions, users, clock } = this.#parts
    const { token, code } = request
    const pending = this.#pending.find(token)
    if (!pending) throw signInOver()
    const { username } = pending
    if (code.trim() === '') throw noCode()
    const generation = sessions.generation(username)
    if (!(await users.hasPasswordHash(username, pending.passwordHash))) {
      this.#pending.end(token)
      throw signInOver()
    }
    await secondFactor.verify({ ...request, username, code })
    crashPoint('session.totp.afterUse')
    if (!this.#pending.end(token)) throw signInOver()
    return this.#grant(username, request, { plain: 'totp', resumed: 'totp_resume' }, generation, clock.now())
  }

  async #grant(
    username: string,
    request: SigningIn,
    types: Record<'plain' | 'resumed', LoginAttempt['loginType']>,
    generation: number,
    totpVerifiedAt: number | null = null,
  ): Promise<SignedIn> {
    const { sessions, attempts, delays } = this.#parts
    const granted = await sessions.create(username, request, totpVerifiedAt, generation)
    delays.succeeded(username)
    const broker = await request.resumeBroker?.()
    const loginType = broker === undefined ? types.plain : types.resumed
    void attempts.record({ ...attemptOf(username, request), loginType, broker, status: 'success' })
    return { ...granted, resumedBroker: broker }
  }
}

function attemptOf(username: string, { ownAddress, ipAddress, deviceInfo }: SigningIn) {
  return { username, ownAddress, ipAddress, deviceInfo }
}

function signInOver(): ServiceError {
  return new ServiceError('unauthenticated', 'Login session expired. Please sign in again.')
}
