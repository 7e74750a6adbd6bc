import { ServiceError } from '../errors/index.js'
import { randomBase32, type SecretBox } from '../secrets/index.js'
import type { Clock } from '../time/index.js'
import { checkAccount, type NewAccount } from './account-rules.js'
import { type ApiKeys, otherSecret } from './credentials/api-keys.js'
import type { Hasher } from './credentials/hasher.js'
import type { IdentityStore } from './store.js'

/** 160 bits, as RFC 4226 recommends. */
const TOTP_SECRET_CHARACTERS = 32

export interface UsersParts {
  store: IdentityStore
  hasher: Hasher
  secretBox: SecretBox
  clock: Clock
  apiKeys: ApiKeys
}

/** The account and its password. */
export class Users {
  readonly #parts: UsersParts
  #owner: string | undefined

  private constructor(parts: UsersParts, owner: string | undefined) {
    this.#parts = parts
    this.#owner = owner
  }

  /** @throws ServiceError `internal` when the sealing secret is not the one the database was written with */
  static async open(parts: UsersParts): Promise<Users> {
    const user = await parts.store.anyUser()
    // Where there is an API key it has told already.
    if (user && !parts.apiKeys.has(user.username) && parts.secretBox.open(user.totpSecret) === undefined) {
      throw otherSecret('APP_KEY or FERNET_SALT')
    }
    return new Users(parts, user?.username)
  }

  /** Whether the first user is still to be created. */
  get needsSetup(): boolean {
    return this.#owner === undefined
  }

  /** Whose the broker account is: the user of the set-up. */
  get owner(): string | undefined {
    return this.#owner
  }

  /**
   * Creates the first user and an API key, which is shown only here.
   * @throws ServiceError `validation` with the first broken rule of each field; `conflict` when a user exists,
   * also when another setup was faster
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
    this.#owner = username
    return { username, apiKey: key.apiKey }
  }

  /**
   * Whether the password is the user's, and whether a code is needed on top. An unknown user takes the same
   * path and time as a wrong password. A hash of outdated parameters is renewed.
   * @returns undefined for an unknown user and for a wrong password alike
   * @throws ServiceError `unavailable` when too many sign-ins wait
   */
  async verifyPassword(
    username: string,
    password: string,
  ): Promise<{ username: string; totpRequired: boolean } | undefined> {
    const { store, hasher } = this.#parts
    const user = await store.user(username)
    const matches = await hasher.verify('password', user?.passwordHash ?? hasher.unmatchable, password)
    if (!user || !matches) return undefined
    if (hasher.isOutdated(user.passwordHash)) {
      await store.replacePasswordHash(username, user.passwordHash, await hasher.hash('password', password))
    }
    return { username, totpRequired: user.totpEnabled && user.totpRequiredForLogin }
  }
}

function alreadySetUp(): ServiceError {
  return new ServiceError('conflict', 'Setup has already been done; sign in instead.')
}
