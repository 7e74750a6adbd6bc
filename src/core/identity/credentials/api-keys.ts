import { ServiceError } from '../../errors/index.js'
import { randomHex, type SecretBox, sha256Hex } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { IdentityListeners, type IdentityLog } from '../identity-listeners.js'
import { ORDER_MODES, type OrderMode, type Principal, type Revocation, type Scope } from '../schema.js'
import type { ApiKeyRow, IdentityStore, NewApiKey, Touch } from '../store.js'
import { ExpiringCache } from './expiring-cache.js'
import type { Hasher } from './hasher.js'

const KEY_BYTES = 32
/** Every key we issue looks like this; anything else need not be hashed to be refused. */
const KEY_SHAPE = /^[0-9a-f]{64}$/
/** What a key may do on `/api/v1`. */
const KEY_SCOPES: readonly Scope[] = ['read', 'orders']

const VALID = { maxEntries: 1024, lifetimeMs: 10 * 3_600_000 }
const INVALID = { maxEntries: 512, lifetimeMs: 5 * 60_000 }

/** A key as it is kept in memory: the row, who it stands for, and when it was last used. */
interface Held {
  readonly row: ApiKeyRow
  readonly principal: Principal
  usedAt: number | undefined
}

export interface ApiKeysParts {
  store: IdentityStore
  hasher: Pick<Hasher, 'hash' | 'verify'>
  secretBox: SecretBox
  clock: Clock
  log: IdentityLog
  onRevoked: (revocation: Revocation) => void
}

/**
 * API keys (specification, "Authentication"): one a user, an argon2id hash over the key and the pepper, a
 * negative cache of 5 minutes and a positive one of 10 hours, both by the SHA-256 of the key.
 */
export class ApiKeys {
  readonly #parts: ApiKeysParts
  readonly #held = new Map<string, Held>()
  readonly #valid = new ExpiringCache<Held>(VALID)
  readonly #invalid = new ExpiringCache<true>(INVALID)
  readonly #checks = new Map<string, Promise<Principal | undefined>>()
  readonly #changes = new SerialQueue()
  readonly #onInvalid: IdentityListeners<string>
  /** Grows whenever a key changes: what was verified before says nothing about now. */
  #generation = 0

  private constructor(parts: ApiKeysParts) {
    this.#parts = parts
    this.#onInvalid = new IdentityListeners(parts.log)
  }

  static async open(parts: ApiKeysParts): Promise<ApiKeys> {
    const keys = new ApiKeys(parts)
    for (const row of await parts.store.apiKeys()) keys.#hold(row)
    return keys
  }

  /**
   * Every key is kept twice, sealed and as a peppered hash: together they tell a wrong secret.
   * @throws ServiceError `internal` that names the secret which is not the one the database was written with
   */
  async checkSecrets(): Promise<void> {
    const { hasher, secretBox } = this.#parts
    for (const { row } of this.#held.values()) {
      const apiKey = secretBox.open(row.apiKeyEncrypted)
      if (apiKey === undefined) throw otherSecret('APP_KEY or FERNET_SALT')
      if (!(await hasher.verify('key', row.apiKeyHash, apiKey))) throw otherSecret('API_KEY_PEPPER')
    }
  }

  /**
   * What is known of a key without hashing: its principal, `invalid`, or undefined when {@link verify} must
   * find out. For the hot path: one SHA-256 and a look into a map.
   */
  cached(apiKey: string): Principal | 'invalid' | undefined {
    // Longer than any key: not even worth a digest.
    if (apiKey.length > 256) return 'invalid'
    return this.#known(sha256Hex(apiKey))
  }

  /**
   * The principal of a key, or undefined when it is unknown or revoked. Calls for one key at the same time share
   * one check.
   * @throws ServiceError `unavailable` when too many unknown keys wait to be checked
   */
  async verify(apiKey: string): Promise<Principal | undefined> {
    const known = this.cached(apiKey)
    if (known) return known === 'invalid' ? undefined : known
    const digest = sha256Hex(apiKey)
    let check = this.#checks.get(digest)
    if (!check) {
      check = this.#check(apiKey, digest).finally(() => this.#checks.delete(digest))
      this.#checks.set(digest, check)
    }
    return check
  }

  /** Calls back with the SHA-256 of each key found invalid; not again while it is in the negative cache. */
  onInvalid(listener: (keyDigest: string) => void): () => void {
    return this.#onInvalid.add(listener)
  }

