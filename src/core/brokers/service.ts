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
  BROKER_ERROR_CODES,
  BROKER_ERROR_STATUS,
  type BrokerClient,
  type BrokerContext,
  BrokerError,
  type BrokerManifest,
  type BrokerOrder,
  type BrokerPlugin,
  type BrokerSession,
} from './broker.js'
import { CallBudget } from './call-budget.js'
import { BrokerStore } from './store.js'

export interface BrokerServiceOptions {
  db: Database
  clock: Clock
  secrets: SecretBox
  plugins: readonly BrokerPlugin[]
  /** Where plugins keep their own state, one folder each. */
  stateDir: string
  /** Base URLs by plugin and name, for fake servers. */
  endpoints: Readonly<Record<string, Readonly<Record<string, string>>>>
  instruments: () => InstrumentDirectory
  log: Logger
}

/** Who hears what the connected broker tells. */
export interface BrokerListeners {
  onTick(tick: Tick): void
  onOrderUpdate(broker: string, order: BrokerOrder): void
  /** Each newly connected client, and one whose feed has come back: price subscriptions move to it. */
  onConnected(client: BrokerClient): void
}

export const DEFAULT_BROKER = 'simulated'

/** Specification, "Errors". */
const MISSING = 'Broker-specific module not found'

/** Waits before the second, third, … attempt to open a feed; the last one repeats. */
const FEED_RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const

/**
 * The broker account this installation trades through: which plugin is active, its session, its connected
 * client. One account desk, one active broker.
 */
export class BrokerService {
  readonly #options: BrokerServiceOptions
  readonly #store: BrokerStore
  #active = DEFAULT_BROKER
  #session: BrokerSession | undefined
  #client: BrokerClient | undefined
  #listeners: BrokerListeners | undefined
  /** By broker: what was sent through one does not count at another. */
  readonly #orderBudgets = new Map<string, CallBudget>()
  /** Changes of broker and session run one after another: two at once would leave a connection nobody closes. */
  #changes: Promise<unknown> = Promise.resolve()

  private constructor(options: BrokerServiceOptions) {
    this.#options = options
    this.#store = new BrokerStore(options.db, options.secrets)
  }

  /** Reads which broker is active. */
  static async open(options: BrokerServiceOptions): Promise<BrokerService> {
    const service = new BrokerService(options)
    service.#active = (await service.#store.active()) ?? DEFAULT_BROKER
    return service
  }

  /**
   * Connects the active broker if it has a session (the simulated one always does), once somebody listens. One
   * without a plugin is logged and left alone: whoever starts without it must be able to choose another.
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

  /** The whole session, for the plugin itself; it holds the access token. */
  currentSession(): BrokerSession | undefined {
    return this.#session
  }

  list(): { manifest: BrokerManifest; active: boolean }[] {
    return this.#options.plugins.map(({ manifest }) => ({ manifest, active: manifest.id === this.#active }))
  }

  manifest(): BrokerManifest {
    return this.#plugin(this.#active).manifest
  }

  plugin(): BrokerPlugin {
    return this.#plugin(this.#active)
  }

  /**
   * The parser of a broker's own instrument dump format, whichever broker is active.
   * @throws ServiceError `validation` for a format that no plugin reads
   */
  dumpParser(format: string): DumpParser {
    const dump = this.#options.plugins.find(({ instruments }) => instruments.dump?.format === format)
      ?.instruments.dump
    if (!dump)
      throw new ServiceError('validation', `No broker plugin reads instrument dumps in the format ${format}.`)
    return dump.parse
  }

  connected(): boolean {
    return this.#client !== undefined
  }

  /** Whether this installation has a plugin for the active broker. Without one, only another can be used. */
  available(): boolean {
    return this.#find(this.#active) !== undefined
  }

