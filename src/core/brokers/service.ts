import { ServiceError } from '../errors/index.js'
import type { DumpParser } from '../instruments/schema.js'
import type { SecretBox } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import { StrategyAlgos } from './algos/algos.js'
import type { CredentialValues } from './auth.js'
import {
  type BrokerClient,
  type BrokerContext,
  type BrokerManifest,
  type BrokerOrder,
  type BrokerPlugin,
  type BrokerSession,
  brokerFailure,
  type CallRank,
} from './broker.js'
import { BrokerBudgets } from './broker-budgets.js'
import { CallCounts } from './call-counts.js'
import type { FailedCall } from './call-watch.js'
import type { BudgetStats } from './kit/budget/call-budget.js'
import type { CallBudgets } from './kit/budget/call-budgets.js'
import { ORDER_CLASS } from './kit/budget/limits.js'
import { type ContextSources, pluginContext } from './plugin-context.js'
import { type ListedBroker, MISSING, Plugins } from './plugins.js'
import { CurrentSession, type SessionListeners } from './session/current-session.js'
import { withExtra } from './session/renewal.js'
import { type SessionStatus, SIGN_IN } from './session/session-watch.js'
import { BrokerStore } from './session/store.js'
import { type BegunSignIn, BrowserSignIns } from './sign-in/browser-sign-ins.js'
import type { ConfiguredCredentials } from './sign-in/configured-credentials.js'
import type { SignInProgress } from './sign-in/sign-ins.js'

interface BrokerServiceOptions extends ContextSources {
  db: Database
  secrets: SecretBox
  /** The first one is used until somebody chooses another. */
  plugins: readonly [BrokerPlugin, ...BrokerPlugin[]]
  /** Fills in the fields that a log-in leaves out. */
  credentials?: ConfiguredCredentials
}

/**
 * The broker account this installation trades through: the active plugin, its session and its connected
 * client. There is one account and one active broker.
 */
export class BrokerService {
  readonly #options: BrokerServiceOptions
  readonly plugins: Plugins
  readonly #store: BrokerStore
  readonly #current: CurrentSession
  readonly #signIns: BrowserSignIns
  readonly #budgets: BrokerBudgets
  /** The calls to brokers since the start. */
  readonly callCounts = new CallCounts()
  #active: string
  /** Changes of broker and session run one after another. Two at once would leave an open connection behind. */
  #changes: Promise<unknown> = Promise.resolve()

