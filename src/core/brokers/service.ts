import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, ServiceError } from '../errors/index.js'
import type { DumpParser, InstrumentDirectory } from '../instruments/schema.js'
import { type Logger, withFields } from '../logging/index.js'
import type { Tick } from '../market/schema.js'
import type { SecretBox } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import {
  type BrokerClient,
  type BrokerContext,
  BrokerError,
  type BrokerManifest,
  type BrokerOrder,
  type BrokerPlugin,
  type BrokerSession,
  type CallRank,
  serviceErrorFor,
} from './broker.js'
import { CallCounts } from './call-counts.js'
import { CallWatch, type FailedCall, isSessionRefusal } from './call-watch.js'
import { type ConfiguredCredentials, withConfigured } from './configured-credentials.js'
import type { BudgetStats } from './kit/budget/call-budget.js'
import { CallBudgets } from './kit/budget/call-budgets.js'
import { ORDER_CLASS } from './kit/budget/limits.js'
import { expiryOf, type SessionEnd, type SessionStatus, SessionWatch, SIGN_IN } from './session-watch.js'
import { BrokerStore } from './store.js'

interface BrokerServiceOptions {
  db: Database
  clock: Clock
  secrets: SecretBox
  plugins: readonly BrokerPlugin[]
  /** The folder with one subfolder per plugin for its own state. */
  stateDir: string
  /** Base URLs by plugin and name, for fake servers. */
  endpoints: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** See {@link BrokerContext.marketProtection}. */
  marketProtection?: number
  /** Fills in the fields that a log-in leaves out. */
  credentials?: ConfiguredCredentials
  instruments: () => InstrumentDirectory
  log: Logger
}

/** The receivers of the connected broker's events. */
interface BrokerListeners {
  onTick(tick: Tick): void
  onOrderUpdate(broker: string, order: BrokerOrder): void
  /**
   * Called for each newly connected client, and for one whose feed is restored. Price subscriptions move to
   * it.
   */
  onConnected(client: BrokerClient): void
  /** Called after a sign-in, a sign-out, and the end of a session by itself. */
  onSession?(status: SessionStatus): void
}

export const DEFAULT_BROKER = 'simulated'

/** The error text for a broker without a plugin; existing clients know it. */
const MISSING = 'Broker-specific module not found'

/** Delays before the second, third, … attempt to open a feed; the last one repeats. */
const FEED_RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const

/**
 * The broker account this installation trades through: the active plugin, its session and its connected
 * client. There is one account and one active broker.
 */
export class BrokerService {
  readonly #options: BrokerServiceOptions
  readonly #store: BrokerStore
  /** The calls to brokers since the start. */
  readonly callCounts = new CallCounts()
  #active = DEFAULT_BROKER
  #session: BrokerSession | undefined
  #client: BrokerClient | undefined
  /** The reason why the active broker is not connected; undefined if it is, or if nobody has signed in. */
  #refusal: string | undefined
  #listeners: BrokerListeners | undefined
  readonly #watch: SessionWatch
  /** True while nobody was told that the stored session ended: the service was down. */
  #hasEndedUnnoticed = false
  /** The clients of sessions that ended by themselves, until their last calls are answered. */
  readonly #lingering = new Set<BrokerClient>()
  /** Resolves once the last end of a session is stored. */
  #ending: Promise<void> = Promise.resolve()
  /** The calls of the connected client. */
  #calls: CallWatch | undefined
  /** The budgets by broker, because the limits of one broker do not apply to another. */
  readonly #budgets = new Map<string, CallBudgets>()
  /** The monotonic reading of the start: what an earlier process sent before it is not known. */
  readonly #startedAt: number
  /**
   * Changes of broker and session run one after another. Two at once would leave an open connection behind.
   */
  #changes: Promise<unknown> = Promise.resolve()

  private constructor(options: BrokerServiceOptions) {
    this.#options = options
    this.#store = new BrokerStore(options.db, options.secrets)
    this.#watch = new SessionWatch(options.clock)
    this.#startedAt = options.clock.monotonic()
  }

  /** Loads the active broker. */
  static async open(options: BrokerServiceOptions): Promise<BrokerService> {
    const service = new BrokerService(options)
    service.#active = (await service.#store.active()) ?? DEFAULT_BROKER
    return service
  }

