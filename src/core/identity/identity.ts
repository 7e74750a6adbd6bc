import { messageOf, ServiceError } from '../errors/index.js'
import type { SecretBox } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { AccessTokens } from './credentials/access-tokens.js'
import { ApiKeys } from './credentials/api-keys.js'
import { Hasher } from './credentials/hasher.js'
import { IdentityListeners, type IdentityLog } from './identity-listeners.js'
import type { Device, LoginAttempt, Revocation, Session } from './schema.js'
import { LoginAttempts } from './sessions/login-attempts.js'
import { Sessions } from './sessions/sessions.js'
import { type Caller, SignInDelays } from './sessions/sign-in-delays.js'
import { IdentityStore } from './store.js'
import { Users } from './users.js'

/** The interval at which last uses are written and expired credentials are removed. */
const HOUSEKEEPING_MS = 30_000

export interface IdentityConfig {
  /** API_KEY_PEPPER. */
  pepper: string
  /** SESSION_EXPIRY_TIME: `HH:MM` in IST. */
  sessionExpiryTime: string
  /** DISABLE_SESSION_EXPIRY: for markets that never close; sessions then last a year. */
  disableSessionExpiry: boolean
}

interface IdentityOptions {
  db: Database
  clock: Clock
  config: IdentityConfig
  secretBox: SecretBox
  log: IdentityLog
}

interface SignIn extends Device, Caller {
  password: string
}

/** A new session, or the request for a second factor. */
type SignInResult =
  | { totpRequired: false; token: string; csrfToken: string; session: Session }
  | { totpRequired: true; username: string }

interface Members {
  users: Users
  sessions: Sessions
  apiKeys: ApiKeys
  tokens: AccessTokens
  attempts: LoginAttempts
  delays: SignInDelays
}

/** Authentication and permissions: the account, its sessions, API key and access tokens. */
export class Identity {
  readonly users: Users
  readonly sessions: Sessions
  readonly apiKeys: ApiKeys
  readonly tokens: AccessTokens
  readonly attempts: LoginAttempts
  readonly #delays: SignInDelays
  readonly #store: IdentityStore
  readonly #revocations: IdentityListeners<Revocation>
  readonly #sessionChanges: IdentityListeners<string>
  readonly #options: IdentityOptions
  readonly #housekeeping: Timer

  private constructor(
    options: IdentityOptions,
    store: IdentityStore,
    listeners: { revocations: IdentityListeners<Revocation>; sessionChanges: IdentityListeners<string> },
    members: Members,
  ) {
    this.users = members.users
    this.sessions = members.sessions
    this.apiKeys = members.apiKeys
    this.tokens = members.tokens
    this.attempts = members.attempts
    this.#delays = members.delays
    this.#options = options
    this.#store = store
    this.#revocations = listeners.revocations
    this.#sessionChanges = listeners.sessionChanges
    this.#housekeeping = options.clock.setInterval(() => void this.#keepHouse(), HOUSEKEEPING_MS)
  }

  /**
   * Loads everything that verification needs into memory.
   * @throws ServiceError `internal` when the database was written with other secrets
   */
  static async open(options: IdentityOptions): Promise<Identity> {
    const { db, clock, config, secretBox, log } = options
    const store = new IdentityStore(db)
    const hasher = new Hasher(config.pepper)
    const revocations = new IdentityListeners<Revocation>(log)
    const sessionChanges = new IdentityListeners<string>(log)
    const onRevoked = (revocation: Revocation) => revocations.emit(revocation)
    const onChanged = (username: string) => sessionChanges.emit(username)
    const apiKeys = await ApiKeys.open({ store, hasher, secretBox, clock, log, onRevoked })
    await apiKeys.checkSecrets()
    const users = await Users.open({ store, hasher, secretBox, clock, apiKeys })
    const { sessionExpiryTime: expiryTime, disableSessionExpiry: disableExpiry } = config
    await store.removeExpiredSessions(clock.now())
    const sessions = await Sessions.open({
      store,
      secretBox,
      clock,
      expiryTime,
      disableExpiry,
      onRevoked,
      onChanged,
    })
    const tokens = await AccessTokens.open({ store, clock, onRevoked })
    const attempts = new LoginAttempts({ store, clock, log })
    const delays = await SignInDelays.open(store, clock, (username) => username === users.owner)
    const listeners = { revocations, sessionChanges }
    return new Identity(options, store, listeners, { users, sessions, apiKeys, tokens, attempts, delays })
  }

  /**
   * Signs in by password and records the attempt. Needs no broker.
   * @throws ServiceError `refused` before setup; `unauthenticated` for an unknown user and a wrong password
   * alike; `rate_limited` while the account has to wait after wrong passwords; `unavailable` when too many
   * sign-ins wait
   */
  async signIn(request: SignIn): Promise<SignInResult> {
    if (this.users.needsSetup) throw new ServiceError('refused', 'Please complete initial setup first.')
    const { username, password, ipAddress, deviceInfo, ownAddress } = request
    const device: Device = { ipAddress, deviceInfo }
    await this.#delays.begin(request)
    const verified = await this.users.verifyPassword(username, password).catch((error: unknown) => {
      this.#delays.undo(username)
      throw error
    })
    const attempt: Omit<LoginAttempt, 'status'> = { username, ownAddress, loginType: 'password', ...device }
    if (!verified) {
      // The failure is stored before the answer, so a restart forgets no failure that the caller has seen.
      await this.attempts.record({ ...attempt, status: 'failed', failureReason: 'invalid_credentials' })
      throw new ServiceError('unauthenticated', 'Invalid credentials')
    }
    this.#delays.undo(username)
    if (verified.totpRequired) return { totpRequired: true, username }
    const granted = await this.sessions.create(username, device)
    this.#delays.succeeded(username)
    void this.attempts.record({ ...attempt, status: 'success' })
    return { totpRequired: false, ...granted }
  }

  /** Calls back for every session, key and token that ends, so that its connections can be closed. */
  onRevoked(listener: (revocation: Revocation) => void): () => void {
    return this.#revocations.add(listener)
  }

  /**
   * Calls back with a user's name when their sessions began or ended, once for all changes at the same time.
   */
  onSessionsChanged(listener: (username: string) => void): () => void {
    return this.#sessionChanges.add(listener)
  }

  /** Writes the last uses of credentials now, instead of at the next 30-second interval. */
  async flush(): Promise<void> {
    const used = {
      sessions: this.sessions.takeLastUses(),
      apiKeys: this.apiKeys.takeLastUses(),
      accessTokens: this.tokens.takeLastUses(),
    }
    if (Object.values(used).some((lastUses) => lastUses.length > 0)) await this.#store.touch(used)
    await this.attempts.settled()
  }

  /** Stops the housekeeping and writes pending uses. The caller closes the database. */
  async close(): Promise<void> {
    this.#options.clock.clear(this.#housekeeping)
    this.sessions.stop()
    const settled = await Promise.allSettled([this.sessions.settle(), this.tokens.settle()])
    for (const result of settled) {
      if (result.status === 'fulfilled') continue
      this.#options.log.error('identity.ends_not_stored', { reason: messageOf(result.reason) })
    }
    await this.flush()
  }

  async #keepHouse(): Promise<void> {
    try {
      this.tokens.sweep()
      await this.sessions.sweep()
      await this.tokens.settle()
      await this.flush()
    } catch (error) {
      this.#options.log.error('identity.housekeeping_failed', { reason: messageOf(error) })
    }
  }
}
