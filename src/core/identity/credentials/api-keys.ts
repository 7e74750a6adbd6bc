import { crashPoint, ServiceError } from '../../errors/index.js'
import { randomHex, type SecretBox, safeEqual, sha256Hex } from '../../secrets/index.js'
import { SerialQueue, type Tx } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { IdentityListeners, type IdentityLog } from '../identity-listeners.js'
import { ORDER_MODES, type OrderMode, type Principal, type Revocation, type Scope } from '../schema.js'
import type { ApiKeyRow, IdentityStore, LastUse, NewApiKey } from '../store.js'
import { ExpiringCache } from './expiring-cache.js'
import type { Hasher } from './hasher.js'

const KEY_BYTES = 32
/** The shape of every issued key; anything else is refused without a hash. */
const KEY_SHAPE = /^[0-9a-f]{64}$/
/** The scopes of a key on `/api/v1`. */
const KEY_SCOPES: readonly Scope[] = ['read', 'orders']

const VALID = { maxEntries: 1024, lifetimeMs: 10 * 3_600_000 }
const INVALID = { maxEntries: 512, lifetimeMs: 5 * 60_000 }

/** A key in memory: the row, the SHA-256 of the key, its principal, and its last use. */
interface LoadedKey {
  readonly row: ApiKeyRow
  /** Empty if the sealed copy cannot be read. */
  readonly digest: string
  readonly principal: Principal
  usedAt: number | undefined
}

interface ApiKeysParts {
  store: IdentityStore
  hasher: Pick<Hasher, 'hash' | 'verify'>
  secretBox: SecretBox
  clock: Clock
  log: IdentityLog
  onRevoked: (revocation: Revocation) => void
}

/**
 * Stores a new key by calling `store` once. `store` takes the writes of the key's other copies, and commits
 * them in one transaction with the key.
 */
type StoreWithCopies = <T>(
  apiKey: string,
  store: (writeCopies: (tx: Tx) => Promise<void>) => Promise<T>,
) => Promise<T>

/**
 * API keys, one per user: an argon2id hash over the key and the pepper, a negative cache of 5 minutes and a
 * positive cache of 10 hours, both by the SHA-256 of the key.
 */
export class ApiKeys {
  readonly #parts: ApiKeysParts
  readonly #keys = new Map<string, LoadedKey>()
  readonly #valid = new ExpiringCache<LoadedKey>(VALID)
  readonly #invalid = new ExpiringCache<true>(INVALID)
  readonly #checks = new Map<string, Promise<Principal | undefined>>()
  readonly #changes = new SerialQueue()
  readonly #onInvalid: IdentityListeners<string>
  #storeWithCopies: StoreWithCopies = (_apiKey, store) => store(async () => {})
  /** Grows with every change of a key: a result of an earlier generation is stale. */
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
   * Checks the configured secrets. Every key is stored twice, sealed and as a peppered hash; together they
   * reveal a wrong secret.
   * @throws ServiceError `internal` that names the secret the database was not written with
   */
  async checkSecrets(): Promise<void> {
    const { hasher, secretBox } = this.#parts
    for (const { row } of this.#keys.values()) {
      const apiKey = secretBox.open(row.apiKeyEncrypted)
      if (apiKey === undefined) throw changedSecretError('APP_KEY or FERNET_SALT')
      if (!(await hasher.verify('key', row.apiKeyHash, apiKey))) throw changedSecretError('API_KEY_PEPPER')
    }
  }

  /**
   * Returns the cached result for a key without hashing: its principal, `invalid`, or undefined when {@link
   * verify} has to find out. The hot path uses it: it costs one SHA-256 and a map lookup.
   */
  cached(apiKey: string): Principal | 'invalid' | undefined {
    // Longer than any key, so not worth a digest.
    if (apiKey.length > 256) return 'invalid'
    return this.#known(sha256Hex(apiKey))
  }

  /**
   * Returns the principal of a key, or undefined when it is unknown or revoked. Concurrent calls for one key
   * share one check.
   * @throws ServiceError `unavailable` when too many unknown keys wait for their check
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

  /** Sets the function that stores a new key together with its other copies. */
  keepCopies(storeWithCopies: StoreWithCopies): void {
    this.#storeWithCopies = storeWithCopies
  }

