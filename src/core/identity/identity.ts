import { messageOf } from '../errors/index.js'
import type { SecretBox } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { AccessTokens } from './credentials/access-tokens.js'
import { ApiKeys } from './credentials/api-keys.js'
import { Hasher } from './credentials/hasher.js'
import { IdentityListeners, type IdentityLog } from './identity-listeners.js'
import { Passwords } from './recovery/passwords.js'
import { RecoveryStore } from './recovery/store.js'
import type { Principal, Revocation } from './schema.js'
import { LoginAttempts } from './sessions/login-attempts.js'
import { Reauthentication } from './sessions/reauthentication.js'
import { Sessions } from './sessions/sessions.js'
import { SignInDelays } from './sessions/sign-in-delays.js'
import {
  type CodeSignIn,
  type PasswordResult,
  type PasswordSignIn,
  type SignedIn,
  SignIns,
} from './sign-ins.js'
import { IdentityStore } from './store.js'
import { SecondFactor } from './totp/second-factor.js'
import { SecretChange } from './totp/secret-change.js'
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
  /** REAUTH_MINUTES: how long a proof of who the user is counts for dangerous acts; 0 switches the rule off. */
  reauthMinutes: number
}

interface IdentityOptions {
  db: Database
  clock: Clock
  config: IdentityConfig
  secretBox: SecretBox
  log: IdentityLog
}

interface Members {
  users: Users
  sessions: Sessions
  apiKeys: ApiKeys
  tokens: AccessTokens
  attempts: LoginAttempts
  secondFactor: SecondFactor
  secretChange: SecretChange
  passwords: Passwords
  reauthentication: Reauthentication
  signIns: SignIns
}

/** Authentication and permissions: the account, its sessions, API key and access tokens. */
export class Identity {
  readonly users: Users
  readonly sessions: Sessions
  readonly apiKeys: ApiKeys
  readonly tokens: AccessTokens
  readonly attempts: LoginAttempts
  readonly secondFactor: SecondFactor
  readonly secretChange: SecretChange
  readonly passwords: Passwords
  readonly reauthentication: Reauthentication
  readonly #signIns: SignIns
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
    this.secondFactor = members.secondFactor
    this.secretChange = members.secretChange
    this.passwords = members.passwords
    this.reauthentication = members.reauthentication
    this.#signIns = members.signIns
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
    const isAccount = (username: string) => username === users.owner
    const delays = await SignInDelays.open(store, clock, isAccount)
    const secondFactor = new SecondFactor({ store, secretBox, clock, attempts, delays, sessions })
    const signIns = new SignIns({ users, sessions, attempts, delays, secondFactor, clock })
    const passwords = new Passwords({
      store: new RecoveryStore(db),
      users,
      hasher,
      sessions,
      secondFactor,
      attempts,
      signInDelays: delays,
      resetDelays: await SignInDelays.open(store, clock, (email) => users.isOwnersEmail(email), 'resets'),
      clock,
    })
    const { reauthMinutes: minutes } = config
    const reauthentication = new Reauthentication({ sessions, passwords, secondFactor, clock, minutes })
    const proofs = { store, secretBox, clock, sessions, secondFactor, reauthentication }
    const secretChange = new SecretChange(proofs)
    const checks = { secondFactor, secretChange, passwords, reauthentication, signIns }
    const members = { users, sessions, apiKeys, tokens, attempts, ...checks }
    return new Identity(options, store, { revocations, sessionChanges }, members)
  }

  /** Signs in by password. @throws like {@link SignIns.byPassword} */
  signIn(request: PasswordSignIn): Promise<PasswordResult> {
    return this.#signIns.byPassword(request)
  }

  /** Completes a sign-in that waits for its code. @throws like {@link SignIns.byCode} */
  signInWithCode(request: CodeSignIn): Promise<SignedIn> {
    return this.#signIns.byCode(request)
  }

  /** Calls back for every session, key and token that ends, so that its connections can be closed. */
  onRevoked(listener: (revocation: Revocation) => void): () => void {
    return this.#revocations.add(listener)
  }

  /** Calls back when the credential of a principal ends. @returns a function that stops that */
  onEndOf({ credential, credentialId }: Principal, listener: () => void): () => void {
    return this.onRevoked((ended) => {
      // API keys and tokens are both numbered from 1, so the id alone is ambiguous.
      if (ended.credential === credential && ended.credentialId === credentialId) listener()
    })
  }

  /** Returns whether the session, token or key of a principal has not ended since it was checked. It counts as no use. */
  isCurrent(principal: Principal): boolean {
    const { credential, credentialId } = principal
    switch (credential) {
      case 'session':
        return this.sessions.isLive(credentialId)
      case 'access_token':
        return this.tokens.isUsable(Number(credentialId))
      case 'api_key':
        return this.apiKeys.isCurrent(principal)
    }
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

  /** Stops the regular housekeeping. A service that lives as long as a simulated case has nothing to tidy. */
  stopHousekeeping(): void {
    this.#options.clock.clear(this.#housekeeping)
  }

  /** Stops the housekeeping and writes pending uses. The caller closes the database. */
  async close(): Promise<void> {
    this.stopHousekeeping()
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
      await this.passwords.sweep()
      await this.flush()
    } catch (error) {
      this.#options.log.error('identity.housekeeping_failed', { reason: messageOf(error) })
    }
  }
}
