import type { Clock } from '../time/index.js'
import { type Offences, WINDOW_MS } from './schema.js'

/** The number of clients that a tracker remembers. The client seen least recently makes room. */
const MAX_CLIENTS = 5000
/** The number of removals that wait for a store that fails. The rows of the others end with their window. */
const MAX_REMOVED = 5000
/** The most characters of a detail that are kept. */
const MAX_DETAIL = 120

interface TrackerOptions {
  clock: Clock
  /** The number of distinct details that are kept of a client. */
  maxDetails: number
  /** True if an offence with a detail that is kept already does not count again. */
  countsDistinct: boolean
}

/**
 * Counts the offences of clients, each in a window of 24 hours from its first one. Memory is bounded, however
 * many addresses offend. Changes are collected for the store.
 */
export class Tracker {
  readonly #clients: Map<string, Offences>
  readonly #changed = new Set<string>()
  readonly #removed = new Set<string>()
  /**
   * Where the search for the oldest entry goes on. All entries before it were removed, and a search from the beginning
   * steps over each of them, which took three quarters of the time of an offence while new addresses flood the service.
   */
  readonly #oldestClients: Iterator<string>
  readonly #oldestRemoved = this.#removed.values()

  constructor(
    rows: readonly Offences[],
    private readonly options: TrackerOptions,
  ) {
    this.#clients = new Map(rows.map((row) => [row.address, row]))
    this.#oldestClients = this.#clients.keys()
  }

  /** Adds an offence. @returns the offences of the client, or undefined if this one does not count */
  add(address: string, text: string): Offences | undefined {
    const detail = text.slice(0, MAX_DETAIL)
    const now = this.options.clock.now()
    const known = this.#current(address)
    const isRepeated = known?.details.includes(detail) ?? false
    if (known && isRepeated && this.options.countsDistinct) return undefined
    const details = known?.details ?? []
    const offences: Offences = {
      address,
      count: (known?.count ?? 0) + 1,
      firstAt: known?.firstAt ?? now,
      lastAt: now,
      details: isRepeated ? details : [...details, detail].slice(-this.options.maxDetails),
    }
    this.#put(offences)
    return offences
  }

  /** Forgets a client. @returns whether it had offences */
  clear(address: string): boolean {
    const known = this.#current(address)
    if (this.#clients.has(address)) this.#forget(address)
    return known !== undefined
  }

  /** Returns the clients with offences, most offences first. */
  list(): Offences[] {
    this.sweep()
    return [...this.#clients.values()].sort((a, b) => b.count - a.count)
  }

  /** Forgets the clients whose window has ended. */
  sweep(): void {
    for (const address of this.#clients.keys()) {
      if (!this.#current(address)) this.#forget(address)
    }
  }

  /** Returns the changes since the last call: the offences to store and the clients to remove. */
  takeChanges(): { stored: Offences[]; removed: string[] } {
    const stored = [...this.#changed].flatMap((address) => this.#clients.get(address) ?? [])
    const removed = [...this.#removed]
    this.#changed.clear()
    this.#removed.clear()
    return { stored, removed }
  }

  /** Adds changes again that could not be stored. */
  giveBack({ stored, removed }: { stored: readonly Offences[]; removed: readonly string[] }): void {
    for (const { address } of stored) if (this.#clients.has(address)) this.#changed.add(address)
    for (const address of removed) if (!this.#clients.has(address)) this.#remove(address)
  }

  #current(address: string): Offences | undefined {
    const offences = this.#clients.get(address)
    return offences && this.options.clock.since(offences.firstAt) < WINDOW_MS ? offences : undefined
  }

  #put(offences: Offences): void {
    const { address } = offences
    this.#clients.delete(address)
    this.#clients.set(address, offences)
    this.#changed.add(address)
    this.#removed.delete(address)
    if (this.#clients.size <= MAX_CLIENTS) return
    const oldest = this.#oldestClients.next()
    if (!oldest.done) this.#forget(oldest.value)
  }

  #forget(address: string): void {
    this.#clients.delete(address)
    this.#changed.delete(address)
    this.#remove(address)
  }

  #remove(address: string): void {
    this.#removed.add(address)
    if (this.#removed.size <= MAX_REMOVED) return
    const oldest = this.#oldestRemoved.next()
    if (!oldest.done) this.#removed.delete(oldest.value)
  }
}
