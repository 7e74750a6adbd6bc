import { type FieldErrors, ServiceError, validationError } from '../../errors/index.js'
import { randomToken, sha256Hex } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { type AccessToken, type Principal, type Revocation, SCOPES, type Scope } from '../schema.js'
import { parseLifetime } from '../sessions/lifetime.js'
import { storingEnd } from '../sessions/storing-end.js'
import type { AccessTokenRow, IdentityStore, Touch } from '../store.js'

const PREFIX = 'svc_pat_'
const TOKEN_BYTES = 32
/** 32 bytes in base64url after the prefix. */
const TOKEN_SHAPE = /^svc_pat_[\w-]{43}$/

interface Held {
  readonly row: AccessTokenRow
  readonly principal: Principal
  usedAt: number | null
}

export interface NewToken {
  name: string
  scopes: readonly string[]
  /** `90d`, `12h`, `8w`; without it the token lasts until it is revoked. */
  expires?: string | undefined
}

export interface AccessTokensParts {
  store: IdentityStore
  clock: Clock
  onRevoked: (revocation: Revocation) => void
}

/**
 * Personal access tokens for scripts: named, scoped, revocable, optionally ending. Kept in memory by their
 * SHA-256, so that a check costs microseconds.
 */
export class AccessTokens {
  readonly #parts: AccessTokensParts
  /** Every token by its id, the revoked ones too: they stay listed. */
  readonly #all = new Map<number, Held>()
  readonly #usable = new Map<string, Held>()
  /** Revoked here, but not yet in the store: a restart would bring them back. */
  readonly #unwritten = new Set<Held>()
  readonly #changes = new SerialQueue()

  private constructor(parts: AccessTokensParts) {
    this.#parts = parts
  }

  static async open(parts: AccessTokensParts): Promise<AccessTokens> {
    const tokens = new AccessTokens(parts)
    for (const row of await parts.store.accessTokens()) tokens.#hold(row)
    return tokens
  }

  /**
   * Makes a token, which is shown only here.
   * @throws ServiceError `validation` by field; `conflict` when the user has a usable token of that name
   */
  create(username: string, wanted: NewToken): Promise<AccessToken & { token: string }> {
    return this.#changes.run(async () => {
      const now = this.#parts.clock.now()
      const scopes = checkToken(wanted)
      const expiresAt = wanted.expires === undefined ? null : now + parseLifetime(wanted.expires)
      if (this.list(username).some((known) => known.name === wanted.name && isUsable(known, now))) {
        throw new ServiceError(
          'conflict',
          `There is a token named "${wanted.name}" already; revoke it first.`,
        )
      }
      const token = PREFIX + randomToken(TOKEN_BYTES)
      const row = {
        username,
        name: wanted.name,
        tokenHash: sha256Hex(token),
        scopes,
        createdAt: now,
        expiresAt,
      }
      return { token, ...viewOf(this.#hold(await this.#parts.store.addAccessToken(row))) }
    })
  }

  /** The principal of a token, or undefined when it is unknown, revoked or over. Marks it as used. */
  verify(token: string): Principal | undefined {
    if (!TOKEN_SHAPE.test(token)) return undefined
    const held = this.#usable.get(sha256Hex(token))
    const now = this.#parts.clock.now()
    if (!held || !isUsable(held.row, now)) return undefined
    held.usedAt = now
    return held.principal
  }

  /** All tokens of the user, the newest first, with the revoked and the ended ones. */
  list(username: string): AccessToken[] {
    return [...this.#all.values()]
      .filter(({ row }) => row.username === username)
      .map(viewOf)
      .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
  }

  /**
   * Ends one of the user's tokens; false when there is no such token. It is dead before this resolves, and also when
   * that could not be stored: asking again stores it.
   * @throws ServiceError `unavailable`, `storage_full` when it is revoked, but would be back after a restart
   */
  revoke(username: string, id: number): Promise<boolean> {
    return this.#changes.run(async () => {
      const held = this.#all.get(id)
      if (held?.row.username !== username) return false
      if (held.row.revokedAt === null) {
        held.row.revokedAt = this.#parts.clock.now()
        this.#unwritten.add(held)
        this.#end(held, 'revoked')
      }
      await storingEnd('The token is revoked', () => this.#writeRevoked())
      return true
    })
  }

  /** Lets go of tokens that have ended, so that whatever was opened with them gets closed. */
  sweep(): void {
    const now = this.#parts.clock.now()
    for (const held of this.#usable.values()) {
      if (!isUsable(held.row, now)) this.#end(held, 'expired')
    }
  }

  /** Stores the revocations that could not be stored when they were asked for. */
  settle(): Promise<void> {
    return this.#changes.run(() => this.#writeRevoked())
  }

  /** The uses not yet written; they count as written from here on. */
  takeTouches(): Touch<number>[] {
    const touches: Touch<number>[] = []
    for (const { row, usedAt } of this.#all.values()) {
      if (usedAt === null || usedAt === row.lastUsedAt) continue
      row.lastUsedAt = usedAt
      touches.push([row.id, usedAt])
    }
    return touches
  }

  async #writeRevoked(): Promise<void> {
    for (const held of [...this.#unwritten]) {
      await this.#parts.store.revokeAccessToken(held.row.id, held.row.revokedAt ?? this.#parts.clock.now())
      this.#unwritten.delete(held)
    }
  }

  #hold(row: AccessTokenRow): Held {
    const principal: Principal = Object.freeze({
      username: row.username,
      credential: 'access_token',
      credentialId: String(row.id),
      scopes: row.scopes.filter(isScope),
    })
    const held: Held = { row, principal, usedAt: row.lastUsedAt }
    this.#all.set(row.id, held)
    if (isUsable(row, this.#parts.clock.now())) this.#usable.set(row.tokenHash, held)
    return held
  }

  #end(held: Held, reason: 'revoked' | 'expired'): void {
    if (!this.#usable.delete(held.row.tokenHash)) return
    const { username, credentialId } = held.principal
    this.#parts.onRevoked({ credential: 'access_token', credentialId, username, reason })
  }
}

function isUsable(token: Pick<AccessToken, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt)
}

function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

/** The scopes without repetitions. Throws with a text for each field that is wrong. */
function checkToken(wanted: NewToken): Scope[] {
  const errors: FieldErrors = {}
  if (!/^[^\p{C}]{1,80}$/u.test(wanted.name) || wanted.name.trim() !== wanted.name) {
    errors.name = ['Must be 1 to 80 characters, without control characters and outer spaces.']
  }
  const unknown = wanted.scopes.filter((scope) => !isScope(scope))
  const known = Object.keys(SCOPES).join(', ')
  if (unknown.length > 0) errors.scopes = [`Unknown scope "${unknown[0]}". Must be one of: ${known}.`]
  else if (wanted.scopes.length === 0) errors.scopes = [`At least one scope is required. Known: ${known}.`]
  if (Object.keys(errors).length > 0) throw validationError(errors)
  return [...new Set(wanted.scopes.filter(isScope))]
}

function viewOf({ row, principal, usedAt }: Held): AccessToken {
  const { id, username, name, createdAt, expiresAt, revokedAt } = row
  return { id, username, name, scopes: principal.scopes, createdAt, expiresAt, lastUsedAt: usedAt, revokedAt }
}