  private constructor(
    options: BrokerServiceOptions,
    /** The algorithms that live orders of strategies are sent under. */
    readonly algos: StrategyAlgos,
  ) {
    const { clock, credentials, db, log, plugins, redirect, secrets } = options
    this.#options = options
    this.#active = plugins[0].manifest.id
    this.plugins = new Plugins(plugins, credentials)
    this.#store = new BrokerStore(db, secrets)
    this.#budgets = new BrokerBudgets(clock, this.plugins)
    this.#signIns = new BrowserSignIns({ clock, secrets, redirect, plugins: this.plugins })
    this.#current = new CurrentSession({
      clock,
      log,
      store: this.#store,
      counts: this.callCounts,
      plugin: () => this.plugin(),
      context: (sessionRefused) => this.context(this.#active, sessionRefused),
      queued: (change) => this.#queued(change),
    })
  }

  /** Loads the active broker. */
  static async open(options: BrokerServiceOptions): Promise<BrokerService> {
    const service = new BrokerService(options, await StrategyAlgos.open(options.db, options.clock))
    service.#active = (await service.#store.active()) ?? service.#active
    return service
  }

  /**
   * Connects the active broker if it has a session (the simulated one always has). A broker without a plugin
   * is only logged, so that the service starts and the user can choose another.
   */
  async start(listeners: SessionListeners): Promise<void> {
    this.#current.listen(listeners)
    await this.#resume()
  }

  get brokerId(): string {
    return this.#active
  }

  get session(): Readonly<Pick<BrokerSession, 'issuedAt' | 'expiresAt' | 'userId'>> | undefined {
    return this.currentSession()
  }

  /** Returns the whole session, including the access token, for the plugin. */
  currentSession(): BrokerSession | undefined {
    return this.#current.connection?.session
  }

  list(): ListedBroker[] {
    return this.plugins.list(this.#active)
  }

  /** Returns the brokers that somebody signed in to here; their sessions may have ended. */
  withSession(): Promise<string[]> {
    return this.#store.withSession()
  }

  /** Returns the base URL of the active broker's API; undefined if it has none, or no plugin. */
  apiUrl(): string | undefined {
    const apiUrl = this.plugins.find(this.#active)?.manifest.apiUrl
    return apiUrl && (this.#options.endpoints[this.#active]?.api ?? apiUrl)
  }

  /** Returns the algorithm of a strategy at the active broker; undefined if it has none, or the broker takes none. */
  algoOf(strategy: string): string | undefined {
    if (!this.manifest().instructions.includes('algo_id')) return undefined
    return this.algos.of(this.#active, strategy)
  }

  /** Returns the name of a broker for people. @throws ServiceError `not_found` for an unknown one that is not in use */
  nameOf(id: string): string {
    if (id !== this.#active) this.plugins.require(id)
    return this.plugins.find(id)?.manifest.displayName ?? id
  }

  manifest(): BrokerManifest {
    return this.plugin().manifest
  }

  plugin(): BrokerPlugin {
    return this.plugins.get(this.#active)
  }

  /** Returns the parser of an instrument dump for the active broker. @throws as {@link Plugins.dumpParser} */
  dumpParser(format?: string): DumpParser {
    return this.plugins.dumpParser(this.#active, format)
  }

  connected(): boolean {
    return this.#current.connection !== undefined
  }

  /** Returns the path of a file of the connected plugin that was removed or replaced while it was open. */
  missingFile(): string | undefined {
    return this.#current.connection?.client.missingFile?.()
  }

  /** Returns the databases that the connected plugin has open. */
  databases(): readonly Database[] {
    return this.#current.connection?.client.databases?.() ?? []
  }

  /** The reason why the broker could not be connected; undefined if only the session is missing. */
  get refusal(): string | undefined {
    return this.#current.refusal
  }

  /** Returns the state of the session at the active broker. */
  sessionStatus(): SessionStatus {
    return { broker: this.#active, ...this.#current.facts(this.#activeName) }
  }

  /** Tells what a start found of the session. Called when everybody listens. */
  async announceSession(): Promise<void> {
    if (this.available()) await this.#current.announceStart()
  }

  /**
   * Ends the session if an error outside of a watched call shows that the broker refuses it.
   * @param session the one that the call was sent with; one that is not in use any more ends nothing
   */
  noteError(error: unknown, session: BrokerSession | undefined): void {
    this.#current.noteError(error, session)
  }

  /** The last call that the connected broker did not serve; undefined if none has failed. */
  get failedCall(): FailedCall | undefined {
    return this.#current.connection?.failedCall
  }

  /**
   * Returns whether this installation has a plugin for the active broker. If not, the user must choose
   * another broker.
   */
  available(): boolean {
    return this.plugins.find(this.#active) !== undefined
  }

  /**
   * Returns the connected client.
   * @throws ServiceError `broker_missing` without a plugin, `forbidden` without a broker session
   */
  client(): BrokerClient {
    const { connection, end, refusal } = this.#current
    if (connection) return connection.client
    const { displayName } = this.manifest()
    if (refusal !== undefined) {
      throw new ServiceError('unavailable', `The ${displayName} is not connected: ${refusal}`)
    }
    const state = end ? `has ended. ${end.message}` : 'is missing or has ended.'
    throw new ServiceError('forbidden', `The ${displayName} session ${state} Sign in with: ${SIGN_IN}`)
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
    return this.#budgets.of(id)
  }

  /** Notes the whole order book of the account: the first one after a start tells how much of the day's limits is used. */
  noteBook(orders: readonly BrokerOrder[]): void {
    this.budgets().noteEarlier(
      ORDER_CLASS,
      orders.map(({ placedAt, timestamp }) => placedAt ?? timestamp),
    )
  }

  /** Returns how orders waited for the call limits, by the broker that they went to since the start. */
  orderBudgets(): readonly (BudgetStats & { broker: string })[] {
    return this.#budgets.orderStats()
  }

  /** Returns the environment of a plugin, by default of the active one. */
  context(id: string = this.#active, sessionRefused?: BrokerContext['sessionRefused']): BrokerContext {
    return pluginContext(this.#options, { id, budgets: this.budgets(id), sessionRefused })
  }

  /**
   * Makes another broker the active one and resumes its session if it still has one.
   * @throws ServiceError `not_found` for an unknown broker
   */
  async use(id: string): Promise<void> {
    this.plugins.require(id)
    return this.#queued(async () => {
      if (id === this.#active && this.connected()) return
      // Stored first: a refused write must not cut the connection to the broker that stays active.
      await this.#store.use(id, this.#options.clock.now())
      await this.#current.disconnect()
      const former = this.#active
      this.#active = id
      // Before it connects: its orders must not meet prices of the other broker, and its first ticks must stay.
      if (id !== former) this.#current.announceBroker(former)
      await this.#resume()
      this.#current.announce()
    })
  }

  /**
   * Connects the active broker with its stored session. A failure is logged, and the broker stays disconnected.
   * @returns whether this call connected it; false without a valid session
   */
  resume(): Promise<boolean> {
    return this.#queued(async () => {
      if (this.connected() || !this.available() || !(await this.#current.canResume())) return false
      // This also clears the reason of an earlier failure.
      await this.#current.disconnect()
      await this.#resume()
      return this.connected()
    })
  }

  /** Signs in to the active broker with the fields of its manifest. */
  login(fields: CredentialValues): Promise<void> {
    return this.#queued(() => this.#login(fields))
  }

  /**
   * Begins a sign-in of a user at the log-in page of the active broker. What they typed stays in memory until the callback.
   * @throws ServiceError `unsupported` if the broker has no such page, `validation` for missing fields
   */
  beginSignIn(user: string, given: CredentialValues): BegunSignIn {
    const plugin = this.plugin()
    const fields = this.plugins.formOf(plugin.manifest).values(given, 'begin')
    try {
      return this.#signIns.begin({ plugin, context: this.context(), user, fields })
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  /**
   * Signs in with the query of a broker's callback.
   * @returns the user who began the sign-in
   * @throws ServiceError that says what to do: for a state that is not good, a person who did not sign in there, and a broker
   * that refuses
   */
  completeSignIn(broker: string, query: Readonly<Record<string, string>>): Promise<string> {
    return this.#signIns.complete(broker, query, (fields) =>
      this.#queued(() => {
        if (broker === this.#active) return this.#login(fields)
        const next = `svc broker use ${broker}, then ${SIGN_IN}`
        throw new ServiceError(
          'conflict',
          `The broker in use is ${this.#activeName} now. Begin again: ${next}`,
        )
      }),
    )
  }

  /** Returns where a sign-in of this user is; undefined if they began none of this id. */
  signInProgress(id: string, user: string): SignInProgress | undefined {
    return this.#signIns.progress(id, user)
  }

  /**
   * Takes an order update that the active broker posted: its order is read, and passed on as an update of the feed.
   * @throws ServiceError `forbidden` if this installation takes none, or its proof is wrong
   */
  takePostback(broker: string, body: string): void {
    const { takesPostbacks } = this.#options
    if (!takesPostbacks || broker !== this.#active || !this.#current.connection?.client.postback) {
      throw new ServiceError('forbidden', 'Order updates are not taken here.')
    }
    this.#current.takePostback(body)
  }

  logout(): Promise<void> {
    return this.#queued(async () => {
      const { auth } = this.plugin()
      const session = this.currentSession()
      await this.#store.saveSession(this.#active, undefined, this.#options.clock.now())
      await this.#current.disconnect()
      this.#current.announce()
      if (session) await auth.logout?.(session, this.context()).catch(() => undefined)
    })
  }

  /**
   * Reconnects the silent price feed of the connected client and moves the price subscriptions to it.
   * @throws the plugin's error
   */
  async reopenTicks(): Promise<void> {
    await this.#current.connection?.reopenTicks()
  }

  /** Returns milliseconds since the last data on the price feed's connection; undefined if it has no heartbeat. */
  feedSilentMs(): number | undefined {
    return this.#current.connection?.client.ticks?.silentMs?.()
  }

  /** Returns whether the broker refused the session of the price feed, so that only a new sign-in helps. */
  feedRefused(): boolean {
    return this.#current.connection?.client.ticks?.refused?.() ?? false
  }

  async close(): Promise<void> {
    this.#signIns.close()
    await this.#current.close()
  }

  get #activeName(): string {
    return this.nameOf(this.#active)
  }

  async #login(given: CredentialValues): Promise<void> {
    const { auth, manifest } = this.plugin()
    const form = this.plugins.formOf(manifest)
    const fields = form.values(given, 'all')
    try {
      const session = withExtra(await auth.complete(fields, this.context()), form.kept(fields))
      await this.#current.begin(session)
      // The broker may have refused the session at a feed meanwhile.
      this.client()
      this.#current.announce()
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  #queued<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(change)
    this.#changes = changed.catch(() => undefined)
    return changed
  }

  async #resume(): Promise<void> {
    if (this.available()) return this.#current.resume()
    this.#options.log.error('broker.missing', { broker: this.#active, message: MISSING })
  }
}
