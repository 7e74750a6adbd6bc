import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import type { BrokerSession } from '../auth.js'
import { BrokerError, type BrokerPlugin, brokerFailure, serviceErrorFor } from '../broker.js'
import type { CallCounts } from '../call-counts.js'
import { type CallListener, isSessionRefusal } from '../call-watch.js'
import { BrokerConnection, type ConnectionListeners } from '../connection.js'
import type { BrokerContext } from '../context.js'
import { PostedOrders } from './posted-orders.js'
import { SessionRenewal } from './renewal.js'
import { type SessionEnd, type SessionStatus, SessionWatch } from './session-watch.js'
import type { BrokerStore } from './store.js'
import { StoredSessions } from './stored-sessions.js'

interface CurrentSessionParts {
  clock: Clock
  log: Logger
  store: BrokerStore
  counts: CallCounts
  /** Returns the plugin of the active broker. @throws ServiceError `broker_missing` */
  plugin(): BrokerPlugin
  context(sessionRefused?: () => void): BrokerContext
  /** Runs a change of broker or session after all earlier ones. */
  queued<T>(change: () => Promise<T>): Promise<T>
}

/** The receivers of the connected broker's events. */
export interface SessionListeners extends ConnectionListeners {
  /** Called whenever the state of the session changes: by a person, by itself, or in its last half hour. */
  onSession?(status: SessionStatus): void
  /**
   * Called when another broker has become the active one, before it connects: prices and sessions are its own from now on.
   * @param former the broker that was active before
   */
  onBrokerChanged?(former: string): void
}

/**
 * The session at the active broker, from a sign-in to its end: the connection that uses it, the hours ahead of it, and what
 * the broker's answers say of it.
 */
export class CurrentSession {
  readonly #parts: CurrentSessionParts
  readonly #stored: StoredSessions
  readonly #watch: SessionWatch
  readonly #posted: PostedOrders
  readonly #renewal: SessionRenewal
  #connection: BrokerConnection | undefined
  #refusal: string | undefined
  #listeners: SessionListeners | undefined
  /** True while nobody was told that the stored session ended: the service was down. */
  #hasEndedUnnoticed = false
  /**
   * The connections of sessions that are over, until their last calls are answered: after a sign-in, a sign-out, a change of
   * broker, or an end by itself.
   */
  readonly #lingering = new Set<BrokerConnection>()
  /** Resolves once the last end of a session is stored. */
  #ending: Promise<void> = Promise.resolve()

  constructor(parts: CurrentSessionParts) {
    this.#parts = parts
    this.#stored = new StoredSessions(parts.store, parts.clock, parts.log)
    this.#watch = new SessionWatch(parts.clock)
    this.#renewal = new SessionRenewal(parts)
    this.#posted = new PostedOrders(parts.log)
  }

  get connection(): BrokerConnection | undefined {
    return this.#connection
  }

  /** The reason why the broker could not be connected; undefined if it is, or if only the session is missing. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /** How the session ended; undefined while one is valid, and after a sign-out. */
  get end(): SessionEnd | undefined {
    return this.#watch.end
  }

  /** Returns the state of the session, in words for a broker of this name. */
  facts(brokerName: string): Omit<SessionStatus, 'broker'> {
    return this.#watch.facts(brokerName)
  }

  listen(listeners: SessionListeners): void {
    this.#listeners = listeners
  }

  /** Tells the listener that another broker is the active one. */
  announceBroker(former: string): void {
    this.#listeners?.onBrokerChanged?.(former)
  }

  /** Tells the listener the state of the session. */
  announce(): void {
    const { displayName, id } = this.#parts.plugin().manifest
    this.#listeners?.onSession?.({ broker: id, ...this.facts(displayName) })
  }

