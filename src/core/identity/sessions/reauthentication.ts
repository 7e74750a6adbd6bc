import { ServiceError } from '../../errors/index.js'
import { type Clock, MINUTE_MS } from '../../time/index.js'
import { isFresh } from '../freshness.js'
import type { Passwords } from '../recovery/passwords.js'
import type { Device, Session } from '../schema.js'
import { noCode } from '../totp/codes.js'
import type { SecondFactor } from '../totp/second-factor.js'
import type { Sessions } from './sessions.js'
import type { Caller } from './sign-in-delays.js'

/** The password, and the code if sign-ins need one, that a signed-in user enters again. */
export interface Proof extends Device, Omit<Caller, 'username'> {
  password: string
  code?: string | undefined
}

interface ReauthenticationParts {
  sessions: Sessions
  passwords: Passwords
  secondFactor: SecondFactor
  clock: Clock
  /** REAUTH_MINUTES: how long a proof counts; 0 switches the rule off. */
  minutes: number
}

/**
 * Dangerous acts need a recent proof of who the user is, so that a stolen or unattended session cannot do them.
 * A sign-in is a proof, and so is the password (with a code, if sign-ins need one) in an open session.
 */
export class Reauthentication {
  readonly #parts: ReauthenticationParts

  constructor(parts: ReauthenticationParts) {
    this.#parts = parts
  }

  /** @throws ServiceError `reauthentication_required` when the last proof in the session is too old */
  requireRecent({ proofReading }: Pick<Session, 'proofReading'>): void {
    const { clock, minutes } = this.#parts
    if (minutes === 0 || isFresh(proofReading, clock, minutes * MINUTE_MS)) return
    throw new ServiceError(
      'reauthentication_required',
      `This needs your password again, because you last gave it more than ${minutes === 1 ? 'a minute' : `${minutes} minutes`} ago: ` +
        'give it again, or sign in again.',
    )
  }

  /**
   * Checks the password, and the code if sign-ins need one, and notes the time in the session. A wrong one counts like
   * a failed sign-in.
   * @returns the time until which the proof counts; undefined without end
   * @throws ServiceError `validation` without a code that is needed; `unauthenticated` for a wrong password and for a
   * wrong or used code; `rate_limited` while the account has to wait after failures
   */
  async prove(session: Session, proof: Proof): Promise<number | undefined> {
    const { minutes, secondFactor, sessions } = this.#parts
    const { id: sessionId, username } = session
    const needsCode = await secondFactor.requires(username, 'login')
    const generation = sessions.generation(username)
    await this.check(session, proof, needsCode)
    const at = await sessions.noteAuthentication(sessionId, generation)
    return minutes === 0 ? undefined : at + minutes * MINUTE_MS
  }

  /** Checks the password, and the code if one is needed. @throws like {@link prove} */
  async check(
    { id: sessionId, username }: Session,
    { password, code = '', ...sender }: Proof,
    needsCode: boolean,
  ): Promise<void> {
    const { passwords, secondFactor } = this.#parts
    if (needsCode && code.trim() === '') throw noCode()
    if ((await passwords.confirm({ username, password, ...sender })) === undefined) {
      throw new ServiceError('unauthenticated', 'The password is wrong.', {
        extra: { error: 'invalid_password' },
      })
    }
    if (needsCode) await secondFactor.verify({ username, code, sessionId, ...sender })
  }
}