  /**
   * The connected client.
   * @throws ServiceError `broker_missing` (404) without a plugin, `forbidden` (403) without a broker session
   */
  client(): BrokerClient {
    if (this.#client) return this.#client
    const { manifest } = this.#plugin(this.#active)
    throw new ServiceError(
      'forbidden',
      `The ${manifest.displayName} session is missing or has ended. Sign in with: svc broker login`,
    )
  }

  /**
   * Resolves when the broker's limits let one more order call leave (an urgent one before the others).
   * @throws ServiceError `rate_limited` (429) when that would be too late
   */
  orderTurn(urgent = false): Promise<void> {
    const id = this.#active
    let budget = this.#orderBudgets.get(id)
    if (!budget) {
      budget = new CallBudget(this.manifest().rateLimits.order ?? [], this.#options.clock)
      this.#orderBudgets.set(id, budget)
    }
    return budget.take(urgent)
  }

  context(id: string = this.#active): BrokerContext {
    const { clock, endpoints, instruments, log, stateDir } = this.#options
    const dir = join(stateDir, id)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return {
      clock,
      endpoints: endpoints[id] ?? {},
      get instruments() {
        return instruments()
      },
      log: withFields(log, { broker: id }),
      stateDir: dir,
    }
  }

  /** Makes another broker the active one. Its own session, if it still has one, is taken up. */
  async use(id: string): Promise<void> {
    this.#plugin(id)
    return this.#inTurn(async () => {
      if (id === this.#active && this.#client) return
      await this.#disconnect()
      await this.#store.use(id, this.#options.clock.now())
      this.#active = id
      await this.#resume()
    })
  }

  /** Signs in to the active broker with the fields its manifest asks for. */
  login(fields: Readonly<Record<string, string>>): Promise<void> {
    return this.#inTurn(() => this.#login(fields))
  }

  async #login(fields: Readonly<Record<string, string>>): Promise<void> {
    const plugin = this.#plugin(this.#active)
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
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  logout(): Promise<void> {
    return this.#inTurn(async () => {
      const plugin = this.#plugin(this.#active)
      const session = this.#session
      await this.#disconnect()
      await this.#store.saveSession(this.#active, undefined, this.#options.clock.now())
      if (session) await plugin.auth.logout?.(session, this.context()).catch(() => undefined)
    })
  }

  /**
   * Opens the price feed of the connected client anew and moves the price subscriptions to it, for a feed that
   * has fallen silent. @throws what the plugin failed with
   */
  async reopenTicks(): Promise<void> {
    const client = this.#client
    if (!client?.ticks) return
    await client.ticks.open((tick) => this.#listeners?.onTick(tick))
    if (client === this.#client) this.#listeners?.onConnected(client)
  }

  async close(): Promise<void> {
    await this.#disconnect()
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
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
    const now = this.#options.clock.now()
    const stored = await this.#store.session(this.#active)
    const alive = stored && (stored.expiresAt === undefined || stored.expiresAt > now)
    const needsNobody = plugin.manifest.credentialFields.length === 0
    const session = alive ? stored : needsNobody ? await plugin.auth.login({}, this.context()) : undefined
    if (session) await this.#connect(session)
  }

  async #connect(session: BrokerSession): Promise<void> {
    const id = this.#active
    const client = this.#plugin(id).connect(session, this.context())
    this.#session = session
    this.#client = client
    await this.#openFeed(client, async () =>
      client.orderEvents?.open((order) => this.#listeners?.onOrderUpdate(id, order)),
    )
    await this.#openFeed(client, async () => client.ticks?.open((tick) => this.#listeners?.onTick(tick)))
    this.#listeners?.onConnected(client)
  }

  /**
   * Opens a feed, or goes on trying in the background with growing waits: orders can be placed without it. A
   * refused token is left alone until the next log-in (contract, market stream section 7).
   */
  async #openFeed(client: BrokerClient, open: () => Promise<void>, attempt = 0): Promise<void> {
    const { clock, log } = this.#options
    try {
      await open()
      if (attempt > 0 && client === this.#client) this.#listeners?.onConnected(client)
    } catch (error) {
      log.warn('broker.feed_failed', { broker: this.#active, attempt, error: messageOf(error) })
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
    await client
      ?.close()
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

/** A plugin's error as the service's own, for everything that is not an order. */
export function brokerFailure(error: unknown): unknown {
  if (!(error instanceof BrokerError)) return error
  const { httpStatus = 0, kind, message, retryAfterMs } = error
  return new ServiceError(BROKER_ERROR_CODES[kind], message, {
    httpStatus: httpStatus >= 400 && httpStatus <= 599 ? httpStatus : BROKER_ERROR_STATUS[kind],
    ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
  })
}
