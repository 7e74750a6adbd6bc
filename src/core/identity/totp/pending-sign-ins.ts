import { randomToken, sha256Hex } from '../../secrets/index.js'
import type { Clock } from '../../time/index.js'

const TOKEN_BYTES = 32
/** A token has 43 characters; a much longer one is not worth a digest. */
const MAX_TOKEN_LENGTH = 128
/** The time in which the code must follow the password. */
const PENDING_MS = 5 * 60_000
/** Only a caller with the right password adds one. Beyond this number the oldest is dropped. */
const MAX_PENDING = 100

/** A sign-in that waits for its code. */
export interface PendingSignIn {
  readonly username: string
  /** The hash that the password matched. A later change of the password ends the sign-in. */
  readonly passwordHash: string
  /** The monotonic reading at which it ends. */
  readonly endsAt: number
}

/**
 * Sign-ins whose password was right and whose code is missing. They exist only in memory: a restart ends them. A
 * token opens one sign-in of one user and grants nothing by itself.
 */
export class PendingSignIns {
  readonly #clock: Clock
  /** By the digest of their tokens, oldest first. */
  readonly #pending = new Map<string, PendingSignIn>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Begins a sign-in. Its token is returned only here. */
  begin(username: string, passwordHash: string): { token: string; expiresAt: number } {
    const token = randomToken(TOKEN_BYTES)
    const endsAt = this.#clock.monotonic() + PENDING_MS
    this.#pending.set(sha256Hex(token), { username, passwordHash, endsAt })
    const [oldest] = this.#pending.keys()
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest)
    return { token, expiresAt: this.#clock.now() + PENDING_MS }
  }

  /** Returns the sign-in of a token, or undefined when it is unknown, used or older than five minutes. */
  find(token: string): PendingSignIn | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const id = sha256Hex(token)
    const found = this.#pending.get(id)
    if (!found || this.#clock.monotonic() < found.endsAt) return found
    this.#pending.delete(id)
    return undefined
  }

  /** Ends a sign-in. Returns false when it has ended before, so that a token signs in only once. */
  end(token: string): boolean {
    return this.#pending.delete(sha256Hex(token))
  }
}
