import { ServiceError } from '../../errors/index.js'
import { randomToken, sha256Hex } from '../../secrets/index.js'
import type { Tx } from '../../storage/index.js'
import { type Clock, MINUTE_MS } from '../../time/index.js'
import { checkNewPassword } from '../account-rules.js'
import type { Hasher } from '../credentials/hasher.js'
import type { Device } from '../schema.js'
import type { LoginAttempts } from '../sessions/login-attempts.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Caller, SignInDelays } from '../sessions/sign-in-delays.js'
import type { SecondFactor } from '../totp/second-factor.js'
import type { Users } from '../users.js'
import type { RecoveryStore, ResetMethod } from './store.js'

const TOKEN_BYTES = 32
const TOKEN_SHAPE = /^[\w-]{43}$/
/** A link may wait in a mailbox; a token after a code is used at once. */
const LIFETIME_MS: Readonly<Record<ResetMethod, number>> = { email: 60 * MINUTE_MS, totp: 10 * MINUTE_MS }

const INVALID_TOKEN = 'Invalid or expired reset token.'

interface PasswordsParts {
  store: RecoveryStore
  users: Users
  hasher: Hasher
  sessions: Sessions
  secondFactor: SecondFactor
  attempts: LoginAttempts
  /** Counts wrong passwords. */
  signInDelays: SignInDelays
  /** Counts wrong codes by e-mail address, known or not, so that a delay does not tell which addresses are known. */
  resetDelays: SignInDelays
  clock: Clock
}

/** The caller of a reset: known by an e-mail address only. */
interface ResetCaller extends Device, Omit<Caller, 'username'> {
  email: string
}

/** Replaces passwords: by the former one, by a code, or by a mailed link. Each new password ends all sessions. */
export class Passwords {
  readonly #parts: PasswordsParts

  constructor(parts: PasswordsParts) {
    this.#parts = parts
  }

  /**
   * Checks the password of a signed-in user. A wrong one counts like a failed sign-in, so a stolen session cannot
   * guess it.
   * @returns what {@link change} needs, or undefined for a wrong password
   * @throws ServiceError `rate_limited` while the account has to wait after failures
   */
  async confirm(caller: Caller & Device & { password: string }): Promise<string | undefined> {
    const { users, attempts, signInDelays } = this.#parts
    const { username, password, ownAddress, ipAddress, deviceInfo } = caller
    await signInDelays.begin(caller)
    const verified = await users.verifyPassword(username, password).catch((error: unknown) => {
      signInDelays.undo(username)
      throw error
    })
    if (verified) {
      signInDelays.undo(username)
      return verified.passwordHash
    }
    const device = { ownAddress, ipAddress, deviceInfo }
    const failed = {
      loginType: 'password',
      status: 'failed',
      failureReason: 'wrong_current_password',
    } as const
    await attempts.record({ username, ...device, ...failed })
    return undefined
  }

  /**
   * Replaces a password that {@link confirm} has checked.
   * @throws ServiceError `validation` with the first broken rule; `conflict` when it was replaced since
   */
  async change(username: string, confirmed: string, password: string): Promise<void> {
    const { hasher, sessions, store } = this.#parts
    checkNewPassword(password, 'new_password')
    const hash = await hasher.hash('password', password)
    const changed = await sessions.endAllWith(username, 'password_changed', () =>
      store.changePassword(username, confirmed, hash),
    )
    if (!changed) throw new ServiceError('conflict', 'The password was changed by another request.')
  }

  /**
   * Returns whether passwords may be reset by mail. The answer is the same for every address: the account of this
   * installation decides, so nobody learns whether an address is known.
   */
  async allowsMail(): Promise<boolean> {
    const { secondFactor, users } = this.#parts
    const { owner } = users
    return owner === undefined || !(await secondFactor.requires(owner, 'passwordReset'))
  }

