import { ServiceError } from '../../errors/index.js'
import { randomBase32, type SecretBox } from '../../secrets/index.js'
import { type Clock, MINUTE_MS } from '../../time/index.js'
import type { Session } from '../schema.js'
import type { Proof, Reauthentication } from '../sessions/reauthentication.js'
import type { Sessions } from '../sessions/sessions.js'
import type { IdentityStore } from '../store.js'
import { invalidCode, noCode, provisioningUri, stepOfCode, TOTP_SECRET_CHARACTERS } from './codes.js'
import type { SecondFactor } from './second-factor.js'

/** The time in which a code of the new secret must follow. */
const WAITING_MS = 10 * MINUTE_MS

/** A new secret that counts once its session sends a code of it. */
interface Waiting {
  readonly secret: string
  /** The sealed secret that it replaces. */
  readonly from: string
  readonly sessionId: string
  /** The {@link Sessions.generation} at its beginning: a new password ends it. */
  readonly generation: number
  /** The monotonic reading at which it ends. */
  readonly endsAt: number
}

/** A new secret, and the address that an authenticator app reads from the QR code. Never log either. */
interface DrawnSecret {
  secret: string
  uri: string
  /** Epoch milliseconds. */
  expiresAt: number
}

interface SecretChangeParts {
  store: IdentityStore
  secretBox: SecretBox
  clock: Clock
  sessions: Sessions
  secondFactor: SecondFactor
  reauthentication: Reauthentication
}

/**
 * Replaces the secret of the second factor, for example after somebody else has seen it. The former secret counts until a
 * code proves that the authenticator app has the new one. A new secret that waits for its code exists only in memory.
 */
export class SecretChange {
  readonly #parts: SecretChangeParts
  /** Only the newest one counts. */
  #waiting: Waiting | undefined

  constructor(parts: SecretChangeParts) {
    this.#parts = parts
  }

  /**
   * Checks the password, and a code while the second factor is on, and returns a new secret.
   * @throws ServiceError `validation` without a code that is needed; `unauthenticated` for a wrong password and for a
   * wrong or used code; `rate_limited` while the account has to wait after failures
   */
  async begin(session: Session, proof: Proof): Promise<DrawnSecret> {
    const { clock, reauthentication, secondFactor, sessions, store } = this.#parts
    const { id: sessionId, username } = session
    const generation = sessions.generation(username)
    const { enabled } = await secondFactor.settings(username)
    await reauthentication.check(session, proof, enabled)
    const user = await store.user(username)
    if (!user) throw new ServiceError('not_found', 'User not found.')
    const secret = randomBase32(TOTP_SECRET_CHARACTERS)
    const endsAt = clock.monotonic() + WAITING_MS
    this.#waiting = { secret, from: user.totpSecret, sessionId, generation, endsAt }
    return { secret, uri: provisioningUri(secret, user.email), expiresAt: clock.now() + WAITING_MS }
  }

  /**
   * Takes a code of the new secret, which counts from now on, and ends all other sessions. A wrong code may be repeated.
   * @throws ServiceError `unauthenticated` for a wrong code; `conflict` if no new secret of this session waits
   */
  async confirm({ id: sessionId, username }: Session, code: string): Promise<void> {
    if (code.trim() === '') throw noCode()
    const { clock, secretBox, sessions, store } = this.#parts
    const waiting = this.#waitingOf(sessionId)
    const at = clock.now()
    const step = stepOfCode(waiting.secret, code, at)
    if (step === undefined) throw invalidCode()
    const change = {
      from: waiting.from,
      to: secretBox.seal(waiting.secret),
      step,
      session: { id: sessionId, at },
    }
    const isReplaced = await sessions.endAllWith(
      username,
      'second_factor_changed',
      async () =>
        waiting.generation === sessions.generation(username) && store.replaceTotpSecret(username, change),
      sessionId,
    )
    if (!isReplaced) throw nothingWaits()
    if (this.#waiting === waiting) this.#waiting = undefined
    sessions.noteTotp(sessionId, at)
  }

  #waitingOf(sessionId: string): Waiting {
    const waiting = this.#waiting
    if (waiting?.sessionId === sessionId && this.#parts.clock.monotonic() < waiting.endsAt) return waiting
    throw nothingWaits()
  }
}

function nothingWaits(): ServiceError {
  return new ServiceError(
    'conflict',
    'No new secret waits for a code here. It waits for ten minutes, and a new password ends it: begin again.',
  )
}