  /**
   * Gives the user a new key, returned only here (and by {@link reveal}); the old one is invalid at once. The
   * order mode stays. Copies of the key change in the same transaction: see {@link keepCopies}.
   */
  rotate(username: string): Promise<{ apiKey: string; keyId: number }> {
    return this.#changes.run(async () => {
      if (!this.#keys.has(username)) throw unknownUser(username)
      const drawn = await this.draw(username)
      const row = await this.#storeWithCopies(drawn.apiKey, (writeCopies) =>
        this.#parts.store.replaceApiKey(drawn.row, writeCopies),
      )
      crashPoint('identity.rotate.afterCommit')
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

  /** Returns the plain key from its sealed copy; undefined when the user has none. */
  reveal(username: string): string | undefined {
    const loaded = this.#keys.get(username)
    return loaded && this.#parts.secretBox.open(loaded.row.apiKeyEncrypted)
  }

  /** Returns whether a principal is that of its user's current key. A rotated key keeps its id, so the id says nothing. */
  isCurrent(principal: Principal): boolean {
    return this.#keys.get(principal.username)?.principal === principal
  }

  has(username: string): boolean {
    return this.#keys.has(username)
  }

  /**
   * Returns when the key was last used, in epoch milliseconds; null when never, undefined when there is no
   * key.
   */
  lastUsedAt(username: string): number | null | undefined {
    const loaded = this.#keys.get(username)
    return loaded && (loaded.usedAt ?? loaded.row.lastUsedAt)
  }

  /** Returns the order mode from memory, because the order path asks for every order. */
  orderMode(username: string): OrderMode {
    return this.#keys.get(username)?.row.orderMode ?? 'auto'
  }

  /** Sets the order mode for every order that begins after it resolves. */
  setOrderMode(username: string, mode: string): Promise<OrderMode> {
    return this.#changes.run(async () => {
      const orderMode = ORDER_MODES.find((known) => known === mode)
      if (!orderMode) {
        throw new ServiceError('validation', 'Invalid mode. Must be "auto" or "semi_auto"')
      }
      const loaded = this.#keys.get(username)
      if (!loaded)
        throw new ServiceError('not_found', 'Failed to update order mode', { reason: 'no_api_key' })
      await this.#parts.store.setOrderMode(username, orderMode)
      loaded.row.orderMode = orderMode
      return orderMode
    })
  }

  /** Creates a key and its row; the caller stores the row and passes it to {@link adopt}. */
  async draw(username: string): Promise<{ apiKey: string; row: NewApiKey }> {
    const { hasher, secretBox, clock } = this.#parts
    const apiKey = randomHex(KEY_BYTES)
    const apiKeyHash = await hasher.hash('key', apiKey)
    const apiKeyEncrypted = secretBox.seal(apiKey)
    return { apiKey, row: { userId: username, apiKeyHash, apiKeyEncrypted, createdAt: clock.now() } }
  }

  /** Replaces the user's former key with a stored one, and clears the caches. */
  adopt(row: ApiKeyRow): void {
    this.#hold(row)
    this.#generation += 1
    this.#valid.clear()
    this.#invalid.clear()
  }

  /** Returns the uses that are not yet written, and counts them as written. */
  takeLastUses(): LastUse<number>[] {
    const lastUses: LastUse<number>[] = []
    for (const { row, usedAt } of this.#keys.values()) {
      if (usedAt === undefined || usedAt === row.lastUsedAt) continue
      row.lastUsedAt = usedAt
      lastUses.push([row.id, usedAt])
    }
    return lastUses
  }

  #hold(row: ApiKeyRow): void {
    const principal = { username: row.userId, credential: 'api_key', credentialId: String(row.id) } as const
    const apiKey = this.#parts.secretBox.open(row.apiKeyEncrypted)
    this.#keys.set(row.userId, {
      row,
      digest: apiKey === undefined ? '' : sha256Hex(apiKey),
      principal: Object.freeze({ ...principal, scopes: KEY_SCOPES }),
      usedAt: undefined,
    })
  }

  #known(digest: string): Principal | 'invalid' | undefined {
    const { clock } = this.#parts
    const elapsed = clock.monotonic()
    const loaded = this.#valid.get(digest, elapsed)
    if (loaded) {
      loaded.usedAt = clock.now()
      return loaded.principal
    }
    return this.#invalid.get(digest, elapsed) && 'invalid'
  }

  async #check(apiKey: string, digest: string): Promise<Principal | undefined> {
    const generation = this.#generation
    const loaded = await this.#match(apiKey, digest)
    // A key changed during the hash, so the answer may concern a revoked key.
    if (generation !== this.#generation) return this.#check(apiKey, digest)
    const { clock } = this.#parts
    const elapsed = clock.monotonic()
    if (!loaded) {
      this.#invalid.set(digest, true, elapsed)
      this.#onInvalid.emit(digest)
      return undefined
    }
    this.#valid.set(digest, loaded, elapsed)
    loaded.usedAt = clock.now()
    return loaded.principal
  }

  /** A key that is ours does not wait among those of strangers: a flood of them keeps no exit from its broker. */
  async #match(apiKey: string, digest: string): Promise<LoadedKey | undefined> {
    if (!KEY_SHAPE.test(apiKey)) return undefined
    for (const loaded of this.#keys.values()) {
      const lane = safeEqual(digest, loaded.digest) ? 'password' : 'key'
      if (await this.#parts.hasher.verify(lane, loaded.row.apiKeyHash, apiKey)) return loaded
    }
    return undefined
  }
}

function unknownUser(username: string): ServiceError {
  return new ServiceError('not_found', `There is no user "${username}".`)
}

/** Returns the refusal to start with a secret that the database was not written with. */
export function changedSecretError(variable: string): ServiceError {
  return new ServiceError(
    'internal',
    `${variable} has changed since this home was created, so its keys and passwords cannot be read. Restore the former value in config.env or the environment.`,
  )
}