  /**
   * Tells what a start found: a session that ended while the service was down, once (a restart does not tell of it again),
   * and one that is in its last half hour.
   */
  async announceStart(): Promise<void> {
    const { end } = this.#watch
    if (this.#connection && this.facts('').state === 'expires_soon') this.announce()
    if (!this.#hasEndedUnnoticed || end === undefined || this.#connection !== undefined) return
    this.#hasEndedUnnoticed = false
    const { id } = this.#parts.plugin().manifest
    this.#logEnd(id, end)
    this.announce()
    const ended = await this.#stored.ended(id)
    if (ended) await this.#stored.noteEnd(id, ended.session, end)
  }

  /** Stores a new session and connects with it. */
  async begin(session: BrokerSession): Promise<void> {
    const { clock, plugin, store } = this.#parts
    await store.saveSession(plugin().manifest.id, session, clock.now())
    await this.disconnect()
    await this.#connect(session)
  }

  /** Returns whether the stored session is valid. */
  async canResume(): Promise<boolean> {
    return (await this.#stored.valid(this.#parts.plugin().manifest.id)) !== undefined
  }

  /**
   * Connects with the stored session, or with one that needs no person. A failure to connect is logged: the service still
   * starts, so that the user sees the reason and can choose another broker.
   */
  async resume(): Promise<void> {
    const { log, plugin } = this.#parts
    const { id } = plugin().manifest
    const session = (await this.#stored.valid(id)) ?? (await this.#unattended())
    if (typeof session === 'object') {
      return this.#connect(session).catch((error: unknown) => {
        log.error('broker.connect_failed', { broker: id, error: messageOf(error) })
      })
    }
    const ended = await this.#stored.ended(id)
    this.#hasEndedUnnoticed = ended?.isNoted === false
    if (!ended) return
    this.#watch.note(ended.end)
    if (session === 'unreachable') this.#renewLater(ended.session, ended.end)
  }

  /** Takes the connection out of use. One whose calls still wait for their answers closes after the last of them. */
  async disconnect(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    this.#refusal = undefined
    this.#watch.clear()
    if (connection?.isBusy) this.#closeWhenIdle(connection)
    else await connection?.close()
  }

  async close(): Promise<void> {
    await this.#ending
    await this.disconnect()
    await Promise.all([...this.#lingering].map((connection) => this.#release(connection)))
  }

  /** Reads the order that the broker posted an update of, and passes it on. @throws ServiceError `forbidden` without a proof */
  takePostback(body: string): void {
    const connection = this.#connection
    try {
      const orderId = connection?.client.postback?.(body)
      if (connection && orderId !== undefined) void this.#posted.read(connection, orderId)
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  /** Ends this session if it is still in use, and an error outside of a watched call shows that the broker refuses it. */
  noteError(error: unknown, session: BrokerSession | undefined): void {
    // A late refusal says nothing of the session that began meanwhile, which may be at another broker.
    if (session === undefined || session !== this.#connection?.session) return
    if (isSessionRefusal(error)) this.#onRefused(error)
  }

  /** What the answers of the connected broker say of its session. */
  readonly #answers: CallListener = {
    onRefused: (error) => this.#onRefused(error),
    onAddressRefused: ({ message }) => {
      if (!this.#watch.noteAddressRefusal(message)) return
      this.#parts.log.error('broker.address_refused', { broker: this.#connection?.broker, message })
      this.announce()
    },
    onOrderServed: () => {
      if (this.#watch.noteOrderServed()) this.announce()
    },
  }

  #onRefused({ message }: BrokerError): void {
    const { clock, plugin } = this.#parts
    const words = message.replace(/\.?$/, '.')
    this.#end({
      cause: 'refused',
      message: `${plugin().manifest.displayName} refuses it: ${words}`,
      at: clock.now(),
    })
  }

  /** Ends the session at its hour. A broker that renews sessions is asked first, before anybody is told. */
  async #onExpired(end: SessionEnd): Promise<void> {
    const connection = this.#detach(end)
    if (!connection) return
    const tell = () => this.#tellEnd(connection, end)
    if (!this.#renewal.isPossible) return tell()
    await this.#renew(connection.session, end, tell)
  }

  /**
   * Connects with a new session for one that has expired. While the broker cannot be reached, it tries again and again, until
   * somebody signs in or out, or uses another broker.
   * @param onFailure called after this attempt, if it fails
   */
  async #renew(session: BrokerSession, end: SessionEnd, onFailure?: () => void): Promise<void> {
    const renewed = await this.#renewal.renewed(session)
    const { log, plugin, queued } = this.#parts
    await queued(async () => {
      if (this.#watch.end !== end) return
      if (typeof renewed === 'string') {
        onFailure?.()
        if (renewed === 'unreachable') this.#renewLater(session, end)
        return
      }
      await this.begin(renewed)
      this.announce()
    }).catch((error: unknown) => {
      log.error('broker.connect_failed', { broker: plugin().manifest.id, error: messageOf(error) })
    })
  }

  #renewLater(session: BrokerSession, end: SessionEnd): void {
    this.#watch.later(this.#renewal.waitMs, () => void this.#renew(session, end))
  }

  /** Ends the session of the connection: nothing is sent with it any more, now and after a restart. */
  #end(end: SessionEnd): void {
    const connection = this.#detach(end)
    if (connection) this.#tellEnd(connection, end)
  }

  /** Takes the connection out of use. @returns it, or undefined if there is none */
  #detach(end: SessionEnd): BrokerConnection | undefined {
    const connection = this.#connection
    if (!connection) return undefined
    this.#connection = undefined
    this.#watch.note(end)
    this.#closeWhenIdle(connection)
    return connection
  }

  /** An order that waits for its answer would be in doubt if its connection closed now. */
  #closeWhenIdle(connection: BrokerConnection): void {
    connection.retire()
    this.#lingering.add(connection)
    void connection.idle().then(() => this.#release(connection))
  }

  #tellEnd({ broker, session }: BrokerConnection, end: SessionEnd): void {
    this.#logEnd(broker, end)
    this.announce()
    this.#ending = this.#parts.queued(() => this.#stored.noteEnd(broker, session, end))
  }

  #logEnd(broker: string, { cause, message }: SessionEnd): void {
    this.#parts.log.error('broker.session_ended', { broker, cause, message })
  }