  /**
   * Connects the active broker if it has a session (the simulated one always has). A broker without a plugin
   * is only logged, so that the service starts and the user can choose another.
   */
  async start(listeners: BrokerListeners): Promise<void> {
    this.#listeners = listeners
    await this.#resume()
  }

  get brokerId(): string {
    return this.#active
  }

  get session(): Readonly<Pick<BrokerSession, 'issuedAt' | 'expiresAt' | 'userId'>> | undefined {
    return this.#session
  }

  /** Returns the whole session, including the access token, for the plugin. */
  currentSession(): BrokerSession | undefined {
    return this.#session
  }

  list(): { manifest: BrokerManifest; active: boolean }[] {
    return this.#options.plugins.map(({ manifest }) => ({ manifest, active: manifest.id === this.#active }))
  }

  /** Returns the brokers that somebody signed in to here; their sessions may have ended. */
  withSession(): Promise<string[]> {
    return this.#store.withSession()
  }

  /** Returns the base URL of the active broker's API; undefined if it has none, or no plugin. */
  apiUrl(): string | undefined {
    const apiUrl = this.#find(this.#active)?.manifest.apiUrl
    return apiUrl && (this.#options.endpoints[this.#active]?.api ?? apiUrl)
  }

  manifest(): BrokerManifest {
    return this.#plugin(this.#active).manifest
  }

  plugin(): BrokerPlugin {
    return this.#plugin(this.#active)
  }

  /**
   * Returns the parser of an instrument dump format, whichever broker is active; by default of the first one.
   * @throws ServiceError `validation` if no plugin reads the format
   */
  dumpParser(format?: string): DumpParser {
    const dumps = this.#options.plugins.flatMap(({ instruments: { dump } }) => dump ?? [])
    const dump = format === undefined ? dumps[0] : dumps.find((each) => each.format === format)
    if (dump) return dump.parse
    const formats = dumps.map((each) => each.format).join(', ')
    throw new ServiceError('validation', `format: Must be one of: ${formats}.`)
  }

  connected(): boolean {
    return this.#client !== undefined
  }

  /** Returns the path of a file of the connected plugin that was removed or replaced while it was open. */
  missingFile(): string | undefined {
    return this.#client?.missingFile?.()
  }

  /** Returns the databases that the connected plugin has open. */
  databases(): readonly Database[] {
    return this.#client?.databases?.() ?? []
  }

  /** The reason why the broker could not be connected; undefined if only the session is missing. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /** Returns the state of the session at the active broker. */
  sessionStatus(): SessionStatus {
    const { end } = this.#watch
    const session = this.#session
    const state = this.#client ? 'signed_in' : (end?.cause ?? 'signed_out')
    return {
      broker: this.#active,
      state,
      reason: end?.message,
      since: session?.issuedAt ?? end?.at,
      until: session?.expiresAt,
      nextStep: this.#client ? undefined : SIGN_IN,
    }
  }

  /**
   * Tells of a session that ended while the service was down, once: a restart does not tell of it again. Called when
   * everybody listens.
   */
  async announceEnd(): Promise<void> {
    const { end } = this.#watch
    if (!this.#hasEndedUnnoticed || end === undefined || this.#client !== undefined) return
    this.#hasEndedUnnoticed = false
    const { log } = this.#options
    log.error('broker.session_ended', { broker: this.#active, cause: end.cause, message: end.message })
    this.#listeners?.onSession?.(this.sessionStatus())
    const session = await this.#store.session(this.#active)
    if (session) await this.#storeEnd(this.#active, session, end)
  }

  async #storeEnd(broker: string, session: BrokerSession, end: SessionEnd): Promise<void> {
    const { clock, log } = this.#options
    await this.#store.endSession(broker, session, end, clock.now()).catch((error: unknown) => {
      log.warn('broker.session_end_not_stored', { error: messageOf(error) })
    })
  }

  /** Ends the session if an error outside of a watched call shows that the broker refuses it. */
  noteError(error: unknown): void {
    if (isSessionRefusal(error)) this.#onRefused(this.#client, error)
  }

  /** The last call that the connected broker did not serve; undefined if none has failed. */
  get failedCall(): FailedCall | undefined {
    return this.#calls?.failed
  }

  /**
   * Returns whether this installation has a plugin for the active broker. If not, the user must choose
   * another broker.
   */
  available(): boolean {
    return this.#find(this.#active) !== undefined
  }

  /**
   * Returns the connected client.
   * @throws ServiceError `broker_missing` without a plugin, `forbidden` without a broker session
   */
  client(): BrokerClient {
    if (this.#client) return this.#client
    const { manifest } = this.#plugin(this.#active)
    if (this.#refusal !== undefined) {
      throw new ServiceError('unavailable', `The ${manifest.displayName} is not connected: ${this.#refusal}`)
    }
    const { end } = this.#watch
    const state = end ? `has ended. ${end.message}` : 'is missing or has ended.'
    throw new ServiceError(
      'forbidden',
      `The ${manifest.displayName} session ${state} Sign in with: ${SIGN_IN}`,
    )
  }

  /**
   * Resolves when the broker's rate limit allows the next order call of this rank.
   * @throws ServiceError `rate_limited` if the wait would be too long
   */
  orderSlot(rank: CallRank = 'order'): Promise<void> {
    return this.budgets().take(ORDER_CLASS, rank)
  }

  /** Returns the budgets of a broker's call limits, with how much of each is used. */
  budgets(id: string = this.#active): CallBudgets {
    const known = this.#budgets.get(id)
    if (known) return known
    const budgets = new CallBudgets(
      this.#plugin(id).manifest.rateLimits,
      this.#options.clock,
      this.#startedAt,
    )
    this.#budgets.set(id, budgets)
    return budgets
  }

  /** Returns how orders waited for the call limits, by the broker that they went to since the start. */
  orderBudgets(): readonly (BudgetStats & { broker: string })[] {
    return [...this.#budgets].map(([broker, budgets]) => ({ broker, ...budgets.orderStats() }))
  }

  context(id: string = this.#active, sessionRefused?: BrokerContext['sessionRefused']): BrokerContext {
    const { clock, endpoints, instruments, log, marketProtection, stateDir } = this.#options
    const dir = join(stateDir, id)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return {
      clock,
      endpoints: endpoints[id] ?? {},
      get instruments() {
        return instruments()
      },
      log: withFields(log, { broker: id }),
      budgets: this.budgets(id),
      stateDir: dir,
      marketProtection,
      sessionRefused,
    }
  }

  /**
   * Makes another broker the active one and resumes its session if it still has one.
   * @throws ServiceError `not_found` for an unknown broker
   */
  async use(id: string): Promise<void> {
    if (!this.#find(id)) {
      const ids = this.#options.plugins.map(({ manifest }) => manifest.id).join(', ')
      throw new ServiceError('not_found', `Broker ${id} not found. Brokers: ${ids}`)
    }
    return this.#queued(async () => {
      if (id === this.#active && this.#client) return
      // Stored first: a refused write must not cut the connection to the broker that stays active.
      await this.#store.use(id, this.#options.clock.now())
      await this.#disconnect()
      this.#active = id
      await this.#resume()
    })
  }

  /**
   * Connects the active broker with its stored session. A failure is logged, and the broker stays disconnected.
   * @returns whether this call connected it; false without a valid session
   */
  resume(): Promise<boolean> {
    return this.#queued(async () => {
      if (this.#client || !(await this.#storedSession())) return false
      // This also clears the reason of an earlier failure.
      await this.#disconnect()
      await this.#resume()
      return this.#client !== undefined
    })
  }

  /** Signs in to the active broker with the fields of its manifest. */
  login(fields: Readonly<Record<string, string>>): Promise<void> {
    return this.#queued(() => this.#login(fields))
  }

  async #login(given: Readonly<Record<string, string>>): Promise<void> {
    const plugin = this.#plugin(this.#active)
    const { credentials } = this.#options
    const fields = credentials ? withConfigured(given, plugin.manifest, credentials) : given
    const missing = plugin.manifest.credentialFields.filter((field) => field.required && !fields[field.name])
    if (missing.length > 0) {
      const names = missing.map((field) => field.name).join(', ')
      throw new ServiceError('validation', `fields: Missing ${names}.`, {
        errors: { fields: [`Missing ${names}.`] },
      })
    }
    try {
      const session = await plugin.auth.login(fields, this.context())
      await this.#store.saveSession(this.#active, session, this.#options.clock.now())
      await this.#disconnect()
      await this.#connect(session)
      // The broker may have refused the session at a feed meanwhile.
      this.client()
      this.#listeners?.onSession?.(this.sessionStatus())
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  logout(): Promise<void> {
    return this.#queued(async () => {
      const plugin = this.#plugin(this.#active)
      const session = this.#session
      await this.#store.saveSession(this.#active, undefined, this.#options.clock.now())
      await this.#disconnect()
      this.#listeners?.onSession?.(this.sessionStatus())
      if (session) await plugin.auth.logout?.(session, this.context()).catch(() => undefined)
    })
  }