  /** Returns whether an account has this e-mail address. The caller of the service must not learn it. */
  async knows(email: string): Promise<boolean> {
    return (await this.#parts.store.userByEmail(email)) !== undefined
  }

  /** Creates the token for a mailed link; a former link of the user ends. Undefined for an unknown address. */
  async issueLink(email: string): Promise<{ token: string; email: string } | undefined> {
    const user = await this.#parts.store.userByEmail(email)
    return user && { token: await this.#grant(user.username, 'email'), email: user.email }
  }

  /**
   * Uses up a code and returns a token for the new password. Works also while the second factor is off, because
   * every account has a secret.
   * @throws ServiceError `validation` for an unknown address and for a wrong or used code alike; `rate_limited` while
   * the address has to wait after wrong codes
   */
  async verifyCode(caller: ResetCaller, code: string): Promise<string> {
    const { attempts, resetDelays, secondFactor, store } = this.#parts
    const { ownAddress, ipAddress, deviceInfo, isOwners } = caller
    const email = caller.email.toLowerCase()
    const user = await store.userByEmail(email)
    // The address of an owner is known by its sign-ins, which have the user's name.
    await resetDelays.begin({ username: email, ownAddress, isOwners }, user?.username)
    const fault = await secondFactor.use(user?.username, code).catch((error: unknown) => {
      resetDelays.undo(email)
      throw error
    })
    const attempt = { username: email, ownAddress, ipAddress, deviceInfo, loginType: 'reset' } as const
    if (fault !== undefined || !user) {
      await attempts.record({ ...attempt, status: 'failed', failureReason: fault ?? 'invalid_totp' })
      const text = 'Invalid TOTP code. Please try again.'
      throw new ServiceError('validation', text, {
        errors: { totp_code: [text] },
        extra: { error: 'invalid_totp' },
      })
    }
    resetDelays.succeeded(email)
    void attempts.record({ ...attempt, status: 'success' })
    return this.#grant(user.username, 'totp')
  }

  /** Returns the e-mail address of a valid token, without using it up; programs that check mail open links too. */
  async emailOf(token: string): Promise<string | undefined> {
    return (await this.#find(token))?.email
  }

  /**
   * Sets a new password with a token, which is used up, and ends all sessions. Returns the user's name and e-mail address.
   * @param also ends further access, in the transaction of the new password
   * @throws ServiceError `validation` for a token that is unknown, used, replaced, over or of another address, and
   * for a password that breaks a rule; the token then stays valid
   */
  async reset(
    email: string,
    token: string,
    password: string,
    also?: (tx: Tx) => Promise<void>,
  ): Promise<{ username: string; email: string }> {
    const { clock, hasher, sessions, signInDelays, store } = this.#parts
    const found = await this.#find(token)
    if (found?.email.toLowerCase() !== email.toLowerCase()) throw invalidToken()
    checkNewPassword(password, 'password')
    const passwordHash = await hasher.hash('password', password)
    const done = await sessions.endAllWith(found.username, 'password_reset', () =>
      store.redeem(found.tokenHash, { passwordHash, now: clock.now() }, also),
    )
    if (!done) throw invalidToken()
    // Who has proved this is no guesser: the wait that guesses of others have caused ends.
    signInDelays.succeeded(found.username)
    return { username: found.username, email: found.email }
  }

  /** Ends all links and tokens that set a new password. */
  endResets(): Promise<void> {
    return this.#parts.store.removeAll()
  }

  /** Removes tokens that are over. */
  async sweep(): Promise<void> {
    const { clock, store } = this.#parts
    // Nearly always there is nothing to remove, and a write would wake the disk twice a minute.
    if (await store.hasExpired(clock.now())) await store.removeExpired(clock.now())
  }

  #find(token: string) {
    if (!TOKEN_SHAPE.test(token)) return undefined
    return this.#parts.store.find(sha256Hex(token), this.#parts.clock.now())
  }

  async #grant(username: string, method: ResetMethod): Promise<string> {
    const { clock, store } = this.#parts
    const token = randomToken(TOKEN_BYTES)
    const expiresAt = clock.now() + LIFETIME_MS[method]
    await store.grant({ username, method, tokenHash: sha256Hex(token), expiresAt })
    return token
  }
}

function invalidToken(): ServiceError {
  return new ServiceError('validation', INVALID_TOKEN, { errors: { token: [INVALID_TOKEN] } })
}
