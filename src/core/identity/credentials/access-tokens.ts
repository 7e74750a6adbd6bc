import { type FieldErrors, ServiceError, validationError } from '../../errors/index.js'
import { randomToken, sha256Hex } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { type AccessToken, type Principal, type Revocation, SCOPES, type Scope } from '../schema.js'
import { parseLifetime } from '../sessions/lifetime.js'
import { storeCredentialEnd } from '../sessions/store-credential-end.js'
import type { AccessTokenRow, IdentityStore, LastUse } from '../store.js'

const PREFIX = 'svc_pat_'
const TOKEN_BYTES = 32
/** The prefix, then 32 bytes in base64url. */
const TOKEN_SHAPE = /^svc_pat_[\w-]{43}$/

interface LoadedToken {
  readonly row: AccessTokenRow
  readonly principal: Principal
  usedAt: number | null
}

interface NewToken {
  name: string
  scopes: readonly string[]
  /** `90d`, `12h`, `8w`; without it the token lasts until it is revoked. */
  expires?: string | undefined
}

interface AccessTokensParts {
  store: IdentityStore
  clock: Clock
  onRevoked: (revocation: Revocation) => void
}

/**
 * Personal access tokens for scripts: with a name and scopes, revocable, optionally with an expiry. They stay
 * in memory by their SHA-256, so a check takes microseconds.
 */
export class AccessTokens {
  readonly #parts: AccessTokensParts
  /** Every token by its id, revoked ones included, because the list shows them. */
  readonly #all = new Map<number, LoadedToken>()
  readonly #usable = new Map<string, LoadedToken>()
  /** Tokens that are revoked in memory but not yet in the store: a restart would restore them. */
  readonly #unwritten = new Set<LoadedToken>()
  readonly #changes = new SerialQueue()

  private constructor(parts: AccessTokensParts) {
    this.#parts = parts
  }

  static async open(parts: AccessTokensParts): Promise<AccessTokens> {
    const tokens = new AccessTokens(parts)
    for (const row of await parts.store.accessTokens()) tokens.#load(row)
    return tokens
  }

  /**
   * Creates a token. Its secret is returned only here.
   * @throws ServiceError `validation` by field; `conflict` when the user has a usable token with that name
   */
  create(username: string, newToken: NewToken): Promise<AccessToken & { token: string }> {
    return this.#changes.run(async () => {
      const now = this.#parts.clock.now()
      const scopes = checkToken(newToken)
      const expiresAt = newToken.expires === undefined ? null : now + parseLifetime(newToken.expires)
      if (this.list(username).some((known) => known.name === newToken.name && isUsable(known, now))) {
        throw new ServiceError(
          'conflict',
          `A token named "${newToken.name}" already exists; revoke it first.`,
        )
      }
      const token = PREFIX + randomToken(TOKEN_BYTES)
      const row = {
        username,
        name: newToken.name,
        tokenHash: sha256Hex(token),
        scopes,
        createdAt: now,
        expiresAt,
      }
      return { token, ...viewOf(this.#load(await this.#parts.store.addAccessToken(row))) }
    })
  }