  /**
   * Gives the user a new key, shown only here (and by {@link reveal}); the old one dies at once. The order mode
   * stays.
   */
  rotate(username: string): Promise<{ apiKey: string; keyId: number }> {
    return this.#changes.run(async () => {
      if (!this.#held.has(username)) throw unknownUser(username)
      const drawn = await this.draw(username)
      const row = await this.#parts.store.replaceApiKey(drawn.row)
      this.adopt(row)
      this.#parts.onRevoked({
        credential: 'api_key',
        credentialId: String(row.id),
        username,
        reason: 'rotated',
      })
      return { apiKey: drawn.apiKey, keyId: row.id }
    })
  }

  /** The key in the clear, from its sealed copy; undefined when the user has none. */
  reveal(username: string): string | undefined {
    const held = this.#held.get(username)
    return held && this.#parts.secretBox.open(held.row.apiKeyEncrypted)
  }

  has(username: string): boolean {
    return this.#held.has(username)
  }

  /** When the key was last used, epoch milliseconds; null when never, undefined when there is none. */
  lastUsedAt(username: string): number | null | undefined {
    const held = this.#held.get(username)
    return held && (held.usedAt ?? held.row.lastUsedAt)
  }

  /** From memory: the order path asks for every order. */
  orderMode(username: string): OrderMode {
    return this.#held.get(username)?.row.orderMode ?? 'auto'
  }

  /** Takes effect for every order that begins after it resolved. Texts: contract, session API 1.10. */
  setOrderMode(username: string, mode: string): Promise<OrderMode> {
    return this.#changes.run(async () => {
      const orderMode = ORDER_MODES.find((known) => known === mode)
      if (!orderMode) {
        throw new ServiceError('validation', 'Invalid mode. Must be "auto" or "semi_auto"')
      }
      const held = this.#held.get(username)
      if (!held) throw new ServiceError('not_found', 'Failed to update order mode', { httpStatus: 500 })
      await this.#parts.store.setOrderMode(username, orderMode)
      held.row.orderMode = orderMode
      return orderMode
    })
  }

  /** Draws a key and makes the row for it, which the caller stores and hands to {@link adopt}. */
  async draw(username: string): Promise<{ apiKey: string; row: NewApiKey }> {
    const { hasher, secretBox, clock } = this.#parts
    const apiKey = randomHex(KEY_BYTES)
    const apiKeyHash = await hasher.hash('password', apiKey)
    const apiKeyEncrypted = secretBox.seal(apiKey)
    return { apiKey, row: { userId: username, apiKeyHash, apiKeyEncrypted, createdAt: clock.now() } }
  }

  /** Takes up a stored key in place of the user's former one, and forgets all that was verified. */
  adopt(row: ApiKeyRow): void {
    this.#hold(row)
    this.#generation += 1
    this.#valid.clear()
    this.#invalid.clear()
  }

  /** The uses not yet written; they count as written from here on. */
  takeTouches(): Touch<number>[] {
    const touches: Touch<number>[] = []
    for (const { row, usedAt } of this.#held.values()) {
      if (usedAt === undefined || usedAt === row.lastUsedAt) continue
      row.lastUsedAt = usedAt
      touches.push([row.id, usedAt])
    }
    return touches
  }

  #hold(row: ApiKeyRow): void {
    const principal = { username: row.userId, credential: 'api_key', credentialId: String(row.id) } as const
    this.#held.set(row.userId, {
      row,
      principal: Object.freeze({ ...principal, scopes: KEY_SCOPES }),
      usedAt: undefined,
    })
  }

  #known(digest: string): Principal | 'invalid' | undefined {
    const now = this.#parts.clock.now()
    const held = this.#valid.get(digest, now)
    if (held) {
      held.usedAt = now
      return held.principal
    }
    return this.#invalid.get(digest, now) && 'invalid'
  }

  async #check(apiKey: string, digest: string): Promise<Principal | undefined> {
    const generation = this.#generation
    const held = await this.#match(apiKey)
    // A key changed while this one was being hashed: the answer may be about a key that is gone.
    if (generation !== this.#generation) return this.#check(apiKey, digest)
    const now = this.#parts.clock.now()
    if (!held) {
      this.#invalid.set(digest, true, now)
      this.#onInvalid.emit(digest)
      return undefined
    }
    this.#valid.set(digest, held, now)
    held.usedAt = now
    return held.principal
  }

  async #match(apiKey: string): Promise<Held | undefined> {
    if (!KEY_SHAPE.test(apiKey)) return undefined
    for (const held of this.#held.values()) {
      if (await this.#parts.hasher.verify('key', held.row.apiKeyHash, apiKey)) return held
    }
    return undefined
  }
}

function unknownUser(username: string): ServiceError {
  return new ServiceError('not_found', `There is no user "${username}".`)
}

/** The refusal to start with a secret that is not the one the database was written with. */
export function otherSecret(variable: string): ServiceError {
  return new ServiceError(
    'internal',
    `${variable} is not the one this home was made with, so its keys and passwords could not be read. Restore the former value, in config.env or the environment.`,
  )
}