  /**
   * Reconnects the silent price feed of the connected client and moves the price subscriptions to it.
   * @throws the plugin's error
   */
  async reopenTicks(): Promise<void> {
    const client = this.#client
    if (!client?.ticks) return
    await client.ticks.open((tick) => this.#listeners?.onTick(tick))
    if (client === this.#client) this.#listeners?.onConnected(client)
  }

  /**
   * Returns milliseconds since the last data on the price feed's connection; undefined if it has no
   * heartbeat.
   */
  feedSilentMs(): number | undefined {
    return this.#client?.ticks?.silentMs?.()
  }

  /** Returns whether the broker refused the session of the price feed, so that only a new sign-in helps. */
  feedRefused(): boolean {
    return this.#client?.ticks?.refused?.() ?? false
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lingering].map((client) => this.#release(client)))
    await this.#ending
    await this.#disconnect()
  }

  /** The broker refuses the session of a client. A client that is not connected any more changes nothing. */
  #onRefused(client: BrokerClient | undefined, { message }: BrokerError): void {
    if (client === undefined || client !== this.#client) return
    const name = this.manifest().displayName
    const words = message.replace(/\.?$/, '.')
    this.#endSession({
      cause: 'refused',
      message: `${name} refuses it: ${words}`,
      at: this.#options.clock.now(),
    })
  }