  async #release(connection: BrokerConnection): Promise<void> {
    if (this.#lingering.delete(connection)) await connection.close()
  }

  /**
   * Returns a session that needs no person: of a broker without credentials, or one that the broker renews. Undefined if it
   * needs a person, `unreachable` if a later attempt may renew it.
   * @throws ServiceError with the broker's name and error text
   */
  async #unattended(): Promise<BrokerSession | 'unreachable' | undefined> {
    const { clock, context, plugin, store } = this.#parts
    const { auth, manifest } = plugin()
    if (manifest.credentialFields.length > 0) {
      const ended = await this.#stored.ended(manifest.id)
      if (ended?.end.cause !== 'expired') return undefined
      const renewed = await this.#renewal.renewed(ended.session)
      if (typeof renewed === 'object') await store.saveSession(manifest.id, renewed, clock.now())
      return renewed === 'refused' ? undefined : renewed
    }
    try {
      return await auth.complete({}, context())
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error
      throw serviceErrorFor(error, `Signing in to ${manifest.displayName} failed: ${error.message}`)
    }
  }

  async #connect(session: BrokerSession): Promise<void> {
    const { clock, context, counts, log, plugin } = this.#parts
    const connection = new BrokerConnection(plugin(), session, {
      clock,
      log,
      counts,
      context,
      listener: this.#answers,
      listeners: this.#listeners,
      isCurrent: (one) => one === this.#connection,
      isReplaced: ({ broker, session: { userId } }) =>
        userId !== undefined &&
        this.#connection?.broker === broker &&
        this.#connection.session.userId === userId &&
        this.#connection.hearsOrders,
    })
    await connection.ready().catch((error: unknown) => {
      this.#refusal = refusalOf(error)
      throw error
    })
    this.#connection = connection
    this.#watch.begin(session, {
      onSoon: () => this.announce(),
      onExpired: (end) => void this.#onExpired(end),
    })
    await connection.openFeeds()
  }
}

/** Returns the words of an error and the next step, because the service does not retry by itself. */
function refusalOf(error: unknown): string {
  const reason = messageOf(error).replace(/\.?$/, '.')
  return `${reason} The service does not reconnect automatically. Reconnect with: svc broker login`
}
