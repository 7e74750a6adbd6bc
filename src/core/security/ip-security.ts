import { messageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { type Database, SerialQueue } from '../storage/index.js'
import { type Clock, HOUR_MS, type Timer } from '../time/index.js'
import { addressGroup, clientAddress, isLoopbackAddress } from './address.js'
import type { AddressSet } from './address-set.js'
import { BanList } from './ban-list.js'
import { BanStore } from './ban-store.js'
import { type Ban, type BanRules, type BanSource, type Offences, WINDOW_MS } from './schema.js'
import { Tracker } from './tracker.js'
import { TRACKER_TABLES, TrackerStore } from './tracker-store.js'

/** Changes of the trackers are stored together, this often. */
const FLUSH_MS = 1000
const SWEEP_MS = 10 * 60_000
/** An ended ban counts for a repeat offender this long. */
const HISTORY_MS = 90 * 24 * HOUR_MS
const MAX_LOADED = 5000
/** Bans stored per transaction, so that an order never waits long for the writer. */
const BANS_A_WRITE = 500
const MAX_PATHS = 50
/** The specification's bound. A key that is no longer among them counts again. */
const MAX_KEYS = 20
/** The digits of a key's SHA-256 that are kept: enough to tell keys apart. */
const DIGEST_DIGITS = 16
/** Paths that browsers request by themselves. */
const UNCOUNTED_PATHS = [
  '/favicon',
  '/robots.txt',
  '/sitemap',
  '/manifest',
  '/sw.js',
  '/.well-known',
  '/apple-touch-icon',
  '/service-worker',
  '/workbox',
]

interface IpSecurityOptions {
  /** Bans are kept with the other records that must not be lost. */
  svc: Database
  /** The trackers are in the logs database: they may be lost, and nobody waits for them. */
  logs: Database
  clock: Clock
  log: Logger
  rules: () => BanRules
  /** The addresses of the owner, which are never banned. */
  owners: AddressSet
}

/** A ban that a person orders. */
export interface BanOrder {
  reason: string
  /** Null for a permanent ban. */
  hours: number | null
  source: Extract<BanSource, 'manual' | 'host_ban'>
}

/**
 * The bans of client addresses, and the trackers that ban automatically. A ban is in force at once, and also
 * after a restart. An IPv6 address stands for its /64 network. Loopback is never banned.
 */
export class IpSecurity {
  readonly bans: BanList
  readonly #options: IpSecurityOptions
  readonly #banStore: BanStore
  readonly #missingPaths: Tracked
  readonly #invalidKeys: Tracked
  readonly #listeners = new Set<(address: string) => void>()
  /** Automatic bans that are not stored yet. */
  readonly #unsaved = new Map<string, Ban>()
  readonly #timers: readonly Timer[]
  /** Changes of the bans in memory and in the store happen in the same order. */
  readonly #changes = new SerialQueue()
  #saving: Promise<void> = Promise.resolve()
  #flushTimer: Timer | undefined
  #isClosed = false

  private constructor(
    options: IpSecurityOptions,
    parts: { bans: BanList; banStore: BanStore; missingPaths: Tracked; invalidKeys: Tracked },
  ) {
    this.#options = options
    this.bans = parts.bans
    this.#banStore = parts.banStore
    this.#missingPaths = parts.missingPaths
    this.#invalidKeys = parts.invalidKeys
    this.#timers = [options.clock.setInterval(() => this.#sweep(), SWEEP_MS)]
  }

  static async open(options: IpSecurityOptions): Promise<IpSecurity> {
    const { svc, logs, clock, owners } = options
    const banStore = new BanStore(svc)
    const [bans, missingPaths, invalidKeys] = await Promise.all([
      banStore.load(),
      openTracker(new TrackerStore(logs, TRACKER_TABLES.missingPaths), {
        clock,
        maxDetails: MAX_PATHS,
        countsDistinct: false,
      }),
      // One key that is out of date, sent again and again by a bot of the owner, is one offence.
      openTracker(new TrackerStore(logs, TRACKER_TABLES.invalidKeys), {
        clock,
        maxDetails: MAX_KEYS,
        countsDistinct: true,
      }),
    ])
    return new IpSecurity(options, {
      bans: new BanList(bans, clock, owners),
      banStore,
      missingPaths,
      invalidKeys,
    })
  }

  /** Calls back with each client that becomes banned, so that its connections can be closed. */
  onBanned(listener: (group: string) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Bans a client. A ban that it has already is replaced.
   * @throws ServiceError `refused` for an address of this machine or of the owner
   */
  async ban(address: string, order: BanOrder): Promise<Ban> {
    const group = this.#bannableGroup(address)
    return this.#changes.run(async () => {
      const ban = this.#ordered(group, order)
      await this.#banNow([ban])
      return ban
    })
  }

  /**
   * Bans many clients, with few transactions. After a failure the first of them may be banned.
   * @throws like {@link ban}
   */
  async banAll(addresses: readonly string[], order: BanOrder): Promise<void> {
    const groups = [...new Set(addresses.map((address) => this.#bannableGroup(address)))]
    for (let from = 0; from < groups.length; from += BANS_A_WRITE) {
      const some = groups.slice(from, from + BANS_A_WRITE)
      await this.#changes.run(() => this.#banNow(some.map((group) => this.#ordered(group, order))))
    }
  }

  /** Returns whether an address is one of OWNER_ADDRESSES. @param address in its canonical form */
  isOwners(address: string): boolean {
    return this.#options.owners.has(address)
  }

  /** Returns when a ban that is ordered now ends; null for a permanent one. */
  endOf({ hours }: Pick<BanOrder, 'hours'>): number | null {
    return hours === null ? null : this.#options.clock.now() + hours * HOUR_MS
  }

  /** Ends a ban and forgets it. @returns whether the client was banned */
  async unban(address: string): Promise<boolean> {
    // Earlier versions could ban texts that are no address.
    const group = this.bans.isListed(address) ? address : addressGroup(clientIn(address))
    return this.#changes.run(async () => {
      if (!this.bans.isListed(group)) return false
      await this.#banStore.remove([group])
      this.#unsaved.delete(group)
      this.bans.delete(group)
      this.#options.log.info('security.unbanned', { address: group })
      return true
    })
  }

  /** Counts a request for a path that does not exist. @param address in its canonical form */
  addMissingPath(address: string, path: string): void {
    if (UNCOUNTED_PATHS.some((prefix) => path.startsWith(prefix))) return
    const { security404Threshold: threshold, security404BanDuration: hours } = this.#options.rules()
    this.#count(this.#missingPaths, address, path, { threshold, hours, source: '404_detector' })
  }

  /** Counts an invalid API key. @param address in its canonical form @param digest SHA-256, hex */
  addInvalidKey(address: string, digest: string): void {
    const { securityApiThreshold: threshold, securityApiBanDuration: hours } = this.#options.rules()
    const detail = digest.slice(0, DIGEST_DIGITS)
    this.#count(this.#invalidKeys, address, detail, { threshold, hours, source: 'api_key_detector' })
  }

  /** Forgets the 404s of a client. @returns whether there were any */
  clear404(address: string): boolean {
    const hadAny = this.#missingPaths.tracker.clear(addressGroup(clientIn(address)))
    this.#flushSoon()
    return hadAny
  }

  /** Returns the clients that requested missing paths, and those that sent invalid keys. */
  offences(): { missingPaths: Offences[]; invalidKeys: Offences[] } {
    return {
      missingPaths: this.#missingPaths.tracker.list(),
      invalidKeys: this.#invalidKeys.tracker.list(),
    }
  }

  /** Stores all that is not stored yet. A failure is logged and tried again later. */
  flush(): Promise<void> {
    this.#options.clock.clear(this.#flushTimer)
    this.#flushTimer = undefined
    this.#saving = this.#saving.then(() => this.#store())
    return this.#saving
  }

  /** Stops the timers and stores the rest. The caller closes the databases. */
  close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) this.#options.clock.clear(timer)
    return this.flush()
  }

  /** Returns the group of an address. @throws ServiceError `refused` for an address of this machine or of the owner */
  #bannableGroup(address: string): string {
    const client = clientIn(address)
    if (isLoopbackAddress(client)) throw new ServiceError('refused', 'Cannot ban localhost')
    if (this.isOwners(client)) throw new ServiceError('refused', 'Cannot ban an address of OWNER_ADDRESSES')
    return addressGroup(client)
  }

  #ordered(group: string, order: BanOrder): Ban {
    return {
      address: group,
      reason: order.reason.slice(0, 200),
      count: (this.bans.get(group)?.count ?? 0) + 1,
      bannedAt: this.#options.clock.now(),
      expiresAt: this.endOf(order),
      source: order.source,
    }
  }

  /** Stores bans and enforces them. They replace automatic bans, also those that begin during the write. */
  async #banNow(bans: readonly Ban[]): Promise<void> {
    await this.#banStore.save(bans)
    for (const ban of bans) {
      this.#unsaved.delete(ban.address)
      this.#enforce(ban)
    }
  }

  #count(
    { tracker }: Tracked,
    address: string,
    detail: string,
    { threshold, hours, source }: { threshold: number; hours: number; source: AutomaticSource },
  ): void {
    const group = addressGroup(address)
    if (isLoopbackAddress(address) || this.isOwners(address) || this.bans.isBanned(address)) return
    const offences = tracker.add(group, detail)
    if (!offences) return
    this.#flushSoon()
    if (!this.#options.rules().securityAutoBanEnabled || offences.count < threshold) return
    tracker.clear(group)
    this.#banAutomatically(group, { reason: reasonOf(source, offences.count), hours, source })
  }

  #banAutomatically(
    group: string,
    { reason, hours, source }: { reason: string; hours: number; source: AutomaticSource },
  ): void {
    const now = this.#options.clock.now()
    const count = (this.bans.get(group)?.count ?? 0) + 1
    const isPermanent = hours === 0 || count >= this.#options.rules().securityRepeatOffenderLimit
    const expiresAt = isPermanent ? null : now + hours * HOUR_MS
    const ban: Ban = { address: group, reason, count, bannedAt: now, expiresAt, source }
    this.#unsaved.set(group, ban)
    this.#enforce(ban)
    // Other changes may wait for a second, but not a ban: an attacker must not escape it by crashing the service.
    void this.flush()
  }

  #enforce(ban: Ban): void {
    const evicted = this.bans.set(ban)
    if (evicted) void this.#forget([evicted.address])
    const { address, reason, expiresAt } = ban
    this.#options.log.warn('security.banned', { address, reason, expires_at: expiresAt })
    for (const listener of this.#listeners) {
      try {
        listener(address)
      } catch (error) {
        this.#options.log.error('security.listener_failed', { reason: messageOf(error) })
      }
    }
  }

  #flushSoon(): void {
    if (this.#isClosed) return
    this.#flushTimer ??= this.#options.clock.setTimeout(() => void this.flush(), FLUSH_MS)
  }

  async #store(): Promise<void> {
    await this.#changes.run(() => this.#storeBans()).catch((error: unknown) => this.#failed(error))
    for (const { tracker, store } of [this.#missingPaths, this.#invalidKeys]) {
      const changes = tracker.takeChanges()
      await store.store(changes.stored, changes.removed).catch((error: unknown) => {
        tracker.giveBack(changes)
        this.#failed(error)
      })
    }
  }

  async #storeBans(): Promise<void> {
    const bans = [...this.#unsaved.values()]
    if (bans.length === 0) return
    await this.#banStore.save(bans)
    // A ban that was replaced meanwhile is still to be stored.
    for (const ban of bans) if (this.#unsaved.get(ban.address) === ban) this.#unsaved.delete(ban.address)
  }

  #failed(error: unknown): void {
    this.#options.log.error('security.not_stored', { reason: messageOf(error) })
    this.#flushSoon()
  }

  #sweep(): void {
    this.#missingPaths.tracker.sweep()
    this.#invalidKeys.tracker.sweep()
    this.#flushSoon()
    const old = this.bans.endedBefore(this.#options.clock.ago(HISTORY_MS))
    for (const address of old) this.bans.delete(address)
    if (old.length > 0) void this.#forget(old)
  }

  #forget(addresses: readonly string[]): Promise<void> {
    return this.#banStore.remove(addresses).catch((error: unknown) => this.#failed(error))
  }
}

type AutomaticSource = Exclude<BanSource, BanOrder['source']>

interface Tracked {
  tracker: Tracker
  store: TrackerStore
}

async function openTracker(
  store: TrackerStore,
  options: ConstructorParameters<typeof Tracker>[1],
): Promise<Tracked> {
  const since = options.clock.ago(WINDOW_MS)
  await store.removeBefore(since)
  return { store, tracker: new Tracker(await store.load(since, MAX_LOADED), options) }
}

/** @throws ServiceError `validation` for a text that is neither an address nor a network of the list of bans */
function clientIn(text: string): string {
  const address = clientAddress(text)
  if (address === undefined) throw new ServiceError('validation', 'Invalid IP address format')
  return address
}

function reasonOf(source: AutomaticSource, count: number): string {
  return source === '404_detector'
    ? `Exceeded 404 threshold: ${count} errors in 24 hours`
    : `Exceeded invalid API key threshold: ${count} attempts in 24 hours`
}