  /**
   * Asks the broker whether it still accepts the session, because a socket refused it. A socket also refuses who has no
   * right to prices, and orders work without them. The refusal of a call ends the session.
   */
  async #prove(client: BrokerClient | undefined): Promise<void> {
    if (client !== undefined && client === this.#client) await client.orders.list().catch(() => undefined)
  }

  /** Ends the session of the connected client: nothing is sent with it any more, now and after a restart. */
  #endSession(end: SessionEnd): void {
    const [broker, calls, client, session] = [this.#active, this.#calls, this.#client, this.#session]
    if (!client || !session) return
    const { log } = this.#options
    this.#client = undefined
    this.#session = undefined
    this.#watch.note(end)
    log.error('broker.session_ended', { broker, cause: end.cause, message: end.message })
    this.#listeners?.onSession?.(this.sessionStatus())
    // An order that waits for its answer would be in doubt if its connection closed now.
    this.#lingering.add(client)
    void calls?.idle().then(() => this.#release(client))
    this.#ending = this.#queued(() => this.#storeEnd(broker, session, end))
  }

  async #release(client: BrokerClient): Promise<void> {
    if (!this.#lingering.delete(client)) return
    await this.#closeClient(client)
  }

  #queued<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(change)
    this.#changes = changed.catch(() => undefined)
    return changed
  }

