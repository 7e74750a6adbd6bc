import { basename } from 'node:path'
import type { HealthMonitor } from '../core/health/index.js'
import { randomHex } from '../core/secrets/index.js'
import { AllowedHosts } from './http/admission/allowed-hosts.js'
import { ClientBans } from './http/admission/client-bans.js'
import { TrustedProxies } from './http/client.js'
import { Metrics } from './metrics/metrics.js'
import { healthMonitor } from './process/health-monitor.js'
import type { SetupToken } from './process/setup-token.js'
import type { Service } from './service.js'
import type { EventSockets } from './stream/event-socket.js'
import type { MarketSockets } from './stream/market/socket.js'
import { MarketStream } from './stream/market/stream.js'
import { strategyRooms } from './stream/strategies/open.js'
import type { StrategyRooms } from './stream/strategies/rooms.js'
import { Tickets } from './stream/tickets.js'

/** The parts of the service and the process that serves it. The functions of operations take this. */
export type RunningService = Service & { readonly daemon: Daemon }

/** The running daemon as its routes see it: the service, and the state of its process. */
export class Daemon {
  readonly tickets: Tickets
  readonly proxies: TrustedProxies
  readonly allowedHosts: AllowedHosts
  readonly clientBans: ClientBans
  readonly marketStream: MarketStream
  readonly strategyRooms: StrategyRooms
  readonly health: HealthMonitor
  readonly metrics: Metrics
  /** The service as the functions of operations take it. */
  readonly running: RunningService
  url = ''
  /** The URL of the market stream on its own port. */
  wsUrl = ''
  eventsUrl = ''
  #ready = false
  /** True from the end of recovery on, also while the daemon stops. */
  #recovered = false
  #sockets: EventSockets | undefined
  #apiReference: (() => Promise<string>) | undefined
  #marketSockets: MarketSockets | undefined
  /** Set until the first user exists. */
  setupToken: SetupToken | undefined
  readonly #startedAt: number
  readonly #requestPrefix = randomHex(4)
  #requests = 0

  constructor(readonly service: Service) {
    this.proxies = new TrustedProxies(service.config)
    this.clientBans = new ClientBans(service.security, this.proxies, service.clock)
    this.allowedHosts = new AllowedHosts(service.config, () => {
      const { enabled, publicUrl } = service.mcp.settings()
      return enabled ? publicUrl : ''
    })
    this.tickets = new Tickets(service.clock)
    this.marketStream = new MarketStream(service)
    this.strategyRooms = strategyRooms(service)
    this.health = healthMonitor(service, () => ({
      events: this.eventClients(),
      market: this.marketClients().open,
    }))
    this.metrics = new Metrics(service, this)
    this.#startedAt = service.clock.monotonic()
    this.running = { ...service, daemon: this }
  }

  ready(): boolean {
    return this.#ready
  }

  /**
   * Returns the path of a database file, of the service or of the broker plugin, that was removed or replaced
   * since the start. Nothing is stored then.
   */
  missingFile(): string | undefined {
    for (const database of Object.values(this.service.databases)) {
      const path = database.missing()
      if (path !== undefined) return path
    }
    return this.service.brokers.missingFile()
  }

  /**
   * Returns why orders cannot be stored, without details that an anonymous caller must not see; undefined if
   * they can. Nobody waits for the rows of `logs.db`, so a failing one does not count.
   */
  storageFault(): string | undefined {
    const missing = this.missingFile()
    if (missing !== undefined) return `${basename(missing)} was removed or replaced`
    const { sandbox, svc } = this.service.databases
    const failing = [svc, sandbox].find((database) => database.failing)
    return failing && `${basename(failing.file)} cannot be written: the disk is full or failing`
  }

  /**
   * Returns whether an order would reach its market now: in Live mode that needs a broker session, from an address that the
   * broker takes orders from.
   */
  readyForOrders(): boolean {
    const { brokers, mode } = this.service
    if (!this.accepts()) return false
    return mode() === 'analyze' || (brokers.connected() && brokers.sessionStatus().state !== 'ip_not_allowed')
  }

  /** Returns whether requests are accepted and can be stored. */
  accepts(): boolean {
    return this.#ready && this.storageFault() === undefined
  }

  setReady(ready: boolean): void {
    this.#ready = ready
    this.#recovered ||= ready
  }

  attachSockets(sockets: EventSockets, marketSockets: MarketSockets): void {
    this.#sockets = sockets
    this.#marketSockets = marketSockets
  }

  /** @param reference returns the OpenAPI document as JSON */
  attachApiReference(reference: () => Promise<string>): void {
    this.#apiReference = reference
  }

  /** Returns the OpenAPI document as JSON. */
  async apiReference(): Promise<string> {
    if (!this.#apiReference) throw new Error('no operation is mounted')
    return this.#apiReference()
  }

  eventClients(): number {
    return this.#sockets?.count ?? 0
  }

  /** Returns the number of clients of the market stream. */
  marketClients(): { open: number; signedIn: number } {
    return { open: this.#marketSockets?.count ?? 0, signedIn: this.#marketSockets?.signedIn ?? 0 }
  }

  uptimeMs(): number {
    return this.service.clock.monotonic() - this.#startedAt
  }

  /** Returns the readiness checks, without details that an anonymous caller must not see. */
  checks() {
    const { brokers, instruments } = this.service
    return {
      recovery: this.#recovered ? 'done' : 'pending',
      requests: this.accepts() ? 'accepted' : 'refused',
      broker: brokers.connected() ? 'connected' : 'disconnected',
      session: brokers.sessionStatus().state,
      instruments: instruments.directory.count,
      storage: this.storageFault() ?? 'ok',
    } as const
  }

  /** Returns a request id that is unique across restarts, and cheap to make. */
  newRequestId(): string {
    this.#requests += 1
    return `${this.#requestPrefix}-${this.#requests.toString(36)}`
  }
}