  /**
   * Returns the principal of a token, or undefined when it is unknown, revoked or expired. Marks the token as
   * used.
   */
  verify(token: string): Principal | undefined {
    if (!TOKEN_SHAPE.test(token)) return undefined
    const loaded = this.#usable.get(sha256Hex(token))
    if (!loaded || this.#endsNow(loaded)) return undefined
    loaded.usedAt = this.#parts.clock.now()
    return loaded.principal
  }

  /** Returns whether the token with an id is neither revoked nor expired. It counts as no use of the token. */
  isUsable(id: number): boolean {
    const loaded = this.#all.get(id)
    return loaded !== undefined && this.#usable.has(loaded.row.tokenHash) && !this.#endsNow(loaded)
  }

  /** Returns when the token of a principal expires; null for never, and for another credential. */
  expiryOf({ credential, credentialId }: Principal): number | null {
    return credential === 'access_token' ? (this.#all.get(Number(credentialId))?.row.expiresAt ?? null) : null
  }

  /** Returns all tokens of the user, newest first, including revoked and expired ones. */
  list(username: string): AccessToken[] {
    return [...this.#all.values()]
      .filter(({ row }) => row.username === username)
      .map(viewOf)
      .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
  }

  /**
   * Revokes one of the user's tokens; returns false when it does not exist. The token is invalid before the
   * promise settles, even when the revocation could not be stored; a second call stores it.
   * @throws ServiceError `unavailable`, `storage_full` when the token is revoked but a restart would restore
   * it
   */
  revoke(username: string, id: number): Promise<boolean> {
    return this.#changes.run(async () => {
      const loaded = this.#all.get(id)
      if (loaded?.row.username !== username) return false
      this.#revoke(loaded)
      await storeCredentialEnd('The token is revoked', () => this.#writeRevoked())
      return true
    })
  }

  /**
   * Revokes the tokens with these digests. Returns the number of those that were usable.
   * @throws ServiceError like {@link revoke}
   */
  revokeEach(tokenHashes: ReadonlySet<string>): Promise<number> {
    return this.#changes.run(async () => {
      const meant = [...this.#usable.values()].filter(({ row }) => tokenHashes.has(row.tokenHash))
      for (const loaded of meant) this.#revoke(loaded)
      await storeCredentialEnd('The tokens are revoked', () => this.#writeRevoked())
      return meant.length
    })
  }

  /** Ends expired tokens, so that the connections they opened are closed. */
  sweep(): void {
    for (const loaded of this.#usable.values()) this.#endsNow(loaded)
  }

  /** Stores the revocations that failed to be stored before. */
  settle(): Promise<void> {
    return this.#changes.run(() => this.#writeRevoked())
  }

  /** Returns the uses that are not yet written, and counts them as written. */
  takeLastUses(): LastUse<number>[] {
    const lastUses: LastUse<number>[] = []
    for (const { row, usedAt } of this.#all.values()) {
      if (usedAt === null || usedAt === row.lastUsedAt) continue
      row.lastUsedAt = usedAt
      lastUses.push([row.id, usedAt])
    }
    return lastUses
  }

  #revoke(loaded: LoadedToken): void {
    if (loaded.row.revokedAt !== null) return
    loaded.row.revokedAt = this.#parts.clock.now()
    this.#unwritten.add(loaded)
    this.#end(loaded, 'revoked')
  }

  async #writeRevoked(): Promise<void> {
    for (const loaded of [...this.#unwritten]) {
      await this.#parts.store.revokeAccessToken(
        loaded.row.id,
        loaded.row.revokedAt ?? this.#parts.clock.now(),
      )
      this.#unwritten.delete(loaded)
    }
  }

  #load(row: AccessTokenRow): LoadedToken {
    const principal: Principal = Object.freeze({
      username: row.username,
      credential: 'access_token',
      credentialId: String(row.id),
      scopes: row.scopes.filter(isScope),
    })
    const loaded: LoadedToken = { row, principal, usedAt: row.lastUsedAt }
    this.#all.set(row.id, loaded)
    if (isUsable(row, this.#parts.clock.now())) this.#usable.set(row.tokenHash, loaded)
    return loaded
  }

  /** Ends a token that has expired, for good: it must not live again when the clock is set back. Returns whether it did. */
  #endsNow(loaded: LoadedToken): boolean {
    if (isUsable(loaded.row, this.#parts.clock.now())) return false
    this.#end(loaded, 'expired')
    return true
  }

  #end(loaded: LoadedToken, reason: 'revoked' | 'expired'): void {
    if (!this.#usable.delete(loaded.row.tokenHash)) return
    const { username, credentialId } = loaded.principal
    this.#parts.onRevoked({ credential: 'access_token', credentialId, username, reason })
  }
}

function isUsable(token: Pick<AccessToken, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt)
}

function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

/** Returns the scopes without repetitions. Throws a message for each invalid field. */
function checkToken(newToken: NewToken): Scope[] {
  const errors: FieldErrors = {}
  if (!/^[^\p{C}]{1,80}$/u.test(newToken.name) || newToken.name.trim() !== newToken.name) {
    errors.name = ['Must be 1 to 80 characters, without control characters and outer spaces.']
  }
  const unknown = newToken.scopes.filter((scope) => !isScope(scope))
  const known = Object.keys(SCOPES).join(', ')
  if (unknown.length > 0) errors.scopes = [`Unknown scope "${unknown[0]}". Must be one of: ${known}.`]
  else if (newToken.scopes.length === 0) errors.scopes = [`At least one scope is required. Known: ${known}.`]
  if (Object.keys(errors).length > 0) throw validationError(errors)
  return [...new Set(newToken.scopes.filter(isScope))]
}

function viewOf({ row, principal, usedAt }: LoadedToken): AccessToken {
  const { id, username, name, createdAt, expiresAt, revokedAt } = row
  return { id, username, name, scopes: principal.scopes, createdAt, expiresAt, lastUsedAt: usedAt, revokedAt }
}