  async #resume(): Promise<void> {
    const plugin = this.#find(this.#active)
    if (!plugin) {
      this.#options.log.error('broker.missing', { broker: this.#active, message: MISSING })
      return
    }
    const needsNoCredentials = plugin.manifest.credentialFields.length === 0
    const session =
      (await this.#storedSession()) ??
      (needsNoCredentials ? await this.#signInWithoutCredentials(plugin) : undefined)
    if (!session) {
      const end = await this.#storedEnd()
      if (end) this.#watch.note(end)
      this.#hasEndedUnnoticed = end !== undefined && (await this.#store.end(this.#active)) === undefined
      return
    }
    // The service still starts, so that the user sees the reason and can choose another broker.
    await this.#connect(session).catch((error: unknown) => {
      this.#options.log.error('broker.connect_failed', { broker: this.#active, error: messageOf(error) })
    })
  }

  /** Returns the stored session of the active broker while it is valid. */
  async #storedSession(): Promise<BrokerSession | undefined> {
    return (await this.#storedEnd()) ? undefined : this.#store.session(this.#active)
  }

  /** Returns how the stored session of the active broker ended: as it was noted, or at its hour meanwhile. */
  async #storedEnd(): Promise<SessionEnd | undefined> {
    const noted = await this.#store.end(this.#active)
    if (noted) return noted
    const expiresAt = (await this.#store.session(this.#active))?.expiresAt
    return expiresAt !== undefined && expiresAt <= this.#options.clock.now() ? expiryOf(expiresAt) : undefined
  }

  /** @throws ServiceError with the broker's name and error text */
  async #signInWithoutCredentials({ auth, manifest }: BrokerPlugin): Promise<BrokerSession> {
    try {
      return await auth.login({}, this.context())
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error
      throw serviceErrorFor(error, `Signing in to ${manifest.displayName} failed: ${error.message}`)
    }
  }

  async #connect(session: BrokerSession): Promise<void> {
    const id = this.#active
    const client = await this.#open(session).catch((error: unknown) => {
      this.#refusal = refusalOf(error)
      throw error
    })
    this.#session = session
    this.#client = client
    this.#watch.begin(session, (end) => this.#endSession(end))
    await this.#openFeed(client, async () =>
      client.orderEvents?.open((order) => this.#listeners?.onOrderUpdate(id, order)),
    )
    await this.#openFeed(client, async () => client.ticks?.open((tick) => this.#listeners?.onTick(tick)))
    if (client === this.#client) this.#listeners?.onConnected(client)
  }

  /** Connects the active plugin and waits until its client can be used. Closes a client that fails. */
  async #open(session: BrokerSession): Promise<BrokerClient> {
    const plugin = this.#plugin(this.#active)
    let client: BrokerClient | undefined
    const onRefused = (error: BrokerError) => this.#onRefused(client, error)
    this.#calls = new CallWatch(plugin.manifest.displayName, this.#options.clock, this.callCounts, onRefused)
    const context = this.context(this.#active, () => void this.#prove(client))
    client = this.#calls.watched(plugin.connect(session, context))
    await client.ready?.().catch(async (error: unknown) => {
      await client.close().catch(() => undefined)
      throw error
    })
    return client
  }

  /**
   * Opens a feed. If that fails, it retries in the background with growing delays, because orders work
   * without it. A feed with a refused token is not retried until the next log-in.
   */
  async #openFeed(client: BrokerClient, open: () => Promise<void>, attempt = 0): Promise<void> {
    const { clock, log } = this.#options
    try {
      await open()
      if (attempt > 0 && client === this.#client) this.#listeners?.onConnected(client)
    } catch (error) {
      log.warn('broker.feed_failed', { broker: this.#active, attempt, error: messageOf(error) })
      if (isSessionRefusal(error)) await this.#prove(client)
      if (error instanceof BrokerError && (error.kind === 'auth' || error.kind === 'permission')) return
      const delay = FEED_RETRY_DELAYS_MS[Math.min(attempt, FEED_RETRY_DELAYS_MS.length - 1)] ?? 0
      clock.setTimeout(() => {
        if (client === this.#client) void this.#openFeed(client, open, attempt + 1)
      }, delay)
    }
  }

  async #disconnect(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#session = undefined
    this.#refusal = undefined
    this.#calls = undefined
    this.#watch.clear()
    if (client) await this.#closeClient(client)
  }

  async #closeClient(client: BrokerClient): Promise<void> {
    await client
      .close()
      .catch((error: unknown) => this.#options.log.warn('broker_close_failed', { error: messageOf(error) }))
  }

  #find(id: string): BrokerPlugin | undefined {
    return this.#options.plugins.find(({ manifest }) => manifest.id === id)
  }

  #plugin(id: string): BrokerPlugin {
    const plugin = this.#find(id)
    if (!plugin) throw new ServiceError('broker_missing', MISSING)
    return plugin
  }
}

/** Returns the words of an error and the next step, because the service does not retry by itself. */
function refusalOf(error: unknown): string {
  const reason = messageOf(error).replace(/\.?$/, '.')
  return `${reason} The service does not reconnect automatically. Reconnect with: svc broker login`
}

/** Converts a plugin's error to the service's error, for everything except orders. */
export function brokerFailure(error: unknown): unknown {
  return error instanceof BrokerError ? serviceErrorFor(error, error.message) : error
}
