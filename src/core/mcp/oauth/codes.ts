import { hash } from 'node:crypto'
import { randomHex, randomToken, safeEqual, sha256Hex } from '../../secrets/index.js'
import { type Clock, MINUTE_MS } from '../../time/index.js'
import type { McpScope } from '../schema.js'
import { oauthError } from './errors.js'

const CODE_BYTES = 32
const FAMILY_BYTES = 16
const CODE_MS = MINUTE_MS
/** How long a used code is known: whoever sends it again has stolen it, or was robbed of it. */
const USED_MS = 10 * MINUTE_MS
const MAX_CODES = 1000
/** RFC 7636, section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/** The consent for which a code stands. */
export interface Consent {
  clientId: string
  redirectUri: string
  /** Base64url of the SHA-256 of the verifier that only the client knows. */
  challenge: string
  scopes: readonly McpScope[]
  userId: number
  username: string
}

interface KnownCode {
  readonly consent: Consent
  /** The family of the tokens that the code brings. */
  readonly familyId: string
  /** A monotonic reading. */
  readonly issuedAt: number
  isUsed: boolean
}

/** What a client sends for a code. */
export interface Redemption {
  clientId: string
  code: string
  redirectUri: string
  verifier: string
}

/**
 * Authorization codes. They exist only in memory: a restart ends them, and the user consents again. A code is used up
 * by its first redemption, whether it succeeds or not.
 */
export class Codes {
  readonly #clock: Clock
  /** By the digest of the codes, oldest first. */
  readonly #codes = new Map<string, KnownCode>()
  readonly #onReuse: (clientId: string, familyId: string) => void

  /** @param onReuse is called with the client and the family of a code that was sent again */
  constructor(clock: Clock, onReuse: (clientId: string, familyId: string) => void) {
    this.#clock = clock
    this.#onReuse = onReuse
  }

  issue(consent: Consent): string {
    this.#dropOld()
    const code = randomToken(CODE_BYTES)
    const issuedAt = this.#clock.monotonic()
    this.#codes.set(sha256Hex(code), { consent, familyId: randomHex(FAMILY_BYTES), issuedAt, isUsed: false })
    return code
  }

  /**
   * Uses up a code.
   * @throws ServiceError with the OAuth error `invalid_grant`
   */
  redeem({ clientId, code, redirectUri, verifier }: Redemption): { consent: Consent; familyId: string } {
    const known = this.#codes.get(sha256Hex(code))
    const age = known ? this.#clock.monotonic() - known.issuedAt : 0
    if (!known || known.isUsed || age > CODE_MS) {
      if (known?.isUsed) this.#onReuse(known.consent.clientId, known.familyId)
      throw oauthError('invalid_grant', 'Code unknown, expired, or already used.')
    }
    known.isUsed = true
    const { consent, familyId } = known
    if (consent.clientId !== clientId) throw oauthError('invalid_grant', 'client_id mismatch.')
    if (consent.redirectUri !== redirectUri) throw oauthError('invalid_grant', 'redirect_uri mismatch.')
    if (!VERIFIER.test(verifier) || !safeEqual(challengeOf(verifier), consent.challenge)) {
      throw oauthError('invalid_grant', 'PKCE verification failed.')
    }
    return { consent, familyId }
  }

  /** Ends the codes of a client, or all. */
  clear(clientId?: string): void {
    for (const [key, { consent }] of this.#codes) {
      if (clientId === undefined || consent.clientId === clientId) this.#codes.delete(key)
    }
  }

  #dropOld(): void {
    const now = this.#clock.monotonic()
    for (const [key, { issuedAt }] of this.#codes) {
      if (this.#codes.size < MAX_CODES && now - issuedAt <= USED_MS) return
      this.#codes.delete(key)
    }
  }
}

function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url')
}
