import { ServiceError } from '../errors/index.js'
import { randomBase32, type SecretBox } from '../secrets/index.js'
import type { Clock } from '../time/index.js'
import { checkAccount, type NewAccount } from './account-rules.js'
import { type ApiKeys, changedSecretError } from './credentials/api-keys.js'
import type { Hasher } from './credentials/hasher.js'
import type { IdentityStore } from './store.js'
import { TOTP_SECRET_CHARACTERS } from './totp/codes.js'

interface UsersParts {
  store: IdentityStore
  hasher: Hasher
  secretBox: SecretBox
  clock: Clock
  apiKeys: ApiKeys
}

/** The account and its password. */
export class Users {
  readonly #parts: UsersParts
  #owner: Pick<NewAccount, 'username' | 'email'> | undefined

  private constructor(parts: UsersParts, owner: Pick<NewAccount, 'username' | 'email'> | undefined) {
    this.#parts = parts
    this.#owner = owner
  }

  /**
   * Loads the user. @throws ServiceError `internal` when the database was written with another sealing secret
   */
  static async open(parts: UsersParts): Promise<Users> {
    const user = await parts.store.anyUser()
    // The check of an API key, if there is one, has already detected a wrong secret.
    if (user && !parts.apiKeys.has(user.username) && parts.secretBox.open(user.totpSecret) === undefined) {
      throw changedSecretError('APP_KEY or FERNET_SALT')
    }
    return new Users(parts, user)
  }

  /** True while the first user does not exist yet. */
  get needsSetup(): boolean {
    return this.#owner === undefined
  }

  /** The owner of the broker account: the user created by the setup. */
  get owner(): string | undefined {
    return this.#owner?.username
  }

  /** Returns whether an e-mail address in lower case is the owner's. */
  isOwnersEmail(email: string): boolean {
    return this.#owner?.email.toLowerCase() === email
  }

  /**
   * Creates the first user and an API key, which is returned only here.
   * @throws ServiceError `validation` with every broken rule of each field; `conflict` when a user
   * exists, also when a concurrent setup won
   */
  async setup(account: NewAccount): Promise<{ username: string; apiKey: string }> {
    const { store, hasher, secretBox, clock, apiKeys } = this.#parts
    if (!this.needsSetup) throw alreadySetUp()
    checkAccount(account)
    const { username, email, password } = account
    const [passwordHash, key] = await Promise.all([hasher.hash('password', password), apiKeys.draw(username)])
    const totpSecret = secretBox.seal(randomBase32(TOTP_SECRET_CHARACTERS))
    const user = { username, email, passwordHash, totpSecret, createdAt: clock.now() }
    const row = await store.createFirstUser(user, key.row)
    if (!row) throw alreadySetUp()
    apiKeys.adopt(row)
    this.#owner = { username, email }
    return { username, apiKey: key.apiKey }
  }

  /**
   * Checks a password, and returns the hash that it matches and whether a code is also needed. An unknown user takes the
   * same path and time as a wrong password. A hash with outdated parameters is renewed.
   * @returns undefined for an unknown user and for a wrong password alike
   * @throws ServiceError `unavailable` when too many sign-ins wait
   */
  async verifyPassword(
    username: string,
    password: string,
  ): Promise<{ username: string; totpRequired: boolean; passwordHash: string } | undefined> {
    const { store, hasher } = this.#parts
    const user = await store.user(username)
    const matches = await hasher.verify('password', user?.passwordHash ?? hasher.unmatchable, password)
    if (!user || !matches) return undefined
    let { passwordHash } = user
    if (hasher.isOutdated(passwordHash)) {
      passwordHash = await hasher.hash('password', password)
      await store.replacePasswordHash(username, user.passwordHash, passwordHash)
    }
    return { username, totpRequired: user.totpEnabled && user.totpRequiredForLogin, passwordHash }
  }

  /** Returns the e-mail address of a user. */
  async email(username: string): Promise<string | undefined> {
    return (await this.#parts.store.user(username))?.email
  }

  /** Returns the number of a user, which never changes. */
  async id(username: string): Promise<number | undefined> {
    return (await this.#parts.store.user(username))?.id
  }

  /** Returns whether the user's password is still the one with this hash. */
  async hasPasswordHash(username: string, hash: string): Promise<boolean> {
    const user = await this.#parts.store.user(username)
    return user?.passwordHash === hash
  }
}

function alreadySetUp(): ServiceError {
  return new ServiceError('conflict', 'Setup has already been done; sign in instead.')
}
